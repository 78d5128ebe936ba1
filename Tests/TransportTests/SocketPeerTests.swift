import Glibc
import Testing

@testable import Transport

@Suite("The owner of the other end of a connection") struct SocketPeerTests {
  private static let loopback: [UInt8] = [127, 0, 0, 1]
  private static let mapped: [UInt8] = .init(repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1]
  private static let six: [UInt8] = .init(repeating: 0, count: 15) + [1]

  private static func peer(_ server: [UInt8], _ client: [UInt8]) -> SocketPeer {
    SocketPeer(
      server: .init(address: server, port: 2190), client: .init(address: client, port: 54_321))
  }

  private static let columns = "0000:0000 00:00000000 00000000"

  static let rows: [(server: [UInt8], client: [UInt8], table: String, row: String)] = [
    (loopback, loopback, "tcp", "0100007F:D431 0100007F:088E 01"),
    (mapped, mapped, "tcp", "0100007F:D431 0100007F:088E 01"),
    (loopback, loopback, "tcp6", "0000000000000000FFFF00000100007F:D431 0000000000000000FFFF00000100007F:088E 01"),
    (six, six, "tcp6", "00000000000000000000000001000000:D431 00000000000000000000000001000000:088E 01"),
  ]

  @Test("The user is read from the row of the client's own socket, as Linux writes it", arguments: rows)
  func row(server: [UInt8], client: [UInt8], table: String, row: String) throws {
    let wanted = try #require(Self.peer(server, client).row(in: table))
    func user(_ line: String) -> uid_t? { Array(line.utf8).withUnsafeBytes { SocketPeer.user(of: $0, if: wanted) } }
    #expect(user("   7: \(row) \(Self.columns)  1000        0 31337 1 0 20 4 30 10 -1\n") == 1000)
    #expect(user("1234567: \(row) \(Self.columns) 4294967294        0 1\n") == 4_294_967_294)
    let closing = row.dropLast(2) + "04"
    #expect(user("   7: \(closing) \(Self.columns)     0        0 0\n") == nil, "its process has closed it")
    let ends = row.split(separator: " ")
    #expect(user("   7: \(ends[1]) \(ends[0]) 01 \(Self.columns)  1000        0 1\n") == nil, "the server's socket")
    #expect(user("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n") == nil)
    #expect(user("") == nil)
  }

  @Test("The user is unknown if the two ends are of different families")
  func families() { #expect(Self.peer(Self.loopback, Self.six).row(in: "tcp6") == nil) }

  @Test("The user is that of this process for its own connection, and unknown once the client has closed it")
  func own() throws {
    let bound = try BoundSocket(host: "127.0.0.1", port: 0)
    #expect(listen(bound.descriptor, 1) == 0)
    defer { close(bound.descriptor) }
    let client = try PlainSocket(port: bound.port)
    let accepted = accept(bound.descriptor, nil, nil)
    defer { close(accepted) }
    let peer = try #require(SocketPeer(of: accepted))
    #expect(peer.user == geteuid())
    client.close()
    #expect(peer.user == nil)
  }
}
