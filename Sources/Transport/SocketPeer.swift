import CLibevent
import WireFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The other end of a TCP connection, and the user who owns it if it is on this machine.
package struct SocketPeer: Hashable, Sendable {
  /// An address with its port.
  package struct End: Hashable, Sendable {
    /// 4 bytes, or 16 for IPv6. An IPv4 address in IPv6 form has 4.
    let address: [UInt8]
    let port: UInt16

    package init(address: [UInt8], port: UInt16) {
      let mapped: [UInt8] = .init(repeating: 0, count: 10) + [0xFF, 0xFF]
      self.address = address.count == 16 && address.starts(with: mapped) ? Array(address.dropFirst(12)) : address
      self.port = port
    }
  }

  package let server: End
  package let client: End

  package init(server: End, client: End) {
    self.server = server
    self.client = client
  }

  init?(of descriptor: Int32) {
    guard let server = Self.end(getsockname, descriptor), let client = Self.end(getpeername, descriptor) else {
      return nil
    }
    self.init(server: server, client: client)
  }

  /// True if the client's socket belongs to the user of this process, on this machine.
  package var isOfThisUser: Bool { geteuid() != Self.overflow && user == geteuid() }

  /// Documented: users of other user namespaces have this number, so it may be anybody (user_namespaces(7)).
  private static let overflow: uid_t = 65_534

  /// The user who owns the client's socket. Nil if it is not on this machine, which is always so behind a proxy of
  /// another network namespace, or if the system does not say.
  ///
  /// Reads the machine's table of connections once, which may take some milliseconds.
  var user: uid_t? {
    var users: Set<uid_t> = []
    for table in client.address.count == 4 ? ["tcp", "tcp6"] : ["tcp6"] {
      guard let row = row(in: table), let file = fopen("/proc/self/net/" + table, "re") else { continue }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 512)
      while fgets(&line, Int32(line.count), file) != nil {
        if let user = line.withUnsafeBytes({ Self.user(of: $0, if: row) }) { users.insert(user) }
      }
    }
    return users.count == 1 ? users.first : nil
  }

  /// The first columns of the client's socket: its own address, this server's, and that the connection is established.
  /// A socket that no process has any more is not, and belongs to nobody.
  func row(in table: String) -> [UInt8]? {
    guard server.address.count == client.address.count else { return nil }
    return Array("\(Self.text(client, in: table)) \(Self.text(server, in: table)) 01 ".utf8)
  }

  /// The user of a line of the table; nil if it is not this row.
  ///
  /// `  sl  local_address rem_address   st tx_queue:rx_queue tr:tm->when retrnsmt   uid  timeout inode`
  static func user(of line: UnsafeRawBufferPointer, if row: [UInt8]) -> uid_t? {
    let text = line.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let columns = text[(colon + 1)...].drop { $0 == UInt8(ascii: " ") }
    guard columns.starts(with: row) else { return nil }
    let rest = columns.dropFirst(row.count).split(separator: UInt8(ascii: " "))
    return rest.count > 3 ? uid_t(String(decoding: rest[3], as: UTF8.self)) : nil
  }

  /// As the table has it: 32 bits at a time, as numbers of this machine, and the port.
  private static func text(_ end: End, in table: String) -> String {
    let isMapped = table == "tcp6" && end.address.count == 4
    let bytes = isMapped ? [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + end.address : end.address
    var digits: [UInt8] = []
    for place in stride(from: 0, to: bytes.count, by: 4) {
      let word = bytes[place..<place + 4]
      digits += UInt32(1).littleEndian == 1 ? word.reversed() : Array(word)
    }
    let port = [UInt8(end.port >> 8), UInt8(truncatingIfNeeded: end.port)]
    return "\(Hex.encode(digits)):\(Hex.encode(port))".uppercased()
  }

  private static func end(
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32, _ descriptor: Int32
  ) -> End? {
    var storage = sockaddr_storage()
    var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard ask(descriptor, address, &count) == 0 else { return nil }
        let raw = UnsafeRawPointer(pointer)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
          let v4 = raw.load(as: sockaddr_in.self)
          return End(address: withUnsafeBytes(of: v4.sin_addr) { Array($0) }, port: UInt16(bigEndian: v4.sin_port))
        case AF_INET6:
          let v6 = raw.load(as: sockaddr_in6.self)
          return End(address: withUnsafeBytes(of: v6.sin6_addr) { Array($0) }, port: UInt16(bigEndian: v6.sin6_port))
        default: return nil
        }
      }
    }
  }
}
