#if PUSHPIT_CHECKS
  extension Phone {
    /// Bytes that the fleet's memory budget was told of.
    package var chargedMemory: Int { details.isStored ? Int(details[0].charged) : 0 }
  }
#endif
