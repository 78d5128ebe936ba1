import HTTP2
import WireFormats

/// The client of a relay's connection: a load balancer has ended TLS for it.
///
/// The client's certificate is in the field `client-cert` of each request (RFC 9440) and identifies the client; without
/// the field, the client has presented none. So the upper layer is told of the connection with its first request. A
/// relay that sends requests of several clients on one connection would make them one client: such a connection is
/// aborted. So is one whose request has the field twice: a relay that adds the field without removing the client's own
/// would let a client name itself.
struct RelayedClient {
  private struct Field {
    /// Nil if the request does not have the field.
    var value: [UInt8]?
  }

  /// The field of the first request.
  private var identity = Field()

  /// The connection has its first requests, or has streams that were not served.
  ///
  /// - Returns: the client's certificate, if it has presented one.
  mutating func firstArrived(_ requests: [IncomingRequest]) throws(RelayFlaw) -> ClientCertificate? {
    guard let first = requests.first else { return nil }
    identity = try Self.field(of: first.request)
    guard let value = identity.value else { return nil }
    guard let certificate = Self.certificate(value) else { throw .unreadable }
    return certificate
  }

  func check(_ requests: [IncomingRequest]) throws(RelayFlaw) {
    for request in requests {
      guard try Self.field(of: request.request).value == identity.value else { throw .mixed }
    }
  }

  private static func field(of request: HTTPRequest) throws(RelayFlaw) -> Field {
    let bytes = request.storage.span
    var cursor = HTTPFieldCursor()
    var found = Field()
    while let field = cursor.next(in: bytes, end: request.bodyStart) {
      guard bytes.holds(field.name, "client-cert") else { continue }
      guard found.value == nil else { throw .twice }
      found.value = bytes.copy(field.value)
    }
    return found
  }

  /// Reads a byte sequence of RFC 8941: base64 between colons.
  private static func certificate(_ value: [UInt8]) -> ClientCertificate? {
    let colon = UInt8(ascii: ":")
    guard value.count > 2, value.first == colon, value.last == colon,
      let der = Base64.decode(value[1..<(value.count - 1)])
    else { return nil }
    return ClientCertificate(der: der)
  }
}

/// A mistake of a relay.
package enum RelayFlaw: Error, Hashable, Sendable {
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
