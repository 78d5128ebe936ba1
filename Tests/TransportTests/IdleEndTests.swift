import HTTP2
import Testing
import Transport

@Suite("A connection of a vanished client ends after the idle time", .timeLimit(.minutes(15)))
struct IdleEndTests {
  /// Nothing is asked of the client but a handshake, so no machine is too slow for the idle time.
  private func server(_ effect: Effect) async throws -> TestServer {
    try await TestServer {
      $0.limits.idle = .milliseconds(50)
    } welcome: { _, effects in
      effects.append(effect)
    }
  }

  @Test("A frozen connection", arguments: [false, true]) func frozen(answersPings: Bool) async throws {
    let server = try await server(.freeze(answersPings: answersPings))
    let client = try FrameClient(port: server.port)
    _ = await client.shakeHands()
    #expect(await server.sink.nextClosed() == .idle)
    #expect(await server.sink.nextTrouble() == .idle)
  }

  @Test("A half-closed connection") func deaf() async throws {
    let server = try await server(.halfClose(sendsCloseNotify: false))
    let client = try FrameClient(port: server.port)
    _ = await client.shakeHands()
    #expect(await server.sink.nextTrouble() == .idle)
  }

  @Test("A connection with an unfinished handshake") func hung() async throws {
    let server = try await TestServer.silent { $0.limits.idle = .milliseconds(50) }
    server.listenerPoster.set(.hang, listener: TestServer.listenerTag)
    server.order(.report)
    _ = await server.sink.first { if case .reported = $0 { true } else { nil } }
    let client = try PlainSocket(port: server.port)
    #expect(await client.readToEnd() == [])
    #expect(await server.sink.nextTrouble() == .idle)
  }

  @Test("A client that waits for an answer is sent a PING; its connection stays as long as it answers")
  func awaiting() async throws {
    let stayed = try await inTime { time -> TestServer? in
      let server = try await TestServer.silent { $0.limits.idle = time }
      let client = try FrameClient(port: server.port)
      // On a thread of its own: tasks wait for all the tests that run beside this one, longer than the idle time.
      let pings = await aside {
        guard client.blockingShakeHands() == nil else { return 0 }
        client.send(Bytes.preface + Bytes.frame(4, []) + FrameClient.request(1))
        var pings = 0
        while pings < 2, case .frame(let frame) = client.blockingNext() {
          guard frame.kind == .ping, !frame.isAnswer else { continue }
          pings += 1
          if pings == 1 { client.send(Bytes.frame(6, flags: 1, frame.payload)) }
        }
        return pings
      }
      guard pings == 2 else { return nil }
      #expect(await server.sink.nextClosed() == .idle)
      return server
    }
    #expect(stayed != nil)
  }
}

@Suite("Mailboxes") struct MailboxTests {
  @Test("Unread messages are handed back when the reader ends") func unread() {
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
