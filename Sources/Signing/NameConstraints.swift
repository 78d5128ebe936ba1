/// The names for which a CA may sign: the permitted part of its name constraints (RFC 5280 4.2.1.10).
struct NameConstraints: Hashable {
  /// DNS names, each including everything below it.
  var names: [String] = []
  /// The permitted domains of e-mail addresses; empty if these are not limited.
  var mail: [String] = []
  /// The permitted domains of URIs; empty if these are not limited.
  var locations: [String] = []
  /// True if IP addresses are limited.
  var limitsAddresses = false

  /// A name that never exists (RFC 6761 6.4): if it is the only permitted name, nothing is permitted.
  static let nowhere = "invalid"

  /// In OpenSSL's configuration language (x509v3_config(5)).
  ///
  /// IP addresses are not included. BoringSSL does not support constraints of that kind and rejects every certificate
  /// with an address under a CA that has one. (Observed with curl_cffi and swift-nio-ssl: "unsupported name constraint
  /// type".) The price: such a CA could sign for any IP address. Therefore its key is not kept.
  var configuration: String {
    let all = names.map { "DNS:" + $0 } + mail.map { "email:" + $0 } + locations.map { "URI:" + $0 }
    return all.map { "permitted;" + $0 }.joined(separator: ",")
  }

  func permits(_ host: HostName) -> Bool {
    switch host {
    case .address: return !limitsAddresses
    case .dns(let name):
      let fixed = name.hasPrefix("*.") ? String(name.dropFirst(2)) : name
      return names.contains { fixed == $0 || fixed.hasSuffix("." + $0) }
    }
  }
}
