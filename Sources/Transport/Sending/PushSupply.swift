/// Which push a loop sends next, and when it is due. With several loops, each has every nth push.
package struct PushSupply: Sendable {
  package struct Push: Hashable, Sendable {
    /// Counted from 0 over all loops.
    package let number: UInt64
    /// Steady nanoseconds. Its latency counts from here, even if it could not be sent then: otherwise a server that
    /// stalls would hide its own delay.
    package let dueAt: Int64

    package init(number: UInt64, dueAt: Int64) {
      self.number = number
      self.dueAt = dueAt
    }
  }

  /// Nanoseconds by which a push may be later than due before it counts as late: the timer of a loop alone is one
  /// millisecond late.
  private static let tolerance: Int64 = 50_000_000

  private let loop: UInt64
  private let loops: UInt64
  /// Of all loops together; nil for as fast as possible.
  private let rate: SendingRate?
  /// Pushes of this loop; nil for no end.
  private let quota: UInt64?
  private var issued: UInt64 = 0
  /// Pushes that the server has not processed, and that are sent again.
  private var returned: [UInt64] = []
  private var began: Int64 = 0
  private var isOver = false
  /// Pushes that were sent long after they were due.
  package private(set) var late: UInt64 = 0

  /// - Parameters:
  ///   - loop: of `loops`, counted from 0.
  ///   - count: pushes of all loops together.
  ///   - rate: that of all loops together.
  package init(loop: Int, of loops: Int, count: UInt64?, rate: SendingRate?) {
    self.loop = UInt64(loop)
    self.loops = UInt64(loops)
    self.rate = rate
    quota = count.map { [loop = self.loop, loops = self.loops] in $0 > loop ? ($0 - loop - 1) / loops + 1 : 0 }
  }

  package var isPaced: Bool { rate != nil }
  /// True if no further push will be due, unless one comes back.
  package var isExhausted: Bool { isOver || (returned.isEmpty && quota.map { issued >= $0 } ?? false) }

  package mutating func begin(at now: Int64) { began = now }

  /// Ends the supply: from now on, no push is due.
  package mutating func end() { isOver = true }

  /// The next push if one is due.
  package mutating func next(at now: Int64) -> Push? {
    guard !isOver else { return nil }
    if let number = returned.popLast() { return Push(number: number, dueAt: now) }
    if let quota, issued >= quota { return nil }
    let number = issued * loops + loop
    var dueAt = now
    if let rate {
      dueAt = began + Int64(rate.due(number))
      guard dueAt <= now else { return nil }
      if now - dueAt > Self.tolerance { late += 1 }
    }
    issued += 1
    return Push(number: number, dueAt: dueAt)
  }

  /// A push was not processed, and is to be sent again.
  package mutating func giveBack(_ number: UInt64) { returned.append(number) }

  /// True if a push is due.
  package func isDue(at now: Int64) -> Bool {
    var copy = self
    return copy.next(at: now) != nil
  }
}
