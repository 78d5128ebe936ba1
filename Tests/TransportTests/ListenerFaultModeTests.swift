import Foundation
import HTTP2
import Signing
import TestSupport
import Testing
import Transport

@Suite("Listeners with faults", .timeLimit(.minutes(15))) struct ListenerFaultModeTests {
  /// A record of TLS that is nonsense: a sound server answers it with an alert.
  private let nonsense: [UInt8] = [22, 3, 1, 0, 5, 99, 99, 99, 99, 99]

  private func set(_ trouble: ListenerFaultMode?, _ server: TestServer) async {
    server.listenerPoster.set(trouble, listener: TestServer.listenerTag)
    await caughtUp(server)
  }

  private func caughtUp(_ server: TestServer) async {
    server.order(.report)
    _ = await server.sink.first { if case .reported = $0 { true } else { nil } }
  }

  /// Waits until one connection has been taken from the system's queue: its trouble is the listener's of that moment.
  private func accepted(_ server: TestServer) async {
    for _ in 0..<10_000 where server.poster.connectionCount < 1 { await caughtUp(server) }
    #expect(server.poster.connectionCount == 1)
  }

  @Test("Refused, healed, refused, healed: the port is kept, and open connections are not affected")
  func refused() async throws {
    let server = try await TestServer.silent()
    let (client, _) = try await FrameClient.greeted(port: server.port)
    for _ in 0..<2 {
      await set(.refuse, server)
      await set(.refuse, server)
      #expect(throws: PlainSocket.Refused.self) { try PlainSocket(port: server.port) }
      client.ping("12345678")
      #expect(try await client.nextFrame().isAnswer)
      await set(nil, server)
      try await server.catchUp()
    }
  }

  @Test("Connections are refused although a child that is being started has the listening socket too")
  func inherited() async throws {
    let server = try await TestServer.silent()
    let copies = PlainListener.copies(port: server.port)
    #expect(copies.count == 1)
    await set(.refuse, server)
    #expect(throws: PlainSocket.Refused.self) { try PlainSocket(port: server.port) }
    copies.forEach { close($0) }
    await set(nil, server)
    try await server.catchUp()
  }

  @Test("If another program takes the port meanwhile, that is reported; once it is free, healing works")
  func taken() async throws {
    // An address of its own: tests beside this one are given ports of other addresses.
    let host: UInt32 = 0x7F00_4D01
    let server = try await TestServer.silent(host: host)
    await set(.refuse, server)
    let other = try PlainListener(port: server.port, host: host)
    server.listenerPoster.set(nil, listener: TestServer.listenerTag)
    let failure = ListenFailure.portInUse(host: TestServer.name(of: host), port: server.port)
    #expect(await server.sink.nextTrouble() == .cannotListenAgain(failure))
    other.close()
    await set(nil, server)
    try await server.catchUp()
  }

  @Test("From refusing to another fault, it listens again; another listener's fault is separate")
  func fromRefusing() async throws {
    let server = try await TestServer.silent()
    await set(.refuse, server)
    await set(.failHandshake, server)
    #expect(await (try FrameClient(port: server.port)).shakeHands() != nil)
    await set(nil, server)
    server.listenerPoster.set(.refuse, listener: 99)
    await set(nil, server)
    try await server.catchUp()
  }

  @Test("A server that refuses can stop") func stops() async throws {
    let server = try await TestServer.silent()
    await set(.refuse, server)
    server.order(.drain(within: .seconds(3600)))
    #expect(await server.sink.drained() == true)
  }

  @Test("The handshake fails with TLS's own alert") func failing() async throws {
    let server = try await TestServer.silent()
    await set(.failHandshake, server)
    let client = try FrameClient(port: server.port)
    guard case .alert(let text) = await client.shakeHands() else {
      Issue.record("no alert")
      return
    }
    #expect(text.contains("handshake failure"))
    let curl = try await Program.run("curl", "-sk", "--http2", server.url)
    #expect(curl.status == 35)
    await set(nil, server)
    try await server.catchUp()
  }

  @Test("A slow handshake is slow, and is completed") func slow() async throws {
    let server = try await TestServer.silent()
    await set(.slowHandshake(.seconds(3600)), server)
    let waiting = try PlainSocket(port: server.port)
    waiting.send(nonsense)
    await accepted(server)
    await set(.slowHandshake(.milliseconds(20)), server)
    try await server.catchUp()
    #expect(!waiting.hasSomething)
    await set(nil, server)
    let sound = try PlainSocket(port: server.port)
    sound.send(nonsense)
    #expect(await sound.readToEnd().first == 21)  // an alert
    #expect(!waiting.hasSomething)
  }

  @Test("A hanging listener accepts and sends nothing, also past the limit on handshakes and after it is healed")
  func hanging() async throws {
    let server = try await TestServer.silent { $0.limits.handshake = .milliseconds(50) }
    await set(.hang, server)
    let waiting = try PlainSocket(port: server.port)
    waiting.send(nonsense)
    await accepted(server)
    await set(nil, server)
    let late = try PlainSocket(port: server.port)
    #expect(await server.sink.nextTrouble() == .handshake(.timedOut))
    #expect(await late.readToEnd() == [])
    #expect(!waiting.hasSomething)
    server.order(.drain(within: .seconds(3600)))
    #expect(await server.sink.drained() == true)
    #expect(await waiting.readToEnd() == [])
  }

  @Test("Certificates that are expired, for another name, of an unknown authority: curl reports it and closes")
  func certificates() async throws {
    let server = try await TestServer()
    let now = Int64(Date().timeIntervalSince1970)
    let authority = try CertificateAuthority.make(
      names: [], notBefore: now - 3600, notAfter: now + 86_400)
    let file = NSTemporaryDirectory() + "pushpit-ca-\(UUID()).pem"
    try authority.certificatePEM.write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    func ask() async throws -> Program.End {
      try await Program.run(
        "curl", "-sS", "--http2", "--cacert", file, "-o", "/dev/null", "https://localhost:\(server.port)/")
    }
    let words: [(CertificateFlaw?, String)] = [
      (.expired, "expired"), (.wrongName, "no alternative certificate subject name matches"),
      (.untrusted, "unable to get local issuer certificate"), (nil, ""),
    ]
    #expect(words.count == CertificateFlaw.allCases.count + 1)
    for (flaw, word) in words {
      let leaf =
        if let flaw {
          try authority.issueLeaf(
            flaw, names: ["localhost"], now: now, notAfter: now + 3600, key: try SigningKey.generate())
        } else {
          try authority.issueLeaf(names: ["localhost"], notBefore: now - 3600, notAfter: now + 3600)
        }
      await set(.context(try TLSContext(certificates: leaf.certificatePEM, key: leaf.privateKeyPEM)), server)
      let answer = try await ask()
      #expect(answer.status == (flaw == nil ? 0 : 60), "\(answer.text)")
      #expect(answer.text.contains(word) || word.isEmpty, "\(answer.text)")
    }
    await set(nil, server)
    #expect(try await ask().status == 60)
  }
}
