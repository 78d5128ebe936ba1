import CLibevent
import HTTP2
import Timeline

extension PushConnection {
  /// Everything is written: shuts the write side and waits briefly for the client to close.
  func shutWriting(_ why: CloseReason) {
    let half = connectionFaults?.halfClose
    if tlsIsSound, half != .withoutGoodbye { stream.sayGoodbye() }
    socket.shutdownWriting()
    reportClosed(why)
    phase = half == nil ? .lingering : .deaf
    session = nil
    connectionFaults = nil
    countHeldBytes()
    isReading = true
    event_add(readEvent, nil)
    lastActivity = Libevent.steadyNanoseconds
    setTimer(half == nil ? limits.linger : limits.idle)
  }

  /// Closes the socket.
  func end(_ why: CloseReason) {
    guard phase != .ended else { return }
    if phase == .open, tlsIsSound { stream.sayGoodbye() }
    release()
    reportClosed(why)
    loop.forget(self)
  }

  /// Frees everything that is not Swift memory; once.
  func release() {
    phase = .ended
    if let readEvent { event_free(readEvent) }
    if let writeEvent { event_free(writeEvent) }
    if let timer { event_free(timer) }
    readEvent = nil
    writeEvent = nil
    timer = nil
    // Before the socket is closed, because their events use it.
    connectionFaults = nil
    stallTimer = nil
    countHeldBytes()
    stream.free()
    socket.close()
  }

  private func reportClosed(_ why: CloseReason) {
    guard isAnnounced else { return }
    isAnnounced = false
    if let session {
      session.giveUpAnswers()
      reportAnswers(session)
    }
    loop.sink.closed(id, token: token, why: why)
  }

  /// The server stops: finish what has begun.
  func drain(debug: [UInt8]) {
    switch phase {
    case .handshaking, .deaf: end(.stopped)
    case .open where isFrozen: end(.stopped)
    case .open:
      staysOpen = false
      session?.goAway(.noError, debug: debug)
      flush()
    case .lingering, .ended: break
    }
  }

  /// Ends the connection after nothing was received for `limits.idle`.
  ///
  /// A client that waits for an answer is quiet for a reason: it first gets a PING, and as much time again to answer
  /// it. A frozen or discarding connection cannot send a PING, and its client may have disappeared without a FIN.
  func checkIdleness() {
    let quiet = Duration.nanoseconds(Libevent.steadyNanoseconds - lastActivity)
    guard quiet >= limits.idle else { return setTimer(untilGreeted(limits.idle - quiet)) }
    guard phase == .open, !isFrozen, let session else { return endIdle() }
    guard session.awaitingCount > 0 else {
      report(.idle)
      session.goAway(.noError, debug: limits.idleDebug)
      closing = .idle
      return flush()
    }
    guard askedForLife != lastActivity else { return endIdle() }
    askedForLife = lastActivity
    session.ping()
    flush()
    if phase == .open { setTimer(limits.idle) }
  }

  /// Nothing can be written, so there is no close_notify.
  private func endIdle() {
    tlsIsSound = false
    end(.idle)
    report(.idle)
  }
}
