import APNs

/// How many bytes phones may keep of what pushes brought, all together.
///
/// Each 256th of the fleet has a share of its own, so what gives way in one depends on nothing in another.
struct MemoryBudget: Sendable {
  /// Devices that are looked at for what may give way, for each push that brings something.
  static let looksAPush = 16
  private static let parts = Int(UInt8.max) + 1

  private struct Part: Sendable {
    var charged = 0
    /// The device that is looked at next, by its number among those of this part.
    var next: UInt32 = 0
    /// Nothing is looked for below that: a whole round has found nothing that may give way.
    var pausedBelow = 0
    /// What was charged when the present round began.
    var atRoundBegin = 0
  }

  /// Bytes of each part.
  let share: Int
  private var list = [Part](repeating: Part(), count: parts)

  /// - Parameter perDevice: what one phone may keep, which a share holds at least.
  init(bytes: Int, perDevice: Int) { share = max(bytes / Self.parts, perDevice) }

  /// A phone keeps so much more, or less.
  ///
  /// - Returns: by how many bytes its part is beyond its share, where something is to give way.
  mutating func charge(_ growth: Int, to part: UInt8) -> Int {
    let index = Int(part)
    list[index].charged += growth
    if list[index].charged <= share { list[index].pausedBelow = 0 }
    return list[index].charged > max(share, list[index].pausedBelow) ? list[index].charged - share : 0
  }

  /// The device of a part to be looked at next, in turn.
  ///
  /// - Returns: nil where a round is over that has brought nothing.
  mutating func next(of part: UInt8, devices: UInt32) -> DeviceID? {
    let index = Int(part)
    let (number, isTooLarge) = list[index].next.multipliedReportingOverflow(by: UInt32(Self.parts))
    if !isTooLarge, number < devices, case let device = number | UInt32(part), device < devices {
      list[index].next += 1
      return DeviceID(device)
    }
    list[index].next = 0
    let (before, now) = (list[index].atRoundBegin, list[index].charged)
    list[index].atRoundBegin = now
    // Where nothing gave way, nothing is looked for before a sixteenth of the share more has come.
    if now >= before, before > 0 { list[index].pausedBelow = now + share / 16 }
    return nil
  }
}
