import HTTP2
import Timeline

/// A client's connection: socket, TLS unless a relay ended it, and after the handshake an `OpenConnection`.
///
///     handshaking ──▶ open ──▶ lingering ──▶ ended
///            └────────▶ deaf ───────────────────┘
///
/// `deaf`, only as a fault: nothing is written; what arrives is read and ignored until the client disconnects, or sends
/// nothing for `TransportLimits.idle`.
/// `lingering`: everything is written and the write side is shut. What still arrives is read and ignored, because
/// closing with unread bytes would reset the connection and could lose the last frame. Trouble leads to `ended` from
/// any state.
final class PushConnection {
  private enum State {
    case handshaking(Handshake)
    case open(OpenConnection)
    case deaf(ClientSilence)
    case lingering
    case ended
  }

  private struct Handshake {
    let deadline: GreetingDeadline
    var hasPeeked = false
    /// The client's hello is answered with an alert, as a fault.
    var isRefused = false
    /// Set while the handshake has not begun, as a fault.
    var delay: LoopEvent?
  }

  let id: ConnectionID
  /// The loop outlives its connections: it ends them before it is freed.
  unowned(unsafe) let loop: PushLoop
  let socket: Socket
  let stream: WireStream
  let events: ConnectionEvents
  let sink: ConnectionSink

  private let listener: Int
  private let peer: String
  private var state: State

  init?(_ visitor: LoopHandle.AcceptedSocket, number: UInt64, loopIndex: Int, on loop: PushLoop) {
    if let tls = visitor.tls {
      guard let made = tls.makeStream(on: visitor.socket.descriptor) else { return nil }
      let (sink, listener) = (loop.sink, visitor.listener)
      made.judge { sink.alert(for: $0, on: listener) }
      stream = .tls(made)
    } else {
      stream = .relayed(visitor.socket)
    }
    self.loop = loop
    id = ConnectionID(loop: loopIndex, number: number)
    listener = visitor.listener
    peer = visitor.peer
    socket = visitor.socket
    events = ConnectionEvents(on: socket, base: loop.base)
    sink = ConnectionSink(loop.sink, id)
    let deadline = GreetingDeadline(loop.options.limits.handshake, from: Libevent.steadyNanoseconds)
    state = .handshaking(Handshake(deadline: deadline))
    events.attach(to: self)
  }

  deinit { release() }

  private var limits: TransportLimits { loop.options.limits }

  func report(_ kind: ConnectionTrouble.Kind) {
    loop.sink.trouble(ConnectionTrouble(kind, listener: listener, peer: peer))
  }

  // MARK: The handshake

  func begin(_ greeting: Greeting) {
    var handshake = newHandshake()
    switch greeting {
    case .ordinary: beginHandshake(handshake)
    case .refusal:
      handshake.isRefused = true
      beginHandshake(handshake)
    case .late(let delay):
      let event = LoopEvent(on: loop.base) { [unowned self] in
        if case .handshaking = state { beginHandshake(newHandshake()) }
      }
      event.add(timeout: delay)
      handshake.delay = event
      state = .handshaking(handshake)
    case .silence:
      state = .deaf(ClientSilence(at: Libevent.steadyNanoseconds))
      events.startReading()
      events.setTimer(limits.idle)
    }
  }

  private func newHandshake() -> Handshake {
    Handshake(deadline: GreetingDeadline(limits.handshake, from: Libevent.steadyNanoseconds))
  }

  private func beginHandshake(_ handshake: Handshake) {
    state = .handshaking(handshake)
    socket.sendWithoutDelay()
    events.startReading()
    events.setTimer(limits.handshake)
  }

  private func shakeHands(_ handshake: Handshake) {
    if handshake.isRefused { return refuseHandshake() }
    if stream.isRelayed { return openedByRelay(handshake) }
    if !handshake.hasPeeked {
      if let trouble = firstBytesTrouble() { return failHandshake(trouble) }
      var peeked = handshake
      peeked.hasPeeked = true
      state = .handshaking(peeked)
    }
    switch stream.handshake() {
    case .bytes: if stream.isProbe { shutWriting(.idle) } else { opened(handshake) }
    case .wantsRead: break
    case .wantsWrite: events.readOnceWritten()
    case .ended, .broken, .flooded: failHandshake(.abandoned)
    case .failed(let error):
      failHandshake(
        stream.alert.map { .certificate($0) } ?? HandshakeFailure(error: error)
          ?? .other(HandshakeFailure.text(of: error)))
    }
  }

  /// OpenSSL reports most non-TLS data as a wrong version number; the bytes themselves tell more.
  private func firstBytesTrouble() -> HandshakeFailure? {
    let bytes = socket.peek(UnsafeMutableRawBufferPointer(rebasing: loop.input[..<24]))
    return HandshakeFailure(firstBytes: bytes)
  }

  private func failHandshake(_ trouble: HandshakeFailure) {
    report(.handshake(trouble))
    // OpenSSL has written its alert, which would be lost if the connection were reset.
    shutWriting(.trouble, sendsCloseNotify: false)
  }

  /// The client has sent its hello; it gets the alert `handshake_failure` in a separate record (RFC 8446 sections 5.1
  /// and 6.2).
  private func refuseHandshake() {
    socket.send([21, 3, 3, 0, 2, 2, 40])
    shutWriting(.asked, sendsCloseNotify: false)
  }

  /// The handshake is complete: announces the connection on both sides. SETTINGS are sent now, before the client sends
  /// anything.
  private func opened(_ handshake: Handshake) {
    guard let info = stream.info else { return }
    var options = loop.options.session
    if let announced = announce(info).announcedStreams { options.announcedStreams = announced }
    open(HTTP2Session(options, pool: loop.pool), handshake)
  }

  /// The preface may follow in any number of pieces; SETTINGS are sent at once. The client announces itself later.
  private func openedByRelay(_ handshake: Handshake) {
    var options = loop.options.session
    // Otherwise a relay opens a connection for each push, as it cannot know that more streams are allowed later.
    options.announcedStreams = options.streamCap
    options.strictStreams = false
    open(HTTP2Session(options, pool: loop.pool), handshake)
  }

  private func open(_ session: HTTP2Session, _ handshake: Handshake) {
    let open = OpenConnection(self, session, deadline: handshake.deadline)
    state = .open(open)
    open.begin()
  }

  /// Tells the upper layer of the connection; its effects wait in the loop's list.
  @discardableResult
  func announce(_ tls: TLSInfo) -> ConnectionSetup {
    sink.opened(ConnectionInfo(id: id, listener: listener, peer: peer, tls: tls), into: &loop.effects)
  }

  // MARK: What libevent reports

  func becameReadable() {
    switch state {
    case .handshaking(let handshake): shakeHands(handshake)
    case .open(let open): open.becameReadable()
    case .deaf(var silence):
      silence.ended(at: Libevent.steadyNanoseconds)
      state = .deaf(silence)
      discard()
    case .lingering: discard()
    case .ended: break
    }
  }

  private func discard() { if !socket.discard(loop.input) { end(.finished) } }

  func becameWritable() {
    let canReadOn = events.startReadingIfWritten()
    switch state {
    case .handshaking(let handshake): shakeHands(handshake)
    case .open(let open): open.becameWritable(canReadOn: canReadOn)
    case .lingering, .deaf, .ended: break
    }
  }

  func timerFired() {
    switch state {
    case .handshaking:
      report(.handshake(.timedOut))
      end(.trouble)
    case .open(let open): open.timerFired()
    case .deaf(let silence):
      let rest = limits.idle - silence.duration(at: Libevent.steadyNanoseconds)
      if rest > .zero { events.setTimer(rest) } else { endIdle() }
    case .lingering: end(.finished)
    case .ended: break
    }
  }

  // MARK: Orders of the upper layer

  /// Effects not caused by a read: from another connection, another thread, or later.
  func perform(_ effects: Effects) {
    if case .open(let open) = state { return open.perform(effects) }
    for effect in effects.list { sink.lose(effect) }
    sink.reportLostAnswers()
  }

  /// The server stops: finish what has begun.
  func drain(debug: [UInt8]) {
    switch state {
    case .handshaking, .deaf: end(.stopped)
    case .open(let open): open.drain(debug: debug)
    case .lingering, .ended: break
    }
  }

  // MARK: The end

  /// Everything is written: shuts the write side and waits briefly for the client to close, or as long as it likes.
  ///
  /// - Parameter sendsCloseNotify: false if TLS has failed, or is to look as if the program had died.
  func shutWriting(_ why: CloseReason, waitsForClient: Bool = false, sendsCloseNotify: Bool = true) {
    if sendsCloseNotify { stream.sendCloseNotify() }
    socket.shutdownWriting()
    leaveState(for: waitsForClient ? .deaf(ClientSilence(at: Libevent.steadyNanoseconds)) : .lingering)
    sink.closed(why)
    events.startReading()
    events.setTimer(waitsForClient ? limits.idle : limits.linger)
  }

  /// Closes the socket.
  ///
  /// - Parameter sendsCloseNotify: false if TLS has failed, or nothing can be written.
  func end(_ why: CloseReason, sendsCloseNotify: Bool = true) {
    if case .ended = state { return }
    if case .open = state, sendsCloseNotify { stream.sendCloseNotify() }
    release()
    sink.closed(why)
    loop.forget(self)
  }

  /// Closes the socket after resetting the connection.
  func abort(_ why: CloseReason) {
    socket.resetOnClose()
    end(why, sendsCloseNotify: false)
  }

  /// Ends a connection of which nothing was heard for `limits.idle`. Nothing can be written, so there is no
  /// close_notify.
  func endIdle() {
    end(.idle, sendsCloseNotify: false)
    report(.idle)
  }

  /// Frees everything that is not Swift memory; once.
  private func release() {
    if case .ended = state { return }
    // Before the socket is closed, because the events use it.
    leaveState(for: .ended)
    events.free()
    stream.free()
    socket.close()
  }

  private func leaveState(for next: State) {
    if case .open(let open) = state { open.end() }
    state = next
  }
}
