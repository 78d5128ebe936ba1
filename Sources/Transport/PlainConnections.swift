import CLibevent

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The connections of an evhttp, with what it does not report: their number, flaws of their bytes, and its own error
/// pages.
///
/// libevent 2.1 has no limit on connections, and no callbacks for its error pages or for the bytes it reads. But we can
/// create the bufferevent of each connection, whose buffers report what is added to them. Used on the main loop; freed
/// after its evhttp.
final class PlainConnections {
  fileprivate final class Connection {
    /// The bufferevent of the connection. Our own reference keeps the address unique while it is stored.
    let stream: OpaquePointer
    let owner: Unmanaged<PlainConnections>
    var scanner = PlainScanner()
    /// True if the answer being written is ours.
    var isAnswering = false
    /// True if the answer of the connection has no end. Such connections have a limit of their own.
    var isStreaming = false
    /// True if it gets one answer and is closed. The number of such connections is limited, too.
    var isRefused = false
    /// Runs before the loop next handles sockets, so before any byte in the buffer is sent.
    var errand: LoopEvent?
    /// Refuses it, in the same way.
    var refusal: LoopEvent?

    init(_ stream: OpaquePointer, _ owner: PlainConnections) {
      self.stream = stream
      self.owner = .passUnretained(owner)
    }

    deinit { bufferevent_decref(stream) }
  }

  private let base: OpaquePointer
  private let limit: Int
  private let crowded: () -> Void
  private let refuse: (PlainFlaw) -> [UInt8]
  private var connections: [OpaquePointer: Connection] = [:]
  private let refusals: PlainRefusals

  /// - Parameters:
  ///   - crowded: called for each connection beyond the limit, which is then refused.
  ///   - refuse: the complete answer, head and body, that replaces libevent's own.
  init(
    on base: OpaquePointer, limit: Int, crowded: @escaping () -> Void, refuse: @escaping (PlainFlaw) -> [UInt8]
  ) {
    self.base = base
    self.limit = limit
    self.crowded = crowded
    self.refuse = refuse
    refusals = PlainRefusals(on: base)
  }

  /// Makes `http` create its connections here.
  func attach(to http: OpaquePointer) {
    evhttp_set_bevcb(http, connectionOpens, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Refuses nothing any more, before evhttp is freed.
  func end() {
    refusals.end()
    for connection in connections.values {
      connection.refusal = nil
      Self.disable(connection.stream)
    }
  }

  /// Closes a connection.
  static func close(_ connection: OpaquePointer) {
    if let stream = evhttp_connection_get_bufferevent(connection) { disable(stream) }
    evhttp_connection_free(connection)
  }

  /// Removes the events of a stream from the loop. libevent does so with the last reference to the stream, but ours
  /// outlives the socket, whose number may belong to another one by then.
  private static func disable(_ stream: OpaquePointer) {
    if isOpen(stream) { bufferevent_disable(stream, Int16(EV_READ | EV_WRITE)) }
  }

  /// Releases all connections, after evhttp has.
  func forget() { connections = [:] }

  /// The first flaw in the bytes of this request's connection.
  func flaw(of request: UnsafeMutablePointer<evhttp_request>) -> PlainFlaw? { connection(of: request)?.scanner.flaw }

  /// Runs `send`, which answers the request with evhttp.
  func answer(_ request: UnsafeMutablePointer<evhttp_request>, _ send: () -> Void) {
    let connection = connection(of: request)
    connection?.isAnswering = true
    send()
    connection?.isAnswering = false
  }

  /// The answer of this request is sent part by part.
  func setStreaming(_ request: UnsafeMutablePointer<evhttp_request>) { connection(of: request)?.isStreaming = true }

  /// True while an answer with an end is not written to its socket.
  var hasUnwritten: Bool {
    connections.contains { stream, connection in
      !connection.isStreaming && Self.isOpen(stream) && evbuffer_get_length(bufferevent_get_output(stream)) > 0
    }
  }

  /// A bufferevent that evhttp has finished with has no callbacks any more.
  private static func isOpen(_ stream: OpaquePointer) -> Bool {
    var ended: bufferevent_event_cb?
    bufferevent_getcb(stream, nil, nil, &ended, nil)
    return ended != nil
  }

  private func connection(of request: UnsafeMutablePointer<evhttp_request>) -> Connection? {
    evhttp_request_get_connection(request).flatMap(evhttp_connection_get_bufferevent).flatMap { connections[$0] }
  }

  // MARK: - Callbacks

  fileprivate func open() -> OpaquePointer? {
    connections = connections.filter { stream, _ in Self.isOpen(stream) }
    guard let stream = bufferevent_socket_new(base, -1, 0) else { return nil }
    bufferevent_incref(stream)
    let connection = Connection(stream, self)
    connections[stream] = connection
    if connections.values.count(where: { !$0.isStreaming && !$0.isRefused }) > limit {
      connection.isRefused = true
      // Later, because it has no socket yet.
      refuse(connection, for: .tooManyConnections(limit: limit))
      crowded()
      return stream
    }
    let context = Unmanaged.passUnretained(connection).toOpaque()
    evbuffer_add_cb(bufferevent_get_input(stream), bytesCame, context)
    evbuffer_add_cb(bufferevent_get_output(stream), bytesAreToGo, context)
    return stream
  }

  fileprivate func look(at connection: Connection, _ input: OpaquePointer, added: Int) {
    read(input, last: added) { connection.scanner.read($0) }
    // If evhttp has a complete request, it is refused when it is served; this is for one that may never be complete.
    if let flaw = connection.scanner.flaw, !connection.isStreaming { refuse(connection, for: flaw) }
  }

  /// Passes the last bytes of a buffer to a closure, part by part.
  private func read(_ buffer: OpaquePointer, last count: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    var start = evbuffer_ptr()
    evbuffer_ptr_set(buffer, &start, evbuffer_get_length(buffer) - count, EVBUFFER_PTR_SET)
    let parts = Int(evbuffer_peek(buffer, count, &start, nil, 0))
    var places = [iovec](repeating: iovec(), count: max(parts, 0))
    evbuffer_peek(buffer, count, &start, &places, Int32(places.count))
    for place in places { body(UnsafeRawBufferPointer(start: place.iov_base, count: place.iov_len)) }
  }

  /// Refuses a connection, unless an answer is already on its way when the loop gets to it.
  private func refuse(_ connection: Connection, for flaw: PlainFlaw) {
    guard connection.refusal == nil else { return }
    connection.refusal = LoopEvent(on: base) { [unowned self, unowned connection] in
      connection.refusal = nil
      guard evbuffer_get_length(bufferevent_get_output(connection.stream)) == 0 else { return }
      connection.isRefused = true
      refusals.refuse(connection.stream, with: refuse(flaw))
    }
    connection.refusal?.activate()
  }

  fileprivate func countAnswer(on connection: Connection) {
    guard !connection.isAnswering, connection.errand == nil else { return }
    connection.errand = LoopEvent(on: base) { [unowned self, unowned connection] in
      connection.errand = nil
      replace(connection)
    }
    connection.errand?.activate()
  }

  /// Replaces libevent's answer with ours.
  private func replace(_ connection: Connection) {
    guard Self.isOpen(connection.stream), let output = bufferevent_get_output(connection.stream) else { return }
    // Only a bufferevent itself may change the front of its output.
    evbuffer_unfreeze(output, 1)
    defer { evbuffer_freeze(output, 1) }
    // "HTTP/1.1 501"
    var head = [UInt8](repeating: 0, count: 12)
    guard evbuffer_copyout(output, &head, head.count) == head.count,
      let status = Int(String(decoding: head.suffix(3), as: UTF8.self)), status >= 400
    else { return }
    evbuffer_drain(output, evbuffer_get_length(output))
    let answer = refuse(connection.scanner.flaw ?? .refused(status: status))
    connection.isAnswering = true
    evbuffer_add(output, answer, answer.count)
    connection.isAnswering = false
  }
}

private let connectionOpens: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> OpaquePointer? = {
  _, context in
  guard let context else { return nil }
  return Unmanaged<PlainConnections>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.open() }
}

private let bytesCame: evbuffer_cb_func = { buffer, change, context in
  guard let buffer, let change, change.pointee.n_added > 0, let context else { return }
  let connection = Unmanaged<PlainConnections.Connection>.fromOpaque(context).takeUnretainedValue()
  connection.owner._withUnsafeGuaranteedRef { $0.look(at: connection, buffer, added: change.pointee.n_added) }
}

private let bytesAreToGo: evbuffer_cb_func = { _, change, context in
  guard let change, change.pointee.n_added > 0, let context else { return }
  let connection = Unmanaged<PlainConnections.Connection>.fromOpaque(context).takeUnretainedValue()
  connection.owner._withUnsafeGuaranteedRef { $0.countAnswer(on: connection) }
}
