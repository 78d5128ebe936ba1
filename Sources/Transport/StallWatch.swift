import Timeline

/// Watches that a client accepts something while data waits for it.
final class StallWatch {
  private let limit: Duration
  private var stall: WriteStall?
  private var timer: LoopEvent?

  /// - Parameters:
  ///   - limit: the longest time in which nothing is sent.
  ///   - expired: called when nothing was sent for so long.
  init(_ limit: Duration, on base: OpaquePointer, expired: @escaping () -> Void) {
    self.limit = limit
    timer = LoopEvent(on: base) { [unowned self] in check(expired) }
  }

  /// Nothing waits for the client. The timer stays set: it costs less than to set it for each stall.
  func ended() { stall = nil }

  /// - Parameter socketIsFull: true while answers cannot be sent for that reason alone.
  func dataWaits(written: UInt64, answers: UInt64, socketIsFull: Bool, answersWait: Bool) {
    let now = Libevent.steadyNanoseconds
    if stall == nil { stall = WriteStall(at: now, written: written, answers: answers) }
    stall?.update(at: now, written: written, answers: answers, socketIsFull: socketIsFull, answersWait: answersWait)
    if let timer, !timer.isPending { timer.add(timeout: limit) }
  }

  private func check(_ expired: () -> Void) {
    guard let stall else { return }
    let quiet = Duration.nanoseconds(Libevent.steadyNanoseconds - stall.since)
    if quiet >= limit { expired() } else { timer?.add(timeout: limit - quiet) }
  }
}
