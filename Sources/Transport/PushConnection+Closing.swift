import CLibevent
import HTTP2
import Timeline

extension PushConnection {
  /// Everything is written: shut the write side and wait a little for the client to close.
  func shutWriting(_ why: CloseReason) {
    let half = connectionFaults?.halfClose
    if tlsIsSound, half != .withoutGoodbye { tls.sayGoodbye() }
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
    if phase == .open, tlsIsSound { tls.sayGoodbye() }
    release()
    reportClosed(why)
    loop.forget(self)
  }

  /// Gives back what is not memory of Swift's; once.
  func release() {
    phase = .ended
    if let readEvent { event_free(readEvent) }
    if let writeEvent { event_free(writeEvent) }
    if let timer { event_free(timer) }
    readEvent = nil
    writeEvent = nil
    timer = nil
    // Its events are the socket's.
    connectionFaults = nil
    stallTimer = nil
    countHeldBytes()
    tls.free()
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

  /// Ends the connection when nothing has come for `limits.idle`.
  ///
  /// A client that waits for an answer is quiet with good reason: it is asked by a PING first, and has as long again to
  /// answer it. A frozen or deaf connection has nothing to ask with; its client may have vanished without a FIN.
  func checkIdleness() {
    let quiet = Duration.nanoseconds(Libevent.steadyNanoseconds - lastActivity)
    guard quiet >= limits.idle else { return setTimer(limits.idle - quiet) }
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

  /// Nothing can be written: no goodbye.
  private func endIdle() {
    tlsIsSound = false
    end(.idle)
    report(.idle)
  }
}
