import CLibevent
import WireFormats

/// A plain HTTP/1.1 server on the main loop, provided by libevent, for the admin API.
///
/// Converts requests into values and values into answers; it knows no routes. Used on the main loop.
package final class PlainServer {
  /// The callbacks of the server.
  package struct Owner {
    /// Nil if the answer follows by the reply.
    package typealias Answer = (PlainRequest, PlainReply) -> HTTPResponse?

    package let answer: Answer
    package let refuse: (PlainFlaw) -> HTTPResponse
    /// Called when the process is out of descriptors, or when there are connections beyond the limit: once for as long
    /// as that lasts.
    package let trouble: (PlainTrouble) -> Void

    package init(
      answer: @escaping Answer, refuse: @escaping (PlainFlaw) -> HTTPResponse,
      trouble: @escaping (PlainTrouble) -> Void
    ) {
      self.answer = answer
      self.refuse = refuse
      self.trouble = trouble
    }
  }

  package enum PlainTrouble: Hashable, Sendable {
    case outOfDescriptors
    case tooManyConnections(limit: Int)
  }

  /// The actual port.
  package let port: Int

  /// Kept, because evhttp removes its connections from the loop when it is freed.
  private let main: MainLoop
  private let http: OpaquePointer
  private let connections: PlainConnections
  private let streams: PlainStreams
  private let owner: Owner
  private var rest: ListenerBackoff?
  private let replies = Mailbox<LateAnswer>()
  private var reader: MailboxReader<LateAnswer>?
  private var waiting: [UInt64: WaitingRequest] = [:]
  private var served: UInt64 = 0

  /// A request to be answered later. libevent frees it with its connection, of which nothing is read meanwhile.
  private struct WaitingRequest {
    let request: UnsafeMutablePointer<evhttp_request>
    let closes: Bool
    let client: WaitingClient
    /// Notices that the client has closed the connection.
    let watch: LoopEvent
  }

  /// The answer to a request that waits.
  private struct LateAnswer: Sendable {
    let number: UInt64
    let response: HTTPResponse
    /// Supplies the body, if it is sent part by part.
    let feed: (any PlainFeed)?
  }

  /// Bytes. Orders are small; a list of tokens to register is not sent in one request.
  static let largestBody = 1 << 20
  static let largestHead = 16 * 1024
  /// Bytes that a client may send while its request waits, less than the system takes.
  private static let mostUnread = 32 * 1024
  /// Seconds without data until a connection is closed.
  private static let patience: Int32 = 60
  private static let allMethods: [evhttp_cmd_type] = [
    EVHTTP_REQ_GET, EVHTTP_REQ_POST, EVHTTP_REQ_HEAD, EVHTTP_REQ_PUT, EVHTTP_REQ_DELETE, EVHTTP_REQ_OPTIONS,
    EVHTTP_REQ_TRACE, EVHTTP_REQ_CONNECT, EVHTTP_REQ_PATCH,
  ]

  /// - Parameter limit: maximum number of open connections; further ones are answered 503 and closed.
  package init(on main: MainLoop, at bound: BoundSocket, limit: Int, owner: Owner) throws(ListenFailure) {
    let flags = UInt32(LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC)
    // Before evhttp: `deinit` runs only after complete initialization, so earlier failures are cleaned up here.
    let backlog = Int32(min(limit, Self.longestBacklog))
    guard let listener = evconnlistener_new(main.base, nil, nil, flags, backlog, bound.descriptor) else {
      let failure = ListenFailure.current(host: bound.host, port: bound.port)
      evutil_closesocket(bound.descriptor)
      throw failure
    }
    guard let http = evhttp_new(main.base) else {
      evconnlistener_free(listener)
      throw .other(host: bound.host, port: bound.port, reason: "libevent has no memory")
    }
    self.main = main
    self.http = http
    self.owner = owner
    self.port = bound.port
    var crowding = BurstDetector()
    connections = PlainConnections(
      on: main.base, limit: limit,
      crowded: { if crowding.begins() { owner.trouble(.tooManyConnections(limit: limit)) } },
      refuse: { Self.bytes(of: owner.refuse($0)) })
    streams = PlainStreams(on: main, connections)
    connections.attach(to: http)
    evhttp_set_max_body_size(http, Self.largestBody)
    evhttp_set_max_headers_size(http, Self.largestHead)
    evhttp_set_timeout(http, Self.patience)
    // All methods, so that an unknown one gets our error text.
    evhttp_set_allowed_methods(http, Self.allMethods.reduce(0) { $0 | UInt16($1.rawValue) })
    evhttp_set_default_content_type(http, nil)
    evhttp_set_gencb(http, requestCame, Unmanaged.passUnretained(self).toOpaque())
    evhttp_bind_listener(http, listener)
    rest = ListenerBackoff(of: listener) { owner.trouble(.outOfDescriptors) }
    reader = MailboxReader(replies, on: main.base) { [unowned self] in read($0) }
  }

  deinit {
    reader = nil
    rest = nil
    for one in waiting.values { one.client.leave() }
    // Their watches use sockets that evhttp closes.
    waiting = [:]
    streams.end()
    connections.end()
    evhttp_free(http)
    // Before the loop may be freed, because they use it.
    connections.forget()
  }

  private static let longestBacklog = 128

  fileprivate func serve(_ request: UnsafeMutablePointer<evhttp_request>) {
    let asked = PlainRequest(request)
    let flaw = connections.flaw(of: request) ?? PlainFlaw(asked.headers)
    let closes = flaw != nil || asked.mayHaveUnreadBody
    served += 1
    let client = WaitingClient()
    let later = PlainReply(to: client) { [replies, number = served] in
      replies.post(LateAnswer(number: number, response: $0, feed: $1))
    }
    guard let response = flaw.map(owner.refuse) ?? owner.answer(asked, later) else {
      return wait(request, for: client, number: served, closes: closes)
    }
    reply(to: request, with: response, closes: closes)
  }

  private func wait(
    _ request: UnsafeMutablePointer<evhttp_request>, for client: WaitingClient, number: UInt64, closes: Bool
  ) {
    guard let connection = evhttp_request_get_connection(request),
      let stream = evhttp_connection_get_bufferevent(connection)
    else { return }
    // evhttp ends the process if it reads now, and neither this nor libevent's events may mix with an edge-triggered
    // one. Sending the answer enables both again; until then, "100 Continue" may wait.
    bufferevent_disable(stream, Int16(EV_READ | EV_WRITE))
    let socket = Socket(descriptor: bufferevent_getfd(stream))
    // Edge-triggered: it fires once for data present, and again for new data, including the client's close.
    let watch = LoopEvent(
      on: main.base, descriptor: socket.descriptor, events: EV_READ | EV_ET | EV_PERSIST
    ) { [unowned self] in
      // Behind more than the system takes, the end would not be seen.
      if socket.otherEndIsGone || socket.hasUnread(Self.mostUnread) { abandon(number) }
    }
    waiting[number] = WaitingRequest(request: request, closes: closes, client: client, watch: watch)
    watch.add()
  }

  /// Closes the connection of a waiting request whose client has gone.
  private func abandon(_ number: UInt64) {
    guard let gone = waiting.removeValue(forKey: number) else { return }
    gone.client.leave()
    gone.watch.cancel()
    evhttp_connection_free(evhttp_request_get_connection(gone.request))
  }

  private func read(_ answer: LateAnswer) {
    guard let ready = waiting.removeValue(forKey: answer.number) else { return }
    ready.watch.cancel()
    if let feed = answer.feed {
      evhttp_connection_set_closecb(
        evhttp_request_get_connection(ready.request), connectionClosed, Unmanaged.passUnretained(self).toOpaque())
      addHeaders(answer.response, to: ready.request, closes: true)
      streams.begin(ready.request, status: answer.response.status, feed)
      return
    }
    reply(to: ready.request, with: answer.response, closes: ready.closes)
  }

  /// Calls `body` when all answers that it was given before are written to their sockets.
  package func whenWritten(_ body: @escaping () -> Void) {
    guard replies.isEmpty, !connections.hasUnwritten else {
      main.after(Self.writing) { [unowned self] in whenWritten(body) }
      return
    }
    body()
  }

  /// The time between two looks at what is unwritten.
  private static let writing: Duration = .milliseconds(5)

  fileprivate func forget(_ connection: OpaquePointer) { streams.forget(connection) }

  private func reply(to request: UnsafeMutablePointer<evhttp_request>, with response: HTTPResponse, closes: Bool) {
    addHeaders(response, to: request, closes: closes)
    connections.answer(request) {
      guard let buffer = evbuffer_new() else {
        evhttp_send_error(request, 500, nil)
        return
      }
      defer { evbuffer_free(buffer) }
      evbuffer_add(buffer, response.body, response.body.count)
      evhttp_send_reply(request, Int32(response.status), nil, buffer)
    }
  }

  private func addHeaders(
    _ response: HTTPResponse, to request: UnsafeMutablePointer<evhttp_request>, closes: Bool
  ) {
    let headers = evhttp_request_get_output_headers(request)
    if closes { evhttp_add_header(headers, "connection", "close") }
    for field in response.fields.list { evhttp_add_header(headers, field.name, field.value) }
  }

  /// A complete HTTP/1.1 answer that ends the connection.
  private static func bytes(of response: HTTPResponse) -> [UInt8] {
    let name =
      switch response.status {
      case 413: "Content Too Large"
      case 501: "Not Implemented"
      case 503: "Service Unavailable"
      default: "Bad Request"
      }
    var head = "HTTP/1.1 \(response.status) \(name)\r\nconnection: close\r\n"
    for field in response.fields.list { head += "\(field.name): \(field.value)\r\n" }
    head += "content-length: \(response.body.count)\r\n\r\n"
    return Array(head.utf8) + response.body
  }
}

private let requestCame: @convention(c) (UnsafeMutablePointer<evhttp_request>?, UnsafeMutableRawPointer?) -> Void = {
  request, context in
  guard let request, let context else { return }
  Unmanaged<PlainServer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.serve(request) }
}

private let connectionClosed: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void = {
  connection, context in
  guard let connection, let context else { return }
  Unmanaged<PlainServer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.forget(connection) }
}
