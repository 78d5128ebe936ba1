/// Limits for the apps' calls, and the hosts they may call.
package struct AppCallerOptions: Hashable, Sendable {
  /// Maximum number of calls in flight, and of open connections.
  package var connections = 64
  /// Maximum number of calls in flight to one host and port, and of open connections to them.
  package var connectionsPerHost = 64
  /// Maximum number of calls waiting for a connection.
  package var queue = 20_000
  /// Maximum size of an answer's body in bytes. A longer answer is a failure.
  package var largestAnswer = 64 * 1024
  /// Maximum time in seconds for which a reused connection may have been idle. Servers close idle connections after 5 s
  /// (Node, uvicorn, Apache) or more; a request that meets the close is lost, because requests are never repeated.
  package var idleSeconds = 3
  /// Hosts beyond this machine's loopback that may be called: names or addresses, without a port.
  package var allowedHosts: [String] = []
  /// PEM file of the authorities to trust for backends with TLS; nil for the system's.
  package var authority: String?
  /// Addresses assigned to names, each `HOST:PORT:ADDRESS`.
  package var addresses: [String] = []

  package init() {}

  /// The host of a URL, if it is neither this machine nor allowed by name, so that calls to it are refused.
  ///
  /// - Returns: nil if the host may be called, or if the URL is invalid.
  package func refusedHost(of url: String) -> String? {
    guard let target = try? CallTarget(url) else { return nil }
    return OutboundAllowList(allowedHosts: allowedHosts).mayCall(target.host) ? nil : target.host
  }

  /// The first invalid option; nil if all are valid.
  var complaint: String? {
    for (name, value, most) in [
      ("connections", connections, 10_000), ("connectionsPerHost", connectionsPerHost, 10_000),
      ("largestAnswer", largestAnswer, 1 << 30), ("idleSeconds", idleSeconds, 86_400),
    ] where !(1...most).contains(value) {
      return "\(name) is \(value); it must be from 1 to \(most)"
    }
    guard (0...10_000_000).contains(queue) else { return "queue is \(queue); it must be from 0 to 10000000" }
    for host in allowedHosts where !OutboundAllowList.isHost(host) {
      return "allowedHosts has \"\(host)\"; a host must be a name or an address, without scheme, port or path"
    }
    for entry in addresses where entry.split(separator: ":", maxSplits: 2).count != 3 {
      return "addresses has \"\(entry)\"; it must be HOST:PORT:ADDRESS"
    }
    return nil
  }
}

/// The reason why no calls can be made.
package struct AppCallerFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}
