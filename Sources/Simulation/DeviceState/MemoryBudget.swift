import APNs

/// The memory limit for what pushes brought, over all phones together.
///
/// Each 256th of the fleet has its own share, so what is dropped in one part does not depend on another part.
struct MemoryBudget: Sendable {
  /// Number of devices checked for memory to free, for each push that brings content.
  static let looksPerPush = 16
  static let parts = Int(UInt8.max) + 1

  struct Part: Sendable {
    var charged = 0
    /// The device that is checked next, by its index in this part.
    var next: UInt32 = 0
    /// Bytes freed in the current round over all devices of the part.
    var freed = 0
    /// No search is made below this usage, because a whole round has found nothing to free. 0 if searches are made.
    var pausedUpTo = 0
  }

  /// Limit of each part in bytes.
  let share: Int
  private(set) var list = [Part](repeating: Part(), count: parts)

  /// - Parameter perDevice: the limit of one phone; a share is at least that.
  init(bytes: Int, perDevice: Int) { share = max(bytes / Self.parts, perDevice) }

  /// A phone uses this many bytes more or fewer.
  ///
  /// - Returns: how many bytes of its part must be freed.
  mutating func charge(_ growth: Int, to part: UInt8) -> Int {
    let index = Int(part)
    list[index].charged += growth
    let charged = list[index].charged
    guard charged > share else {
      list[index].pausedUpTo = 0
      return 0
    }
    guard charged > list[index].pausedUpTo else { return 0 }
    // Once searching resumes, it continues until the part is within its share.
    list[index].pausedUpTo = 0
    return charged - share
  }

  /// Bytes of a part were freed.
  ///
  /// - Returns: how many more must be freed.
  mutating func free(_ bytes: Int, of part: UInt8) -> Int {
    list[Int(part)].freed += bytes
    return charge(-bytes, to: part)
  }

  /// The next device of a part to check, in turn.
  ///
  /// - Returns: nil if a whole round has freed nothing. Then no search is made until another sixteenth of the share is
  ///   used.
  mutating func next(of part: UInt8, devices: UInt32) -> DeviceID? {
    let index = Int(part)
    if let device = Self.device(list[index].next, of: part, devices) {
      list[index].next += 1
      return device
    }
    guard list[index].freed > 0 else {
      list[index].next = 0
      list[index].pausedUpTo = list[index].charged + share / 16
      return nil
    }
    list[index].freed = 0
    list[index].next = 1
    return Self.device(0, of: part, devices)
  }

  private static func device(_ number: UInt32, of part: UInt8, _ devices: UInt32) -> DeviceID? {
    let (first, isTooLarge) = number.multipliedReportingOverflow(by: UInt32(parts))
    guard !isTooLarge, first < devices, first | UInt32(part) < devices else { return nil }
    return DeviceID(first | UInt32(part))
  }
}
