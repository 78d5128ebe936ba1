import HTTP2
import Testing
import Transport
import WireFormats

@Suite("A connection freezes", .timeLimit(.minutes(15))) struct FreezingTests {
  private let refusal = HTTPResponse(status: 400, fields: HTTPFields(), body: [UInt8](repeating: 0x78, count: 2000))

  private func connection(_ server: TestServer) async throws -> (FrameClient, ConnectionID) {
    let (client, _) = try await FrameClient.greeted(port: server.port)
    client.post(1)
    return (client, try #require(await server.sink.nextReceived()).connection)
  }

  private func received(_ server: TestServer) async -> [Int32]? {
    await server.sink.nextReceived().map { $0.requests.map(\.stream) }
  }

  @Test("Solid: earlier answers are sent, then nothing, not even to a PING; thawed, nothing is lost")
  func solid() async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server)
    client.post(3)
    _ = await received(server)
    server.apply(.respond(stream: 1, .success), .freeze(answersPings: false), to: connection)
    #expect(try await client.nextFrame().stream == 1)
    client.post(5)
    client.ping("12345678")
    server.apply(.respond(stream: 3, .success), .ping, to: connection)
    try await server.catchUp()
    #expect(!client.hasSomething)
    server.apply(.thaw, to: connection)
    let frames = try await client.frames(3)
    #expect(frames.map(\.kind) == [.ping, .headers, .ping])
    #expect(frames.map(\.isAnswer) == [false, false, true])
    #expect(frames[1].stream == 3)
    #expect(await received(server) == [5])
  }

  @Test("With PINGs: only they are answered; requests wait, and reset ones are forgotten") func pings()
    async throws
  {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server)
    server.apply(.freeze(answersPings: true), .respond(stream: 1, refusal), to: connection)
    client.post(3, 5)
    client.send(Bytes.frame(3, stream: 3, Bytes.number(8)))
    for text in ["12345678", "abcdefgh"] {
      client.ping(text)
      #expect(try await client.nextFrame() == .init(kind: .ping, flags: 1, payload: Array(text.utf8)))
    }
    try await server.catchUp()
    #expect(!client.hasSomething)
    server.apply(.thaw, to: connection)
    #expect(try await client.frames(2).map(\.kind) == [.headers, .data])
    #expect(await received(server) == [5])
    server.apply(.respond(stream: 5, .success), to: connection)
    #expect(try await client.nextFrame().stream == 5)
  }

  @Test("With PINGs: once too many bytes wait, it freezes solid") func bound() async throws {
    let server = try await TestServer.silent { $0.limits.unwritten = 1024 }
    let (client, connection) = try await connection(server)
    server.apply(.freeze(answersPings: true), .respond(stream: 1, refusal), to: connection)
    try await server.catchUp()
    client.ping("12345678")
    try await server.catchUp()
    #expect(!client.hasSomething)
    server.apply(.thaw, to: connection)
    #expect(try await client.frames(3).map(\.kind) == [.headers, .data, .ping])
  }

  @Test("The kind of freeze can be changed") func changes() async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server)
    server.apply(.freeze(answersPings: false), .respond(stream: 1, .success), to: connection)
    client.ping("12345678")
    server.apply(.freeze(answersPings: true), to: connection)
    #expect(try await client.nextFrame().payload == Array("12345678".utf8))
    server.apply(.freeze(answersPings: false), to: connection)
    client.ping("abcdefgh")
    try await server.catchUp()
    #expect(!client.hasSomething)
    server.apply(.thaw, .thaw, to: connection)
    #expect(try await client.frames(2).map(\.kind) == [.headers, .ping])
  }

  @Test("The client's close is noticed behind unread data", arguments: [true, false])
  func leaves(answersPings: Bool) async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server)
    server.apply(.freeze(answersPings: answersPings), to: connection)
    client.post(3)
    client.close()
    #expect(await server.sink.nextClosed() == .client)
  }

  @Test("A close waits for the thaw, an abort does not") func closing() async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server)
    server.apply(.freeze(answersPings: false), .respond(stream: 1, .success), .close, to: connection)
    try await server.catchUp()
    #expect(!client.hasSomething)
    server.apply(.thaw, to: connection)
    #expect(try await client.nextFrame().kind == .headers)
    #expect(await client.next() == .goodbye)
    let (second, other) = try await self.connection(server)
    server.apply(.freeze(answersPings: false), .close, .abort, to: other)
    #expect(await second.next() == .reset)
  }

  @Test("A server that stops does not wait for it") func stops() async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server)
    server.apply(.freeze(answersPings: true), to: connection)
    client.ping("12345678")
    _ = try await client.nextFrame()
    server.order(.drain(within: .seconds(3600)))
    #expect(await server.sink.nextClosed() == .stopped)
    #expect(await server.sink.drained() == true)
  }
}
