import CLibevent

/// The events of one connection in libevent: its socket can be read, can be written, and its timer.
///
/// They call the connection until they are freed, which must be before the socket is closed.
final class ConnectionEvents {
  private enum Reading {
    case on
    /// Too much waits to be written, or the connection is frozen.
    case paused
    /// OpenSSL must write before it can read on. The event would fire all the time.
    case untilWritten
  }

  private let base: OpaquePointer
  private let descriptor: Int32
  /// The connection that is called.
  private var context: UnsafeMutableRawPointer?
  private var readable: OpaquePointer?
  /// Created when a write has to wait for the first time.
  private var writable: OpaquePointer?
  private var timer: OpaquePointer?
  private var reading = Reading.on

  init(on socket: Socket, base: OpaquePointer) {
    self.base = base
    descriptor = socket.descriptor
  }

  deinit { free() }

  /// - Parameter connection: must outlive the events.
  func attach(to connection: PushConnection) {
    context = Unmanaged.passUnretained(connection).toOpaque()
    readable = event_new(base, descriptor, Int16(EV_READ | EV_PERSIST), becameReadable, context)
    timer = event_new(base, -1, 0, timeIsUp, context)
    precondition(readable != nil && timer != nil, "libevent fails only without memory")
  }

  func free() {
    for event in [readable, writable, timer] { if let event { event_free(event) } }
    (readable, writable, timer) = (nil, nil, nil)
  }

  func setTimer(_ delay: Duration) {
    var time = timeval(delay)
    event_add(timer, &time)
  }

  // MARK: Reading

  /// False while reading waits for a write, or for a thaw.
  var isReading: Bool { reading == .on }
  var readsOnceWritten: Bool { reading == .untilWritten }

  /// Reads from now on, whatever has kept it from reading.
  func startReading() {
    reading = .on
    event_add(readable, nil)
  }

  /// Reads from now on, and once at once: OpenSSL may hold bytes for which the socket does not become readable again.
  func startReadingNow() {
    startReading()
    event_active(readable, Int32(EV_READ), 0)
  }

  func pauseReading() {
    reading = .paused
    event_del(readable)
  }

  /// Ends what `pauseReading` began.
  func resumeReading() { if reading == .paused { startReading() } }

  /// Ignores the socket until the next call that starts reading, for a client that is read slowly.
  func ignoreReadable() { event_del(readable) }

  /// OpenSSL has an answer to write before it reads on.
  func readOnceWritten() {
    reading = .untilWritten
    event_del(readable)
    waitForWriting()
  }

  /// The socket takes bytes again.
  ///
  /// - Returns: true if OpenSSL can read on.
  func startReadingIfWritten() -> Bool {
    guard reading == .untilWritten else { return false }
    startReading()
    return true
  }

  // MARK: Writing

  /// Calls the connection once, when the socket takes bytes again.
  func waitForWriting() {
    if writable == nil { writable = event_new(base, descriptor, Int16(EV_WRITE), becameWritable, context) }
    event_add(writable, nil)
  }

  func ignoreWritable() { if let writable { event_del(writable) } }
}

private let becameReadable: event_callback_fn = { _, _, context in
  guard let context else { return }
  Unmanaged<PushConnection>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.becameReadable() }
}

private let becameWritable: event_callback_fn = { _, _, context in
  guard let context else { return }
  Unmanaged<PushConnection>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.becameWritable() }
}

private let timeIsUp: event_callback_fn = { _, _, context in
  guard let context else { return }
  Unmanaged<PushConnection>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.timerFired() }
}
