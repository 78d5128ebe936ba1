import CLibevent
import HTTP2

/// A frozen connection simulates a stopped server or an interrupted path: nothing is sent.
///
/// Earlier orders are still carried out. Later orders, and what the client sends, wait until the connection is thawed,
/// as after a pause of the machine. Nothing waits without limit: on a completely frozen connection nothing is read, so
/// the socket's buffers fill up. Where PINGs are answered, requests wait up to the limit on streams, and frames up to
/// the limit on unwritten bytes; beyond it, the connection freezes completely.
extension PushConnection {
  func freeze(answersPings: Bool) {
    flush()
    guard phase == .open else { return }
    isFrozen = true
    let connectionFaults = tamper()
    connectionFaults.answersPings = answersPings
    guard answersPings else { return freezeSolid() }
    connectionFaults.watch = nil
    isReading = true
    event_add(readEvent, nil)
    flush()
  }

  func thaw() {
    guard isFrozen, let connectionFaults, let session else { return }
    isFrozen = false
    connectionFaults.watch = nil
    lastActivity = Libevent.steadyNanoseconds
    unwritten += connectionFaults.held
    connectionFaults.held = []
    session.releaseDivertedAnswers()
    awaitGreetingAgain()
    readNeedsWriting = false
    isReading = true
    event_add(readEvent, nil)
    // OpenSSL may hold bytes for which the socket will not become readable again.
    event_active(readEvent, Int32(EV_READ), 0)
    var effects = Effects()
    handOver(session, &effects)
    flush()
  }

  /// `flush` for a frozen connection.
  func flushFrozen() {
    guard let connectionFaults, let session else { return }
    session.reportFrozenAnswers()
    defer { reportAnswers(session) }
    guard connectionFaults.answersPings, isReading else { return }
    let (leaving, held) = session.fillOnlyPings()
    unwritten.removeSubrange(..<unwrittenStart)
    unwrittenStart = 0
    unwritten += leaving
    connectionFaults.held += held
    _ = writeUnwritten()
    guard phase == .open, unwritten.count + connectionFaults.held.count > limits.unwritten else { return }
    freezeSolid()
  }

  private func freezeSolid() {
    connectionFaults?.answersPings = false
    isReading = false
    event_del(readEvent)
    if let writeEvent { event_del(writeEvent) }
    // Edge-triggered: it fires once for data present, and again for new data, including the client's close.
    let watch = LoopEvent(
      on: loop.base, descriptor: socket.descriptor, events: EV_READ | EV_ET | EV_PERSIST
    ) { [unowned self] in
      guard phase == .open else { return }
      lastActivity = Libevent.steadyNanoseconds
      if socket.otherEndIsGone { end(.client) }
    }
    watch.add()
    connectionFaults?.watch = watch
  }
}
