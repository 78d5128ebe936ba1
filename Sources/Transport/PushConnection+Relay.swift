import HTTP2
import WireFormats

/// Connections of a relay: a load balancer that has ended TLS for a client.
///
/// The client's certificate is in the field `client-cert` of each request (RFC 9440) and identifies the client; without
/// the field, the client has presented none. So the upper layer is told of the connection with its first request. A
/// relay that sends requests of several clients on one connection would make them one client: such a connection is
/// aborted. So is one whose request has the field twice: a relay that adds the field without removing the client's own
/// would let a client name itself.
extension PushConnection {
  /// The preface may follow in any number of pieces; SETTINGS are sent at once.
  func openedByRelay() {
    var options = loop.options.session
    // Otherwise a relay opens a connection for each push, as it cannot know that more streams are allowed later.
    options.announcedStreams = options.streamCap
    options.strictStreams = false
    begin(HTTP2Session(options, pool: loop.pool))
  }

  /// Tells the upper layer of a relay's connection when its first requests are there.
  ///
  /// - Returns: false if the connection was aborted.
  func identify(_ session: HTTP2Session) -> Bool {
    guard case .relayed = stream else { return true }
    if !isAnnounced {
      let isKnown = !session.arrived.isEmpty || !session.ignored.isEmpty || !session.unserved.isEmpty
      guard isKnown else { return true }
      if let first = session.arrived.first {
        guard let field = RelayedIdentity.field(of: first.request) else { return abortRelay(.twice) }
        identity = field.value
      }
      var certificate: ClientCertificate?
      if let identity {
        certificate = RelayedIdentity.certificate(identity)
        if certificate == nil { return abortRelay(.unreadable) }
      }
      announce(TLSInfo(version: "unknown", alpn: .h2, clientCertificate: certificate))
      applyEffects()
    }
    for request in session.arrived {
      guard let field = RelayedIdentity.field(of: request.request) else { return abortRelay(.twice) }
      guard field.value == identity else { return abortRelay(.mixed) }
    }
    return true
  }

  private func abortRelay(_ flaw: RelayFlaw) -> Bool {
    report(.relay(flaw))
    socket.resetOnClose()
    end(.trouble)
    return false
  }
}

/// What a relay does wrong.
package enum RelayFlaw: Hashable, Sendable {
  /// The field is not a certificate.
  case unreadable
  /// Requests of several clients on one connection.
  case mixed
  /// Two fields in one request.
  case twice

  var sentence: String {
    switch self {
    case .unreadable:
      "the relay sent a client-cert field that is not a certificate between colons, in DER and base64 (RFC 9440)"
    case .mixed:
      "the relay sent requests of several clients on one connection; give each client's connection one of its own"
        + " (in HAProxy: http-reuse never)"
    case .twice:
      "the relay sent two client-cert fields in one request; it must delete the client's own before it adds one"
        + " (in HAProxy: http-request set-header)"
    }
  }
}

enum RelayedIdentity {
  struct Field {
    /// Nil if the request does not have the field.
    var value: [UInt8]?
  }

  /// The request's `client-cert` field; nil if there are several.
  static func field(of request: HTTPRequest) -> Field? {
    let bytes = request.storage.span
    var cursor = HTTPFieldCursor()
    var found = Field()
    while let field = cursor.next(in: bytes, end: request.bodyStart) {
      guard bytes.holds(field.name, "client-cert") else { continue }
      guard found.value == nil else { return nil }
      found.value = bytes.copy(field.value)
    }
    return found
  }

  /// A byte sequence of RFC 8941: base64 between colons.
  static func certificate(_ value: [UInt8]) -> ClientCertificate? {
    let colon = UInt8(ascii: ":")
    guard value.count > 2, value.first == colon, value.last == colon,
      let der = Base64.decode(value[1..<(value.count - 1)])
    else { return nil }
    return ClientCertificate(der: der)
  }
}
