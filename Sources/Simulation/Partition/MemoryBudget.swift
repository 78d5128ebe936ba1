import APNs

/// How many bytes phones may keep of what pushes brought, all together.
///
/// Each 256th of the fleet has a share of its own, so what gives way in one depends on nothing in another.
struct MemoryBudget: Sendable {
  /// Devices that are looked at for what may give way, for each push that brings something.
  static let looksPerPush = 16
  private static let parts = Int(UInt8.max) + 1

  private struct Part: Sendable {
    var charged = 0
    /// The device that is looked at next, by its number among those of this part.
    var next: UInt32 = 0
    /// Bytes that gave way in the present round over all devices of the part.
    var freed = 0
    /// Nothing is looked for up to that: a whole round has found nothing that may give way. 0 where that is not so.
    var pausedUpTo = 0
  }

  /// Bytes of each part.
  let share: Int
  private var list = [Part](repeating: Part(), count: parts)

  /// - Parameter perDevice: what one phone may keep, which a share holds at least.
  init(bytes: Int, perDevice: Int) { share = max(bytes / Self.parts, perDevice) }

  /// A phone keeps so many bytes more, or fewer.
  ///
  /// - Returns: how many bytes of its part are to give way.
  mutating func charge(_ growth: Int, to part: UInt8) -> Int {
    let index = Int(part)
    list[index].charged += growth
    let charged = list[index].charged
    guard charged > share else {
      list[index].pausedUpTo = 0
      return 0
    }
    guard charged > list[index].pausedUpTo else { return 0 }
    // Once it looks again it goes on until the part is within its share.
    list[index].pausedUpTo = 0
    return charged - share
  }

  /// So many bytes of a part have given way.
  ///
  /// - Returns: how many more are to.
  mutating func free(_ bytes: Int, of part: UInt8) -> Int {
    list[Int(part)].freed += bytes
    return charge(-bytes, to: part)
  }

  /// The device of a part to be looked at next, in turn.
  ///
  /// - Returns: nil where a whole round has brought nothing. Nothing is looked for then before a sixteenth of the share
  ///   more has come.
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
