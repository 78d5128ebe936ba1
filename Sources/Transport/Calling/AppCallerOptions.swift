/// Bounds of the apps' calls, and whom they may call.
package struct AppCallerOptions: Hashable, Sendable {
  /// At most as many calls are in flight, and as many connections open, at any time.
  package var connections = 64
  /// The same for one host and port.
  package var connectionsPerHost = 64
  /// Calls that may wait for a connection.
  package var queue = 20_000
  /// Bytes of an answer's body. A longer one is a failure.
  package var largestAnswer = 64 * 1024
  /// Seconds that a connection may have been idle and be used again. Servers close idle ones after 5 s (Node, uvicorn,
  /// Apache) or more; a request that meets that close is lost, as nothing is sent twice.
  package var idleSeconds = 3
  /// Hosts beyond this machine's loopback that may be called: names or addresses, without a port.
  package var allowedHosts: [String] = []
  /// PEM file of the authorities that backends with TLS are trusted by; nil for the system's.
  package var authority: String?
  /// Addresses given to names by hand, each `HOST:PORT:ADDRESS`.
  package var addresses: [String] = []

  package init() {}

  /// The host of a URL, if it is neither this machine nor allowed by name, so that calls to it are refused.
  ///
  /// - Returns: nil if the host may be called, or if the URL is invalid.
  package func refusedHost(of url: String) -> String? {
    guard let target = try? CallTarget(url) else { return nil }
    return OutboundAllowList(allowedHosts: allowedHosts).mayCall(target.host) ? nil : target.host
  }

  /// What is wrong with them; nil when nothing is.
  var complaint: String? {
    for (name, value, most) in [
      ("connections", connections, 10_000), ("connectionsPerHost", connectionsPerHost, 10_000),
      ("largestAnswer", largestAnswer, 1 << 30), ("idleSeconds", idleSeconds, 86_400),
    ] where !(1...most).contains(value) {
      return "\(name) is \(value); it must be from 1 to \(most)"
    }
    guard (0...10_000_000).contains(queue) else { return "queue is \(queue); it must be from 0 to 10000000" }
    for host in allowedHosts where !OutboundAllowList.isHost(host) {
      return "allowedHosts has \"\(host)\"; a host is a name or an address, without scheme, port or path"
    }
    for entry in addresses where entry.split(separator: ":", maxSplits: 2).count != 3 {
      return "addresses has \"\(entry)\"; it must be HOST:PORT:ADDRESS"
    }
    return nil
  }
}

/// Why no calls can be made at all.
package struct AppCallerFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}
