import CLibevent
import WireFormats

/// A plain HTTP/1.1 server on the main loop, libevent's own: the door of the admin API.
///
/// It turns requests into values and values into answers, and knows no route. It lives on the main loop.
package final class PlainServer {
  package typealias Answer = (PlainRequest) -> HTTPResponse

  /// The port that is really bound.
  package let port: Int

  /// Kept, for evhttp takes its connections out of the loop when it is freed.
  private let main: MainLoop
  private let http: OpaquePointer
  private let answer: Answer
  private var rest: ListenerRest?

  /// Bytes. Orders to the world are small; a list of tokens to register is not sent in one request.
  private static let largestBody = 1 << 20
  private static let largestHead = 16 * 1024
  /// Seconds without a byte until a connection is closed.
  private static let patience: Int32 = 60
  private static let allMethods: [evhttp_cmd_type] = [
    EVHTTP_REQ_GET, EVHTTP_REQ_POST, EVHTTP_REQ_HEAD, EVHTTP_REQ_PUT, EVHTTP_REQ_DELETE, EVHTTP_REQ_OPTIONS,
    EVHTTP_REQ_TRACE, EVHTTP_REQ_CONNECT, EVHTTP_REQ_PATCH,
  ]

  /// - Parameter failed: called when the process is out of descriptors, once for as long as that lasts.
  package init(
    on main: MainLoop, host: String, port: Int, failed: @escaping () -> Void, answer: @escaping Answer
  ) throws(ListenFailure) {
    let bound = try BoundSocket(host: host, port: port)
    guard let http = evhttp_new(main.base) else {
      evutil_closesocket(bound.descriptor)
      throw .other(host: host, port: port, reason: "libevent has no memory")
    }
    self.main = main
    self.http = http
    self.answer = answer
    self.port = bound.port
    evhttp_set_max_body_size(http, Self.largestBody)
    evhttp_set_max_headers_size(http, Self.largestHead)
    evhttp_set_timeout(http, Self.patience)
    // All of them, so that a wrong one is answered in our words.
    evhttp_set_allowed_methods(http, Self.allMethods.reduce(0) { $0 | UInt16($1.rawValue) })
    evhttp_set_default_content_type(http, nil)
    evhttp_set_gencb(http, requestCame, Unmanaged.passUnretained(self).toOpaque())
    let flags = UInt32(LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC)
    guard let listener = evconnlistener_new(main.base, nil, nil, flags, Self.backlog, bound.descriptor) else {
      let failure = ListenFailure.current(host: host, port: port)
      evhttp_free(http)
      evutil_closesocket(bound.descriptor)
      throw failure
    }
    evhttp_bind_listener(http, listener)
    rest = ListenerRest(of: listener, failed: failed)
  }

  deinit {
    rest = nil
    evhttp_free(http)
  }

  private static let backlog: Int32 = 128

  fileprivate func serve(_ request: UnsafeMutablePointer<evhttp_request>) {
    let asked = PlainRequest(request)
    let response = answer(asked)
    let headers = evhttp_request_get_output_headers(request)
    if asked.mayHaveUnreadBody { evhttp_add_header(headers, "connection", "close") }
    for field in response.fields.list { evhttp_add_header(headers, field.name, field.value) }
    guard let buffer = evbuffer_new() else {
      evhttp_send_error(request, 500, nil)
      return
    }
    defer { evbuffer_free(buffer) }
    evbuffer_add(buffer, response.body, response.body.count)
    evhttp_send_reply(request, Int32(response.status), nil, buffer)
  }
}

/// A request as it came to a `PlainServer`.
package struct PlainRequest: Sendable {
  package let method: String
  /// Path and query, still encoded.
  package let target: String
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]

  init(_ request: UnsafeMutablePointer<evhttp_request>) {
    method = Self.name(of: evhttp_request_get_command(request))
    target = evhttp_request_get_uri(request).map { String(cString: $0) } ?? "/"
    var headers: [(name: String, value: String)] = []
    var entry = evhttp_request_get_input_headers(request)?.pointee.tqh_first
    while let field = entry {
      if let name = field.pointee.key, let value = field.pointee.value {
        headers.append((String(cString: name).lowercased(), String(cString: value)))
      }
      entry = field.pointee.next.tqe_next
    }
    self.headers = headers
    let buffer = evhttp_request_get_input_buffer(request)
    let count = evbuffer_get_length(buffer)
    body = [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
      initialized = count == 0 ? 0 : max(0, Int(evbuffer_remove(buffer, bytes.baseAddress, count)))
    }
  }

  /// libevent reads no body for some methods even when one was sent; what is left of it would be taken for the next
  /// request of the connection.
  var mayHaveUnreadBody: Bool {
    let bodies = ["POST", "PUT", "PATCH"]
    return !bodies.contains(method) && (self["transfer-encoding"] != nil || (self["content-length"] ?? "0") != "0")
  }

  package subscript(header: String) -> String? { headers.first { $0.name == header }?.value }

  private static func name(of command: evhttp_cmd_type) -> String {
    switch command {
    case EVHTTP_REQ_GET: "GET"
    case EVHTTP_REQ_POST: "POST"
    case EVHTTP_REQ_HEAD: "HEAD"
    case EVHTTP_REQ_PUT: "PUT"
    case EVHTTP_REQ_DELETE: "DELETE"
    case EVHTTP_REQ_OPTIONS: "OPTIONS"
    case EVHTTP_REQ_TRACE: "TRACE"
    case EVHTTP_REQ_CONNECT: "CONNECT"
    case EVHTTP_REQ_PATCH: "PATCH"
    default: "UNKNOWN"
    }
  }
}

private let requestCame: @convention(c) (UnsafeMutablePointer<evhttp_request>?, UnsafeMutableRawPointer?) -> Void = {
  request, context in
  guard let request, let context else { return }
  Unmanaged<PlainServer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.serve(request) }
}
