/// One line of a CA's name constraints (RFC 5280 4.2.1.10): a DNS name with everything below it, or a network.
enum PermittedName: Hashable, CustomStringConvertible {
  case dns(String)
  /// The network's first address, 4 or 16 bytes, and how many leading bits are fixed.
  case network([UInt8], bits: Int)

  /// Reads a DNS name, an IP address, or a network as address/bits. A network of all addresses is no limit and is
  /// refused.
  init(_ text: String) throws(SigningFailure) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    if let address = HostName.address(String(parts[0])) {
      let all = address.count * 8
      guard let bits = parts.count == 1 ? all : Int(parts[1]), (1...all).contains(bits) else {
        throw .badPermittedName(text: text)
      }
      self = .network(Self.masked(address, bits), bits: bits)
    } else if let name = HostName.dnsName(text) {
      self = .dns(name)
    } else {
      throw .badPermittedName(text: text)
    }
  }

  /// - Parameter bytes: an address and a mask of the same length, as certificates hold them.
  init?(addressAndMask bytes: [UInt8]) {
    guard bytes.count == 8 || bytes.count == 32 else { return nil }
    let mask = Array(bytes[(bytes.count / 2)...])
    let bits = mask.reduce(0) { $0 + $1.nonzeroBitCount }
    guard mask == Self.masked([UInt8](repeating: 0xFF, count: mask.count), bits) else { return nil }
    self = .network(Self.masked(Array(bytes[..<(bytes.count / 2)]), bits), bits: bits)
  }

  var description: String {
    switch self {
    case .dns(let name): name
    case .network(let address, let bits): "\(HostName.text(ofAddress: address))/\(bits)"
    }
  }

  /// As OpenSSL's configuration language names it: a network with its mask spelt out.
  var configuration: String {
    switch self {
    case .dns(let name): return "permitted;DNS:" + name
    case .network(let address, let bits):
      let mask = Self.masked([UInt8](repeating: 0xFF, count: address.count), bits)
      return "permitted;IP:\(HostName.text(ofAddress: address))/\(HostName.text(ofAddress: mask))"
    }
  }

  func permits(_ name: HostName) -> Bool {
    switch (self, name) {
    case (.dns(let base), .dns(let name)):
      let fixed = name.hasPrefix("*.") ? String(name.dropFirst(2)) : name
      return fixed == base || fixed.hasSuffix("." + base)
    case (.network(let network, let bits), .address(let address)):
      return address.count == network.count && Self.masked(address, bits) == network
    default: return false
    }
  }

  /// `address` with everything after its first `bits` bits cleared.
  private static func masked(_ address: [UInt8], _ bits: Int) -> [UInt8] {
    address.enumerated().map { index, byte in
      let kept = min(8, max(0, bits - 8 * index))
      return byte & ~(0xFF >> UInt8(kept))
    }
  }
}
