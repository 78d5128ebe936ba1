import HTTP2
import Testing
import Transport

@Suite("A connection whose client has vanished ends after the idle time", .timeLimit(.minutes(1)))
struct IdleEndTests {
  private func server() async throws -> TestServer {
    try await .silent { $0.limits.idle = .seconds(2) }
  }

  private func waiting(on server: TestServer) async throws -> (FrameClient, ConnectionID) {
    let (client, _) = try await FrameClient.greeted(port: server.port)
    client.post(1)
    return (client, try #require(await server.sink.nextReceived()).connection)
  }

  @Test("A frozen connection", arguments: [false, true]) func frozen(answersPings: Bool) async throws {
    let server = try await server()
    let (client, connection) = try await waiting(on: server)
    server.apply(.freeze(answersPings: answersPings), to: connection)
    #expect(await server.sink.nextClosed() == .idle)
    #expect(await client.next() == .cut)
  }

  @Test("A half-closed connection") func deaf() async throws {
    let server = try await server()
    let (client, connection) = try await waiting(on: server)
    server.apply(.halfClose(saysGoodbye: false), to: connection)
    #expect(await client.next() == .cut)
    #expect(await server.sink.nextTrouble() == .idle)
    #expect(server.poster.connectionCount == 0)
  }

  @Test("A connection whose handshake is never answered") func hung() async throws {
    let server = try await server()
    server.doors.set(.hang, listener: TestServer.listenerTag)
    server.order(.report)
    _ = await server.sink.first { if case .reported = $0 { true } else { nil } }
    let client = try PlainSocket(port: server.port)
    #expect(await client.readToEnd() == [])
    #expect(await server.sink.nextTrouble() == .idle)
  }

  @Test("A client that waits for an answer is sent a PING; it stays as long as it answers") func awaiting() async throws
  {
    let server = try await server()
    let (client, _) = try await waiting(on: server)
    for _ in 0..<2 {
      let ping = try await client.nextFrame()
      #expect(ping.kind == .ping && !ping.isAnswer)
      client.send(Bytes.frame(6, flags: 1, ping.payload))
    }
    #expect(try await client.nextFrame().kind == .ping)
    #expect(await server.sink.nextClosed() == .idle)
  }
}

@Suite("Mailboxes") struct MailboxTests {
  @Test("Letters that nobody has read are handed back when the reader goes") func unread() {
    let main = MainLoop()
    let mailbox = Mailbox<Int>()
    var (read, refused): ([Int], [Int]) = ([], [])
    do {
      let reader = MailboxReader(mailbox, on: main.base, refuse: { refused.append($0) }) { read.append($0) }
      withExtendedLifetime(reader) { for letter in 1...3 { #expect(mailbox.post(letter)) } }
    }
    #expect(read == [] && refused == [1, 2, 3])
    #expect(!mailbox.post(4))
  }
}
