import CLibevent

/// A request received by a `PlainServer`.
package struct PlainRequest: Sendable {
  package let method: String
  /// Path and query, still encoded.
  package let target: String
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]
  /// Nil if the client has gone already.
  package let peer: SocketPeer?

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
    let stream = evhttp_request_get_connection(request).flatMap(evhttp_connection_get_bufferevent)
    peer = stream.flatMap { SocketPeer(of: bufferevent_getfd($0)) }
    let buffer = evhttp_request_get_input_buffer(request)
    let count = evbuffer_get_length(buffer)
    body = [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
      initialized = count == 0 ? 0 : max(0, Int(evbuffer_remove(buffer, bytes.baseAddress, count)))
    }
  }

  /// libevent does not read the body for some methods even if one was sent; the rest would be taken for the
  /// connection's next request.
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
