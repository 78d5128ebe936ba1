import Grammar

/// The address at which load balancers that end TLS reach the server.
public enum RelayAddress: Hashable, Sendable {
  case port(host: String, UInt16)
  /// A Unix socket.
  case path(String)

  /// Whoever reaches the listener can claim to be any client, so a port alone means loopback.
  public static let usualHost = "127.0.0.1"

  /// As a setting: `2199`, `10.0.0.4:2199`, `[::1]:2199` or `/run/pushpit/relay.sock`. Nil for any other text.
  public init?(_ text: String) {
    if text.hasPrefix("/"), !text.utf8.contains(0) {
      self = .path(text)
      return
    }
    let colon = text.lastIndex(of: ":")
    var host = colon.map { String(text[..<$0]) } ?? Self.usualHost
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
    let isHost = host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".:-".contains($0)) }
    guard isHost, !host.isEmpty, !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(digits)
    else { return nil }
    self = .port(host: host, port)
  }

  /// With its host, even if that is the usual one.
  public var text: String {
    switch self {
    case .path(let path): path
    case .port(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
  }
}

extension Form where Value == RelayAddress {
  static var relay: Form {
    Form(
      "address",
      read: { text in
        guard let address = RelayAddress(text) else {
          throw ValueProblem(
            wanted: "a port such as 2199 (0: any free port), an address and a port such as 10.0.0.4:2199, or the path"
              + " of a Unix socket such as /run/pushpit/relay.sock")
        }
        return address
      }, write: \.text)
  }
}
