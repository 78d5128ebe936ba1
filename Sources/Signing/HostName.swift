#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A name for a certificate: a DNS name, possibly with a leading wildcard, or an IP address.
package enum HostName: Hashable, CustomStringConvertible {
  case dns(String)
  /// 4 or 16 bytes in network order.
  case address([UInt8])

  package init(_ text: String) throws(SigningFailure) {
    if let address = Self.address(text) {
      self = .address(address)
    } else if let name = Self.dnsName(text.hasPrefix("*.") ? String(text.dropFirst(2)) : text) {
      let isWildcard = text.hasPrefix("*.")
      guard !isWildcard || !Self.isPublic(name) else { throw .wildcardTooWide(text: text) }
      self = .dns(isWildcard ? "*." + name : name)
    } else {
      throw .badName(text: text)
    }
  }

  package var description: String {
    switch self {
    case .dns(let name): name
    case .address(let bytes): Self.text(ofAddress: bytes)
    }
  }

  /// In OpenSSL's configuration language (x509v3_config(5)).
  var configuration: String {
    switch self {
    case .dns(let name): "DNS:" + name
    case .address(let bytes): "IP:" + Self.text(ofAddress: bytes)
    }
  }

  static func address(_ text: String) -> [UInt8]? {
    guard !text.utf8.contains(0) else { return nil }
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, text, &bytes) == 1 { return bytes }
    }
    return nil
  }

  static func text(ofAddress bytes: [UInt8]) -> String {
    // Room for the longest IPv6 text and a terminator: INET6_ADDRSTRLEN.
    var text = [CChar](repeating: 0, count: 46)
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard bytes.count == 4 || bytes.count == 16,
      let written = inet_ntop(family, bytes, &text, socklen_t(text.count))
    else { return "?" }
    return withExtendedLifetime(text) { String(cString: written) }
  }

  /// `text` in lower case if it is a host name (RFC 1123 2.1, plus underscores for container names) whose last label
  /// cannot be mistaken for the end of an IPv4 address.
  static func dnsName(_ text: String) -> String? {
    let labels = text.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    let sound = labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy(isLetterOfNames)
    }
    guard sound, text.utf8.count <= 253, let last = labels.last, !last.allSatisfy(\.isNumber) else { return nil }
    return labels.joined(separator: ".")
  }

  /// True if strangers register names below this one: it has one label, or it looks like the second level of a country.
  ///
  /// Browsers had the second rule for cookies before there was a list of public suffixes. It also rejects a domain such
  /// as abc.de, and does not know longer ones such as gouv.fr; for those, the CA's deleted key has to be enough.
  static func isPublic(_ name: String) -> Bool {
    let labels = name.split(separator: ".")
    guard labels.count == 2 else { return labels.count < 2 }
    return labels[1].utf8.count == 2 && labels[0].utf8.count <= 3
  }

  private static func isLetterOfNames(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
