import CLibevent

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An address that a client may connect to.
package struct PeerAddress: Hashable, Sendable {
  /// A `sockaddr_in` or `sockaddr_in6`.
  let bytes: [UInt8]
  let family: Int32
  /// The address and the port, such as `127.0.0.1:2197`.
  package let text: String

  /// The range of the address bytes: in both systems, the port's two bytes come before them, and for IPv6 the flow
  /// label.
  private var place: Range<Int> { family == AF_INET ? 4..<8 : 8..<24 }

  package var isLoopback: Bool { bytes.withUnsafeBytes { OutboundAllowList.isLoopback(.init(rebasing: $0[place])) } }

  /// True if the address is in a network of Apple's push service.
  package var isApples: Bool { ApplesNetworks.contains(Array(bytes[place])) }

  package struct Problem: Error, CustomStringConvertible {
    package let description: String
  }

  /// The addresses of a host, and its names: the given one and the canonical one, of which the first may be an alias.
  package static func resolve(
    _ host: String, port: Int
  ) throws(Problem) -> (addresses: [PeerAddress], names: [String]) {
    var hints = addrinfo()
    hints.ai_flags = Int32(AI_NUMERICSERV | AI_CANONNAME)
    hints.ai_family = AF_UNSPEC
    #if canImport(Darwin)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    var found: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(host, String(port), &hints, &found)
    defer { if let found { freeaddrinfo(found) } }
    guard result == 0 else { throw Problem(description: String(cString: gai_strerror(result))) }
    var addresses: [PeerAddress] = []
    var names = [OutboundAllowList.plain(host)]
    var next = found
    while let entry = next?.pointee {
      if let name = entry.ai_canonname { names.append(OutboundAllowList.plain(String(cString: name))) }
      if let address = entry.ai_addr, entry.ai_family == AF_INET || entry.ai_family == AF_INET6 {
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
        addresses.append(
          PeerAddress(
            bytes: Array(bytes), family: entry.ai_family, text: Socket.describe(address, entry.ai_addrlen)))
      }
      next = entry.ai_next
    }
    guard !addresses.isEmpty else { throw Problem(description: "it has no address") }
    return (addresses, names)
  }
}

/// The names and networks of Apple's push service, so that nothing is ever sent there by mistake.
package enum ApplesNetworks {
  /// The networks of APNs in IPv6; that in IPv4 is 17.0.0.0/8. Documented: support.apple.com/102266. Only 32 bits are
  /// compared: these shorter prefixes are Apple's, too.
  private static let prefixes: [[UInt8]] = [
    [0x26, 0x20, 0x01, 0x49], [0x24, 0x03, 0x03, 0x00], [0x2A, 0x01, 0xB7, 0x40],
  ]
  /// `api.push.apple.com` is an alias of a name in the second.
  private static let domains = ["apple.com", "push-apple.com.akadns.net"]

  /// True if a name, without a dot at its end and in lower case, is Apple's.
  package static func hasName(_ name: String) -> Bool {
    domains.contains { name == $0 || name.hasSuffix("." + $0) }
  }

  /// - Parameter address: 4 or 16 bytes.
  package static func contains(_ address: [UInt8]) -> Bool {
    if address.count == 4 { return address[0] == 17 }
    let isMapped = address.prefix(10).allSatisfy { $0 == 0 } && address[10] == 0xFF && address[11] == 0xFF
    return isMapped ? address[12] == 17 : prefixes.contains { address.starts(with: $0) }
  }
}
