import COpenSSL
import HTTP2
import TestSupport
import Testing
import Transport

/// OpenSSL handles these messages within a read, so no limit on frames, streams or bytes counts them.
@Suite("A client cannot keep the server busy with TLS alone", .timeLimit(.minutes(15))) struct TLSMessageTests {
  /// A frame of a type that HTTP/2 ignores.
  private static let data = Bytes.frame(0xEE, [0])

  private func server(_ change: (inout TransportOptions) -> Void = { _ in }) async throws -> TestServer {
    try await TestServer {
      $0.loops = 1
      change(&$0)
    }
  }

  @Test(
    "32 KeyUpdates without data between them are accepted, however often; more end the connection",
    arguments: [true, false])
  func keyUpdates(asksForAnswer: Bool) async throws {
    let server = try await server()
    let (client, _) = try await FrameClient.greeted(port: server.port)
    for round in 0..<3 {
      for _ in 0..<32 { #expect(client.updateKeys(asksForAnswer: asksForAnswer)) }
      client.ping("round \(round) ")
      #expect(try await client.nextFrame().text == "round \(round) ")
    }
    // The last may still be unsent or unread: OpenSSL does one thing at a time.
    for _ in 0..<40 { _ = client.updateKeys(asksForAnswer: asksForAnswer) }
    guard case .flooded = await server.sink.nextTrouble() else {
      Issue.record("not reported")
      return
    }
    #expect(await server.sink.nextClosed() == .trouble)
  }

  @Test("A client that sends KeyUpdates for ever and reads nothing is ended, and others are served meanwhile")
  func flood() async throws {
    let server = try await server()
    let (client, _) = try await FrameClient.greeted(port: server.port)
    async let flood: Void = aside { while client.updateKeys(asksForAnswer: true) {} }
    let curl = try await Program.run(
      "curl", "-sk", "--http2", "-o", "/dev/null", "-w", "%{http_code}", server.url)
    #expect(curl.text == "200")
    guard case .flooded = await server.sink.nextTrouble() else {
      Issue.record("not reported")
      return
    }
    await flood
  }

  @Test(
    "A client that reads no answers to its KeyUpdates is disconnected like one that reads no answers of ours",
    .setting("wire.writeStall")
  )
  func unreadAnswers() async throws {
    let server = try await server { $0.limits.writeStall = .milliseconds(300) }
    // Not smaller: full of tiny segments, Linux drops acknowledgements, and both sides wait for minutes.
    let client = try FrameClient(port: server.port, receiveBuffer: 32_768)
    async let flood: Void = aside {
      guard client.blockingShakeHands() == nil, client.send(Bytes.preface + Bytes.frame(4, [])) else { return }
      while client.updateKeys(asksForAnswer: true), client.send(Self.data) {}
    }
    #expect(await server.sink.nextTrouble() == .neverReads)
    #expect(await server.sink.nextClosed() == .trouble)
    await flood
  }
}
