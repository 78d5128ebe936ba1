import CCurl

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The hosts that apps may call: this machine, and named hosts.
package struct OutboundAllowList {
  private let named: Set<String>

  init(allowedHosts: [String]) { named = Set(allowedHosts.map(Self.plain)) }

  /// Checks the name in the URL, before it is resolved.
  func mayCall(_ host: String) -> Bool {
    named.contains(host) || Self.isLoopback(host: host)
  }

  /// True if a name or address can only be this machine.
  package static func isLoopback(host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost")
      || address(host).map { $0.withUnsafeBytes(isLoopback) } == true
  }

  /// True if a connection for this host may leave this machine.
  func mayLeave(for host: String) -> Bool { named.contains(host) }

  /// 4 or 16 bytes in network order. An IPv4 address mapped into IPv6 counts as the IPv4 address.
  static func isLoopback(_ address: UnsafeRawBufferPointer) -> Bool {
    if address.count == 4 { return address[0] == 127 }
    guard address.count == 16, address[..<10].allSatisfy({ $0 == 0 }) else { return false }
    if address[10] == 0xFF, address[11] == 0xFF { return address[12] == 127 }
    return address[10..<15].allSatisfy { $0 == 0 } && address[15] == 1
  }

  /// The bytes of a numeric address; nil for a name.
  private static func address(_ text: String) -> [UInt8]? {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, text, &bytes) == 1 { return bytes }
    }
    return nil
  }

  /// Normalised for comparison: lower case, no brackets, no trailing dot.
  static func plain(_ host: String) -> String {
    var host = host.lowercased()[...]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    if host.hasSuffix(".") { host = host.dropLast() }
    return String(host)
  }

  static func isHost(_ text: String) -> Bool {
    let host = plain(text)
    if address(host) != nil { return true }
    return !host.isEmpty
      && host.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
      }
  }
}

extension OutboundAllowList {
  /// Checks the address that a socket is about to connect to.
  static func isLoopback(_ target: UnsafePointer<curl_sockaddr>) -> Bool {
    bytes(of: target).map(isLoopback) == true
  }

  /// Only IPv4 and IPv6 have address bytes.
  private static func bytes(of target: UnsafePointer<curl_sockaddr>) -> UnsafeRawBufferPointer? {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    // The field is declared as the shortest address type; its actual length is in another field.
    let address = UnsafeRawBufferPointer(
      start: UnsafeRawPointer(target) + offset, count: Int(target.pointee.addrlen))
    switch target.pointee.family {
    case AF_INET where address.count >= 8: return UnsafeRawBufferPointer(rebasing: address[4..<8])
    case AF_INET6 where address.count >= 24: return UnsafeRawBufferPointer(rebasing: address[8..<24])
    default: return nil
    }
  }

  /// The address in numbers, for sentences.
  static func describe(_ target: UnsafePointer<curl_sockaddr>) -> String {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return "unknown" }
    let address = (UnsafeRawPointer(target) + offset).assumingMemoryBound(to: sockaddr.self)
    return Socket.describe(address, socklen_t(target.pointee.addrlen))
  }
}
