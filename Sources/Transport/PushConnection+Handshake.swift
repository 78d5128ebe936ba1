import HTTP2

extension PushConnection {
  func shakeHands() {
    if let connectionFaults, connectionFaults.refusesHandshake { return refuseHandshake() }
    if stream.isRelayed { return openedByRelay() }
    if !hasPeeked, let trouble = firstBytesTrouble() { return failHandshake(trouble) }
    switch stream.handshake() {
    case .bytes: if stream.isProbe { shutWriting(.idle) } else { opened() }
    case .wantsRead: break
    case .wantsWrite: waitToReadOn()
    case .ended, .broken, .flooded: failHandshake(.abandoned)
    case .failed(let error):
      failHandshake(
        stream.alert.map { .certificate($0) } ?? HandshakeFailure(error: error)
          ?? .other(HandshakeFailure.text(of: error)))
    }
  }

  /// OpenSSL reports most non-TLS data as a wrong version number; the bytes themselves tell more.
  private func firstBytesTrouble() -> HandshakeFailure? {
    hasPeeked = true
    let bytes = socket.peek(UnsafeMutableRawBufferPointer(rebasing: loop.input[..<24]))
    return HandshakeFailure(firstBytes: bytes)
  }

  private func failHandshake(_ trouble: HandshakeFailure) {
    tlsIsSound = false
    report(.handshake(trouble))
    // OpenSSL has written its alert, which would be lost if the connection were reset.
    shutWriting(.trouble)
  }

  /// The handshake is complete: announces the connection on both sides. SETTINGS are sent now, before the client sends
  /// anything.
  private func opened() {
    guard let info = stream.info else { return }
    let setup = announce(info)
    var options = loop.options.session
    if let announced = setup.announcedStreams { options.announcedStreams = announced }
    begin(HTTP2Session(options, pool: loop.pool))
  }

  /// Tells the upper layer of the connection.
  @discardableResult
  func announce(_ tls: TLSInfo) -> ConnectionSetup {
    let info = ConnectionInfo(id: id, listener: listener, peer: peer, tls: tls)
    let setup = loop.sink.opened(info, into: &loop.effects)
    token = setup.token
    state = setup.state
    isAnnounced = true
    return setup
  }

  func begin(_ session: HTTP2Session) {
    self.session = session
    phase = .open
    lastActivity = Libevent.steadyNanoseconds
    setTimer(untilGreeted(limits.idle))
    applyEffects()
    flush()
    if phase == .open { becameReadable() }
  }

  // MARK: The client's preface

  /// Time until the preface must be complete, at most `delay`.
  func untilGreeted(_ delay: Duration) -> Duration {
    awaitsGreeting ? min(delay, max(limits.handshake - greetingTime, .zero)) : delay
  }

  /// The preface belongs to the handshake, and has the same time: otherwise half a preface would last until the
  /// connection is idle for too long.
  var isTooLateToGreet: Bool { awaitsGreeting && greetingTime >= limits.handshake }

  /// A fault that kept the server from reading, for which the client cannot be blamed, is over.
  func awaitGreetingAgain() {
    guard awaitsGreeting else { return }
    greetingBegan = Libevent.steadyNanoseconds
    setTimer(untilGreeted(limits.idle))
  }

  private var greetingTime: Duration { .nanoseconds(Libevent.steadyNanoseconds - greetingBegan) }

  private var awaitsGreeting: Bool {
    guard phase == .open, !isFrozen, connectionFaults?.pace == nil, let session else { return false }
    return !session.isGreeted
  }
}
