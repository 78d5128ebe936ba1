import Grammar
import Pushpit
import Transport

/// The hosts to which a load run may send: this machine, and hosts that are named, but never Apple's.
package enum LoadHost {
  /// Checks a URL's name, before anything is sent to it or asked about it.
  ///
  /// - Parameter url: the value of a flag; nil if the flag was not used.
  package static func check(_ url: String?, allowed: [String]) throws(InputProblem) {
    guard let url else { return }
    guard let address = WebAddress(url) else {
      throw InputProblem("\(url) is not a URL such as https://localhost:2197.")
    }
    try check(name: address.host, allowed: allowed)
  }

  /// Checks the URL of a gateway and the addresses to which its name leads, before anything is sent there.
  ///
  /// - Parameter gateway: the value of `--server`; nil if the flag was not used.
  package static func admit(gateway: String?, allowed: [String]) throws {
    try GatewayURL.check(gateway)
    try admit(gateway, allowed: allowed)
  }

  /// Checks a URL's name and the addresses to which the name leads, before anything is sent there.
  package static func admit(_ url: String?, allowed: [String]) throws {
    try check(url, allowed: allowed)
    if let address = url.flatMap({ WebAddress($0) }) {
      _ = try addresses(address.host, port: address.port, allowed: allowed)
    }
  }

  private static func check(name: String, allowed: [String]) throws(InputProblem) {
    guard !ApplesNetworks.hasName(name) else { throw apples(name, name) }
    let isAllowed = allowed.contains { $0.lowercased() == name }
    guard isAllowed || OutboundAllowList.isLoopback(host: name) else {
      throw InputProblem(
        "\(name) is not this machine. If you may load the Pushpit there, use --allow-host \(name).")
    }
  }

  /// The addresses of a host that may be used.
  static func addresses(
    _ host: String, port: Int, allowed: [String]
  ) throws -> [PeerAddress] {
    try check(name: host, allowed: allowed)
    let found: (addresses: [PeerAddress], names: [String])
    do {
      found = try PeerAddress.resolve(host, port: port)
    } catch {
      throw CommandFailure("\(host) was not found: \(error).")
    }
    try check(found.addresses, names: found.names, host: host, allowed: allowed)
    return found.addresses
  }

  /// Checks the addresses and names to which a name has led.
  static func check(
    _ addresses: [PeerAddress], names: [String], host: String, allowed: [String]
  ) throws(InputProblem) {
    if let name = names.first(where: ApplesNetworks.hasName) { throw apples(host, name) }
    if let address = addresses.first(where: \.isApples) { throw apples(host, address.text) }
    if let address = addresses.first(where: { !$0.isLoopback }), !allowed.contains(where: { $0.lowercased() == host }) {
      throw InputProblem(
        "\(host) is \(address.text), which is not this machine. If you may load the Pushpit there, use "
          + "--allow-host \(host).")
    }
  }

  private static func apples(_ host: String, _ why: String) -> InputProblem {
    let reason = host == why ? "is Apple's" : "leads to Apple (\(why))"
    return InputProblem("\(host) \(reason). pushpit load never sends there, whatever the flags say.")
  }
}
