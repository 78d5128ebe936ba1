import HTTP2

/// The pushes of a load run, and the connections, the rate and the time for sending them.
package struct SendingOrder: Sendable {
  /// The destination of the requests.
  package enum Target: Sendable {
    /// Device tokens, in hexadecimal digits.
    case tokens([String])
    /// The channels of an app, by its bundle id.
    case broadcasts(String)

    fileprivate var paths: RequestPaths {
      switch self {
      case .tokens(let tokens): RequestPaths(prefix: "/3/device/", tokens)
      case .broadcasts(let app): RequestPaths(prefix: "/4/broadcasts/apps/", [app])
      }
    }

    fileprivate var idName: String {
      switch self {
      case .tokens: "apns-id"
      case .broadcasts: "apns-request-id"
      }
    }
  }

  /// The name in the server's certificate, or an address.
  package var host: String
  /// The addresses of the host, in the order in which they are tried.
  package var addresses: [PeerAddress]
  package var authority: String
  package var tls: ClientTLSContext
  package var fields: [(name: String, value: String)]
  let paths: RequestPaths
  /// The field with the id of a request.
  let idName: String
  /// The body of the push with a number.
  package var body: @Sendable (UInt64) -> [UInt8] = { _ in [] }
  /// The first 24 characters of every id, the rest being the push's number; nil if the server makes the ids.
  package var idPrefix: String?
  package var connections = 1
  package var streams = 1
  package var threads = 1
  /// Nil for as fast as possible.
  package var rate: SendingRate?
  package var count: UInt64?
  package var duration: Duration?

  package init(
    host: String, addresses: [PeerAddress], port: Int, tls: ClientTLSContext,
    fields: [(name: String, value: String)], target: Target
  ) {
    self.host = host
    self.addresses = addresses
    authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    self.tls = tls
    self.fields = fields
    paths = target.paths
    idName = target.idName
  }
}
