import CLibevent

/// Connections of a `PlainServer` that get one answer and no more. evhttp reads nothing of them from then on, so no
/// request that they send is carried out. Used on the main loop; ended before its evhttp.
///
/// The answer is sent once the client has sent something, because some clients do not expect one before, or after a
/// second. Then what the client sends is discarded until it closes, for the rest of that second: closing a socket with
/// unread bytes resets the connection, and the client may then lose the answer.
final class PlainRefusals {
  private final class Refusal {
    /// An `evhttp_connection`.
    let connection: OpaquePointer
    let socket: Socket
    let answer: [UInt8]
    var isAnswered = false
    var arrival: LoopEvent?
    var deadline: LoopEvent?

    init(_ connection: OpaquePointer, socket: Socket, answer: [UInt8]) {
      self.connection = connection
      self.socket = socket
      self.answer = answer
    }

    func send() {
      guard !isAnswered else { return }
      isAnswered = true
      socket.send(answer)
      socket.shutdownWriting()
    }
  }

  /// Each needs a file descriptor; those beyond are closed at once.
  private static let most = 64
  private static let patience: Duration = .seconds(1)

  private let base: OpaquePointer
  private var refusals: [ObjectIdentifier: Refusal] = [:]
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)

  init(on base: OpaquePointer) { self.base = base }

  deinit { memory.deallocate() }

  /// Forgets all connections, before evhttp frees them.
  func end() { refusals = [:] }

  /// Takes a connection away from evhttp.
  ///
  /// - Parameter stream: its bufferevent.
  func refuse(_ stream: OpaquePointer, with answer: [UInt8]) {
    var ended: bufferevent_event_cb?
    var context: UnsafeMutableRawPointer?
    bufferevent_getcb(stream, nil, nil, &ended, &context)
    // evhttp has no callbacks on a bufferevent with which it has finished.
    guard ended != nil, let connection = context.map({ OpaquePointer($0) }) else { return }
    bufferevent_disable(stream, Int16(EV_READ | EV_WRITE))
    // evhttp may be about to read what has arrived.
    let input = bufferevent_get_input(stream)
    let hasBegun = evbuffer_get_length(input) > 0
    evbuffer_drain(input, evbuffer_get_length(input))
    evhttp_connection_set_closecb(connection, nil, nil)
    let refusal = Refusal(connection, socket: Socket(descriptor: bufferevent_getfd(stream)), answer: answer)
    if hasBegun { refusal.send() }
    guard refusals.count < Self.most else {
      refusal.send()
      return evhttp_connection_free(connection)
    }
    refusals[ObjectIdentifier(refusal)] = refusal
    wait(for: refusal)
  }

  private func wait(for refusal: Refusal) {
    let arrival = LoopEvent(on: base, descriptor: refusal.socket.descriptor, events: EV_READ | EV_PERSIST) {
      [unowned self, unowned refusal] in
      let goesOn = refusal.socket.discard(memory)
      refusal.send()
      if !goesOn { close(refusal) }
    }
    let deadline = LoopEvent(on: base) { [unowned self, unowned refusal] in
      refusal.send()
      close(refusal)
    }
    refusal.arrival = arrival
    refusal.deadline = deadline
    arrival.add()
    deadline.add(timeout: Self.patience)
  }

  private func close(_ refusal: Refusal) {
    refusals[ObjectIdentifier(refusal)] = nil
    // Its events use the socket, which evhttp closes.
    refusal.arrival = nil
    refusal.deadline = nil
    evhttp_connection_free(refusal.connection)
  }
}
