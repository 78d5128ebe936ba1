import HTTP2

/// What a load run is to send, and how.
package struct SendingOrder: Sendable {
  /// The name in the server's certificate, or an address.
  package var host: String
  /// The addresses of the host, in the order in which they are tried.
  package var addresses: [PeerAddress]
  package var authority: String
  package var tls: ClientTLSContext
  package var fields: [(name: String, value: String)]
  let paths: RequestPaths
  /// The body of the push with a number.
  package var body: @Sendable (UInt64) -> [UInt8] = { _ in [] }
  /// The first 24 characters of every `apns-id`, the rest being the push's number; nil if the server makes the ids.
  package var idPrefix: String?
  package var connections = 1
  package var streams = 1
  package var threads = 1
  /// Pushes a second; nil for as fast as possible.
  package var rate: Double?
  package var count: UInt64?
  package var duration: Duration?

  /// - Parameter tokens: the device tokens, in hexadecimal digits.
  package init(
    host: String, addresses: [PeerAddress], port: Int, tls: ClientTLSContext,
    fields: [(name: String, value: String)], tokens: [String]
  ) {
    self.host = host
    self.addresses = addresses
    authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    self.tls = tls
    self.fields = fields
    paths = RequestPaths(prefix: "/3/device/", tokens)
  }
}
