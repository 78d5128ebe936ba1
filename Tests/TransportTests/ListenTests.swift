import Testing
import Transport

@Suite("Listening") struct ListenTests {
  private func listen(_ host: String, _ port: Int) throws -> Int {
    let main = MainLoop()
    let server = try PushServer(on: main, options: TransportOptions(), sink: RecordingSink { _, _ in })
    let identity = Identity.server
    let tls = try TLSContext(certificates: identity.certificate, key: identity.key)
    return try server.listen(tag: 1, host: host, port: port, tls: tls).port
  }

  @Test("Port 0 becomes a real port, on IPv4, IPv6 and by name", arguments: ["127.0.0.1", "::1", "localhost"])
  func free(host: String) throws {
    #expect(try listen(host, 0) > 0)
  }

  @Test("A port in use is named in one sentence") func inUse() async throws {
    let server = try await TestServer()
    let failure = #expect(throws: ListenFailure.self) { _ = try listen("127.0.0.1", server.port) }
    #expect(failure == .portInUse(host: "127.0.0.1", port: server.port))
    #expect(failure?.description.contains("port \(server.port) of 127.0.0.1 is in use") == true)
  }

  @Test("An address of another machine, an unknown name, an invalid port") func wrong() {
    #expect(throws: ListenFailure.addressNotAvailable(host: "192.0.2.1")) { _ = try listen("192.0.2.1", 0) }
    #expect(throws: ListenFailure.unknownHost("no such host")) { _ = try listen("no such host", 0) }
    #expect(throws: ListenFailure.portOutOfRange(70_000)) { _ = try listen("127.0.0.1", 70_000) }
  }

  @Test("A free port for another program is outside the range from which the system serves port 0")
  func freePort() throws {
    let automatic = FreePort.automaticPorts()
    for _ in 0..<20 {
      let port = try FreePort.find(host: "127.0.0.1").number
      #expect(!automatic.contains(port))
      #expect(try listen("127.0.0.1", port) == port)
    }
  }

  #if os(Linux)
    @Test("A free port is found only once while it is held, although no program has bound it yet")
    func heldPort() throws {
      // So few that without the claims one of them is found twice in all but one of 400 times.
      let few = FreePort.range.prefix(8)
      let held = try (0..<8).map { _ in try FreePort.find(host: "127.0.0.1", in: few) }
      #expect(Set(held.map(\.number)).count == 8)
    }

    @Test("A port that was held can be found again")
    func releasedPort() throws {
      let port = try FreePort.find(host: "127.0.0.1").number
      #expect(try FreePort.find(host: "127.0.0.1", in: port..<port + 1).number == port)
    }
  #endif

  @Test("Invalid certificates and keys") func badPEM() {
    let (mine, other) = (Identity.server, Identity.other)
    #expect(throws: TLSContextFailure.unreadableCertificate) { try TLSContext(certificates: "x", key: mine.key) }
    #expect(throws: TLSContextFailure.unreadableKey) { try TLSContext(certificates: mine.certificate, key: "") }
    #expect(throws: TLSContextFailure.keyDoesNotFit) {
      try TLSContext(certificates: mine.certificate, key: other.key)
    }
  }
}
