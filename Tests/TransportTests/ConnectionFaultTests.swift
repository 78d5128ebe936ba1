import HTTP2
import Testing
import Transport
import WireFormats

@Suite("Connection faults, frame by frame", .timeLimit(.minutes(15))) struct ConnectionFaultTests {
  private let refusal = HTTPResponse(
    status: 400, fields: HTTPFields(), body: Array(#"{"reason":"BadDeviceToken"}"#.utf8))

  /// A client with these streams open, all of them received.
  private func connection(_ server: TestServer, open streams: Int...) async throws -> (FrameClient, ConnectionID) {
    let (client, _) = try await FrameClient.greeted(port: server.port)
    client.acknowledgeSettings()
    client.send(streams.flatMap { FrameClient.request($0) })
    var count = 0
    while true {
      let (requests, connection) = try #require(await server.sink.nextReceived())
      count += requests.count
      if count == streams.count { return (client, connection) }
    }
  }

  // MARK: GOAWAY

  @Test("GOAWAY twice, open all the time: later streams are ignored and named, PINGs answered; a third one closes")
  func goAwayTwice() async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server, open: 1, 3)
    server.apply(
      .goAway(GoAway(lastStream: .max, .noError, debug: Array("soon".utf8), closes: false)),
      .goAway(GoAway(lastStream: 5, .enhanceYourCalm, closes: false)), to: connection)
    let goAways = try await client.frames(2)
    #expect(goAways.map(\.kind) == [.goAway, .goAway])
    #expect(goAways.map { $0.number(at: 0) } == [0x7FFF_FFFF, 5])
    #expect(goAways.map { $0.number(at: 4) } == [0, 11])
    #expect(Array(goAways[0].payload[8...]) == Array("soon".utf8))
    client.post(5, 7)
    let ignored: [Int32]? = await server.sink.first { if case .ignored(let streams) = $0 { streams } else { nil } }
    #expect(ignored == [7])
    #expect(await server.sink.nextReceived()?.requests.map(\.stream) == [5])
    server.apply(
      .respond(stream: 1, .success), .respond(stream: 3, .success), .respond(stream: 5, .success), to: connection)
    #expect(try await client.frames(3).map(\.stream) == [1, 3, 5])
    client.ping("12345678")
    #expect(try await client.nextFrame().isAnswer)
    server.apply(.goAway(GoAway(lastStream: 3, .noError)), to: connection)
    #expect(try await client.nextFrame().number(at: 0) == 3)
    #expect(await client.next() == .goodbye)
    #expect(await server.sink.nextClosed() == .finished)
  }

  @Test("GOAWAY that closes: streams up to its last one are answered, those above are not")
  func goAwayCloses() async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server, open: 1, 3, 5)
    server.apply(
      .goAway(GoAway(lastStream: 3, .refusedStream, debug: Array("maximum active streams".utf8))),
      .respond(stream: 5, .success), .respond(stream: 3, refusal), .respond(stream: 1, .success), to: connection)
    let frames = try await client.frames(4)
    #expect(frames.last?.text.hasSuffix("maximum active streams") == true)
    #expect(frames.last?.number(at: 4) == 7)
    #expect(frames.map(\.stream).sorted() == [0, 1, 3, 3])
    #expect(await client.next() == .goodbye)
  }

  // MARK: Answers

  @Test("A split body, with and without pauses", arguments: [nil, Duration.milliseconds(1)])
  func split(pause: Duration?) async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server, open: 1)
    let split = BodySplit(sizes: [5, 3], end: .apart, pause: pause)
    server.apply(.respondSplit(stream: 1, refusal, split), to: connection)
    let frames = try await client.frames(5)
    #expect(frames.map(\.kind) == [.headers, .data, .data, .data, .data])
    #expect(frames.dropFirst().map(\.text) == [#"{"rea"#, "son", #"":"BadDeviceToken"}"#, ""])
    #expect(frames.map(\.ends) == [false, false, false, false, true])
  }

  @Test("An answer whose stream never ends, until the client resets it") func endless() async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server, open: 1)
    server.apply(.respondSplit(stream: 1, .success, BodySplit(sizes: [], end: .never)), .ping, to: connection)
    let frames = try await client.frames(2)
    #expect(frames.contains { $0.kind == .headers && !$0.ends })
    client.send(Bytes.frame(3, stream: 1, Bytes.number(8)))
    server.apply(.goAway(GoAway(.noError)), to: connection)
    #expect(try await client.nextFrame().kind == .goAway)
    #expect(await client.next() == .goodbye)
  }

  @Test("A client may leave in the middle of a paused answer") func leavesPaused() async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server, open: 1)
    server.apply(.respondSplit(stream: 1, refusal, BodySplit(sizes: [1], pause: .seconds(3600))), to: connection)
    #expect(try await client.frames(2).map(\.text).last == "{")
    client.close()
    #expect(await server.sink.nextClosed() == .client)
  }

  @Test("RST_STREAM with its code, and after an answer's headers") func resets() async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server, open: 1, 3)
    server.apply(.reset(stream: 1, .refusedStream), .respond(stream: 1, .success), to: connection)
    #expect(try await client.nextFrame() == .init(kind: .rstStream, stream: 1, payload: Bytes.number(7)))
    server.apply(
      .respondSplit(stream: 3, refusal, BodySplit(sizes: [4], end: .never, pause: .seconds(3600))), to: connection)
    #expect(try await client.frames(2).map(\.kind) == [.headers, .data])
    server.apply(.reset(stream: 3, .internalError), .ping, to: connection)
    #expect(try await client.frames(2).contains(.init(kind: .rstStream, stream: 3, payload: Bytes.number(2))))
  }

  // MARK: Limits and windows

  @Test("1000, 1, 1000 in flight: the newest are refused, later ones too, until the limit is raised")
  func streams() async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server, open: 1)
    client.send(FrameClient.request(3, ends: false) + FrameClient.request(5, ends: false))
    client.ping("12345678")
    #expect(try await client.nextFrame().kind == .ping)
    server.apply(.limitStreams(1), to: connection)
    let frames = try await client.frames(3)
    #expect(frames.map(\.kind) == [.settings, .rstStream, .rstStream])
    #expect(frames[0].payload == [0, 3, 0, 0, 0, 1])
    #expect(frames.dropFirst().map(\.stream) == [5, 3])
    #expect(frames.dropFirst().allSatisfy { $0.number(at: 0) == 7 })
    client.post(7)
    #expect(try await client.nextFrame() == .init(kind: .rstStream, stream: 7, payload: Bytes.number(7)))
    server.apply(.announceStreams(1000), to: connection)
    server.apply(.restoreStreamLimit, to: connection)
    #expect(try await client.nextFrame().payload == [0, 3, 0, 0, 3, 0xE8])
    client.post(9)
    #expect(await server.sink.nextReceived()?.requests.map(\.stream) == [9])
  }

  @Test(
    "Requests of one read that exceed the limits set by the first one's effects are refused, and not handed over"
  )
  func batch() async throws {
    let server = try await TestServer(
      takes: 1,
      answer: { request, effects in
        if request.stream == 1 { effects.append(.limitStreams(1)) }
        effects.respond(request.stream, .success)
      })
    let (client, _) = try await FrameClient.greeted(port: server.port)
    client.send(stride(from: 1, through: 7, by: 2).flatMap { FrameClient.request($0) })
    let frames = try await client.frames(5)
    #expect(frames.map(\.kind) == [.settings, .rstStream, .rstStream, .rstStream, .headers])
    #expect(frames.map(\.stream) == [0, 7, 5, 3, 1])
    #expect(await server.sink.nextReceived()?.requests.map(\.stream) == [1])
    let unserved = await server.sink.first { if case .unserved(let streams) = $0 { streams } else { nil } }
    #expect(unserved == [7, 5, 3].map { UnservedStream(Int32($0), .refused) })
    client.post(9)
    #expect(await server.sink.nextReceived()?.requests.map(\.stream) == [9], "nothing of the others comes later")
  }

  @Test("A sink that accepts one request at a time gets them all, in order") func oneByOne() async throws {
    let server = try await TestServer(takes: 1)
    let (client, _) = try await FrameClient.greeted(port: server.port)
    client.send(stride(from: 1, through: 9, by: 2).flatMap { FrameClient.request($0) })
    #expect(try await client.frames(5).map(\.stream) == [1, 3, 5, 7, 9])
  }

  @Test("A tiny window, and no update until it is released") func window() async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server, open: 1)
    server.apply(.window(4, withheld: true), to: connection)
    #expect(try await client.nextFrame().payload == [0, 4, 0, 0, 0, 4])
    client.acknowledgeSettings()
    client.send(FrameClient.request(3, ends: false) + Bytes.frame(0, stream: 3, [1, 2, 3, 4]))
    client.ping("12345678")
    #expect(try await client.nextFrame().kind == .ping)
    server.apply(.window(65_535, withheld: false), to: connection)
    #expect(try await client.nextFrame().payload == [0, 4, 0, 0, 0xFF, 0xFF])
    #expect(try await client.nextFrame() == .init(kind: .windowUpdate, stream: 3, payload: Bytes.number(4)))
    client.acknowledgeSettings()
    client.send(Bytes.frame(0, flags: 1, stream: 3, [5, 6, 7, 8]))
    #expect(await server.sink.nextReceived().map { Array($0.requests[0].request.body) } == [1, 2, 3, 4, 5, 6, 7, 8])
  }

  // MARK: Reading slowly

  @Test("A byte a second: others are served meanwhile; at normal speed again, it reads on") func slow() async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server, open: 1)
    server.apply(.readSlowly(bytesPerSecond: 1), to: connection)
    try await server.catchUp()
    // A frame of a type that HTTP/2 ignores, for hours.
    client.send(Bytes.frame(0xEE, Array(repeating: 0, count: 16_000)))
    client.post(3)
    client.ping("12345678")
    // The other client is through all of its own in between.
    try await server.catchUp()
    #expect(!client.hasSomething)
    server.apply(.readSlowly(bytesPerSecond: nil), to: connection)
    #expect(try await client.nextFrame().isAnswer)
    #expect(await server.sink.nextReceived()?.requests.map(\.stream) == [3])
  }

  @Test("Slow reading still delivers everything, in order, and the end") func slowButSure() async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server, open: 1)
    server.apply(.readSlowly(bytesPerSecond: 3000), to: connection)
    for stream in 1...40 { client.post(2 * stream + 1) }
    var streams: [Int32] = []
    while streams.count < 40, let (requests, _) = await server.sink.nextReceived() { streams += requests.map(\.stream) }
    #expect(streams == Array(stride(from: Int32(3), through: 81, by: 2)))
    client.close()
    #expect(await server.sink.nextClosed() != nil)
  }

  @Test("Frozen and thawed, a slow reader is still slow and still reads") func slowAndFrozen() async throws {
    let server = try await TestServer.silent()
    let (client, connection) = try await connection(server, open: 1)
    server.apply(.readSlowly(bytesPerSecond: 300), .freeze(answersPings: false), to: connection)
    client.post(3, 5)
    server.apply(.thaw, to: connection)
    var streams: [Int32] = []
    while streams.count < 2, let (requests, _) = await server.sink.nextReceived() { streams += requests.map(\.stream) }
    #expect(streams == [3, 5])
  }

  // MARK: Ends

  @Test("Close sends GOAWAY, half-close is with and without it, abort resets") func ends() async throws {
    let server = try await TestServer.silent()
    let ends: [(Effect, FrameClient.Heard)] = [
      (.close, .goodbye), (.halfClose(sendsCloseNotify: true), .goodbye), (.halfClose(sendsCloseNotify: false), .cut),
    ]
    for (effect, heard) in ends {
      let (client, connection) = try await connection(server, open: 1)
      server.apply(.respond(stream: 1, .success), effect, .ping, to: connection)
      #expect(try await client.nextFrame().kind == .headers)
      #expect(await client.next() == heard)
      #expect(await server.sink.nextClosed() == .asked)
    }
    let (client, connection) = try await connection(server, open: 1)
    server.apply(.abort, to: connection)
    #expect(await client.next() == .reset)
    #expect(await server.sink.nextClosed() == .asked)
  }

  @Test("Half closed, the server reads on; closed, it does not") func halfClosed() async throws {
    let server = try await TestServer.silent { $0.limits.linger = .milliseconds(1) }
    let (half, connection) = try await connection(server, open: 1)
    server.apply(.halfClose(sendsCloseNotify: false), to: connection)
    #expect(await half.next() == .cut)
    let (closed, other) = try await self.connection(server, open: 1)
    server.apply(.close, to: other)
    #expect(await closed.next() == .goodbye)
    for _ in 0..<1000 where !closed.isReset {
      closed.ping("12345678")
      half.ping("12345678")
      try await server.catchUp()
    }
    #expect(closed.isReset)
    #expect(!half.isReset)
  }
}
