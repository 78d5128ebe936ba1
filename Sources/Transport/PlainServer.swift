import CLibevent
import WireFormats

/// A plain HTTP/1.1 server on the main loop, provided by libevent, for the admin API.
///
/// Converts requests into values and values into answers; it knows no routes. Used on the main loop.
package final class PlainServer {
  /// Its callbacks.
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
  private let replies = Mailbox<PlainReply.Letter>()
  private var reader: MailboxReader<PlainReply.Letter>?
  /// Requests to be answered later. libevent reads nothing more from their connections, and frees the requests with
  /// them.
  private var waiting: [UInt64: (request: UnsafeMutablePointer<evhttp_request>, closes: Bool)] = [:]
  private var served: UInt64 = 0

  /// Bytes. Orders are small; a list of tokens to register is not sent in one request.
  static let largestBody = 1 << 20
  static let largestHead = 16 * 1024
  /// Seconds without data until a connection is closed.
  private static let patience: Int32 = 60
  private static let allMethods: [evhttp_cmd_type] = [
    EVHTTP_REQ_GET, EVHTTP_REQ_POST, EVHTTP_REQ_HEAD, EVHTTP_REQ_PUT, EVHTTP_REQ_DELETE, EVHTTP_REQ_OPTIONS,
    EVHTTP_REQ_TRACE, EVHTTP_REQ_CONNECT, EVHTTP_REQ_PATCH,
  ]

  /// - Parameter limit: maximum number of open connections; further ones are closed at once.
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
    for (request, _) in waiting.values {
      evhttp_connection_set_closecb(evhttp_request_get_connection(request), nil, nil)
    }
    streams.end()
    evhttp_free(http)
    // Before the loop may be freed, because they use it.
    connections.forget()
  }

  private static let longestBacklog = 128

  fileprivate func serve(_ request: UnsafeMutablePointer<evhttp_request>) {
    let asked = PlainRequest(request)
    let flaw = connections.hasNUL(request) ? .nul : PlainFlaw(asked.headers)
    let closes = flaw != nil || asked.mayHaveUnreadBody
    served += 1
    let later = PlainReply(number: served, mailbox: replies)
    guard let response = flaw.map(owner.refuse) ?? owner.answer(asked, later) else {
      waiting[served] = (request, closes: closes)
      evhttp_connection_set_closecb(
        evhttp_request_get_connection(request), connectionClosed, Unmanaged.passUnretained(self).toOpaque())
      return
    }
    reply(to: request, with: response, closes: closes)
  }

  private func read(_ letter: PlainReply.Letter) {
    guard let (request, closes) = waiting.removeValue(forKey: letter.number) else { return }
    if let feed = letter.feed {
      addHeaders(letter.response, to: request, closes: true)
      streams.begin(request, status: letter.response.status, feed)
      return
    }
    evhttp_connection_set_closecb(evhttp_request_get_connection(request), nil, nil)
    reply(to: request, with: letter.response, closes: closes)
  }

  fileprivate func forget(_ connection: OpaquePointer) {
    waiting = waiting.filter { evhttp_request_get_connection($0.value.request) != connection }
    streams.forget(connection)
  }

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
    let name = response.status == 413 ? "Content Too Large" : response.status == 501 ? "Not Implemented" : "Bad Request"
    var head = "HTTP/1.1 \(response.status) \(name)\r\nconnection: close\r\n"
    for field in response.fields.list { head += "\(field.name): \(field.value)\r\n" }
    head += "content-length: \(response.body.count)\r\n\r\n"
    return Array(head.utf8) + response.body
  }
}

/// Answers one request of a `PlainServer` later, from any thread; no effect if the client has disconnected.
package struct PlainReply: Sendable {
  struct Letter: Sendable {
    let number: UInt64
    let response: HTTPResponse
    /// Supplies the body, if it is sent part by part.
    var feed: (any PlainFeed)?
  }

  let number: UInt64
  let mailbox: Mailbox<Letter>

  package func send(_ response: HTTPResponse) { mailbox.post(Letter(number: number, response: response)) }

  /// Sends an answer part by part. The feed is released with its last part, or when the client has disconnected.
  package func send(_ head: HTTPResponse, then feed: any PlainFeed) {
    mailbox.post(Letter(number: number, response: head, feed: feed))
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
