import CLibevent
import HTTP2
import Timeline

/// One client's connection: socket, TLS unless a relay ended it, session.
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
  enum Phase {
    case handshaking
    case open
    case deaf
    case lingering
    case ended
  }

  let id: ConnectionID
  let listener: Int
  let peer: String
  /// The loop outlives its connections: it ends them before it is freed.
  unowned(unsafe) let loop: PushLoop
  let socket: Socket
  let stream: WireStream
  /// What the relay's first request said of the client; nil if it said nothing.
  var identity: [UInt8]?

  var phase = Phase.handshaking
  var session: HTTP2Session?
  var token: UInt64 = 0
  /// The upper layer's state of the connection.
  var state: AnyObject?
  /// Whether the upper layer knows this connection and has not been told of its end.
  var isAnnounced = false

  var readEvent: OpaquePointer?
  /// Created when a write has to wait for the first time.
  var writeEvent: OpaquePointer?
  var timer: OpaquePointer?

  /// Bytes that a full socket did not accept; those before `unwrittenStart` are written.
  var unwritten: [UInt8] = []
  var unwrittenStart = 0
  var isReading = true
  /// True if OpenSSL must write before it can read on. Until then nothing is read: the event would fire all the time.
  var readNeedsWriting = false
  var hasPeeked = false
  var tlsIsSound = true
  /// Steady nanoseconds of the last received data.
  var lastActivity: Int64 = 0
  /// Steady nanoseconds from which the time for the handshake and the client's preface counts.
  var greetingBegan: Int64 = 0
  /// `lastActivity` when a PING was sent to the client of an unanswered request.
  var askedForLife: Int64?
  /// Set if the connection must be closed after everything is written.
  var closing: CloseReason?
  /// Whether a GOAWAY was sent that leaves the connection open.
  var staysOpen = false
  /// Intentional faults, if there were any.
  var connectionFaults: ConnectionFaults?
  var isFrozen = false
  /// Answers given after writing had ended.
  var lostAnswers: [AnswerReport] = []

  /// Number of bytes accepted by the socket.
  var written: UInt64 = 0
  /// Set while data waits for the client.
  var stall: WriteStall?
  var stallTimer: LoopEvent?
  var stallTimerIsSet = false
  /// This connection's part of the loop's held bytes.
  var countedBytes = 0

  var limits: TransportLimits { loop.options.limits }

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
    let context = Unmanaged.passUnretained(self).toOpaque()
    readEvent = event_new(loop.base, socket.descriptor, Int16(EV_READ | EV_PERSIST), readable, context)
    timer = event_new(loop.base, -1, 0, timeIsUp, context)
    precondition(readEvent != nil && timer != nil, "libevent fails only without memory")
  }

  deinit {
    if phase != .ended { release() }
  }

  func begin() {
    socket.sendWithoutDelay()
    event_add(readEvent, nil)
    greetingBegan = Libevent.steadyNanoseconds
    setTimer(limits.handshake)
  }

  func setTimer(_ delay: Duration) {
    var time = timeval(delay)
    event_add(timer, &time)
  }

  func waitForWriting() {
    if writeEvent == nil {
      let context = Unmanaged.passUnretained(self).toOpaque()
      writeEvent = event_new(loop.base, socket.descriptor, Int16(EV_WRITE), writable, context)
    }
    event_add(writeEvent, nil)
  }

  func report(_ kind: ConnectionTrouble.Kind) {
    loop.sink.trouble(ConnectionTrouble(kind, listener: listener, peer: peer))
  }

  // MARK: What libevent reports

  func becameReadable() {
    switch phase {
    case .handshaking: shakeHands()
    case .open: if connectionFaults == nil { read() } else { readTampered() }
    case .lingering, .deaf:
      lastActivity = Libevent.steadyNanoseconds
      if !socket.discard(loop.input) { end(.finished) }
    case .ended: break
    }
  }

  fileprivate func becameWritable() {
    readOnIfWritten()
    switch phase {
    case .handshaking: shakeHands()
    case .open: flush()
    case .lingering, .deaf, .ended: break
    }
  }

  fileprivate func timerFired() {
    switch phase {
    case .handshaking:
      report(.handshake(.timedOut))
      end(.trouble)
    case .open where isTooLateToGreet:
      report(.handshake(.noPreface))
      end(.trouble)
    case .open, .deaf: checkIdleness()
    case .lingering: end(.finished)
    case .ended: break
    }
  }
}

private let readable: event_callback_fn = { _, _, context in
  guard let context else { return }
  Unmanaged<PushConnection>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.becameReadable() }
}

private let writable: event_callback_fn = { _, _, context in
  guard let context else { return }
  Unmanaged<PushConnection>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.becameWritable() }
}

private let timeIsUp: event_callback_fn = { _, _, context in
  guard let context else { return }
  Unmanaged<PushConnection>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.timerFired() }
}
