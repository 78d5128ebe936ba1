import APNs

/// Tokens as releases make them since devices have partitions.
///
/// Computed with the Python of `KeyedHashTests`, not copied from the Swift they judge: under the keys derived from
/// (seed, 7365616C) for "token proof", "token pad" and "token filler", a token is 80 for activities, the proof of the two
/// address words with the device's number modulo 256 as the token's second byte, the words under the pad of that proof, and
/// SplitMix64 begun with that proof and the filler.
enum PinnedTokens {
  static let seed1: [String] = [
    "0100f178440e442f8001dbbeac64f962a02e67f2c511abd552e6ca6350c6acc2",
    "de11c41ee3ecf837f88f8ab78d0afec98ab25654eaec6102135618390bdeefd7",
    "1911b03338a893301e0b011d363adf771fab5576bfd31b02010e36cfb528ab5f",
    "8011f1bcc51598f88f632ff9e95e999587c88a86171808217bc90c00bbba79cf8a12aac59c3e2fe7"
      + "df895c5bc13b043fd66e43c251a7b08df3533dfccec9188c2d34b76537954e1ff38cf99ca4e4ad59",
    "8011a337da602a16ce82fab8fe8d32fe23232a96ac14c3bb77d18d5d2fe10b2ad8df2ee9aecae30e"
      + "3444e7844edd4c0372340901d09e9fa698f1936eb73f4e1b7b4e6cb5ebccd6bbf07e853ae42c66a0",
  ]
}
