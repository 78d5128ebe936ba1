import Synchronization
import TestSupport
import Testing
import Transport
import WireFormats

@Suite("The plain server of the admin API", .timeLimit(.minutes(15))) struct PlainServerTests {
  /// A server on a thread of its own, which echoes the method and the target. It answers `/wait` later.
  private final class Echo: Sendable {
    let port: Int
    let troubles: Troubles
    let waiting: Replies
    private let poster: MainLoopPoster
    private let stop: Mailbox<Void>

    /// The troubles that the server reported to its owner.
    final class Troubles: Sendable {
      let all = Mutex<[PlainServer.PlainTrouble]>([])
    }

    /// The requests to be answered later, and the targets of all requests.
    final class Replies: Sendable {
      let all = Mutex<[PlainReply]>([])
      let targets = Mutex<[String]>([])
      let news = AsyncStream.makeStream(of: PlainReply.self)

      func answer(_ request: PlainRequest, _ reply: PlainReply) -> HTTPResponse? {
        targets.withLock { $0.append(request.target) }
        guard request.target == "/wait" else { return Echo.response("\(request.method) \(request.target)") }
        all.withLock { $0.append(reply) }
        news.continuation.yield(reply)
        return nil
      }
    }

    static func response(_ text: String) -> HTTPResponse {
      HTTPResponse(status: 200, fields: HTTPFields(), body: Array(text.utf8))
    }

    init(limit: Int = 100) async throws {
      let (troubles, stop, waiting) = (Troubles(), Mailbox<Void>(), Replies())
      let (ready, announce) = AsyncThrowingStream.makeStream(of: (Int, MainLoopPoster).self)
      let thread = LoopThread {
        do {
          let main = MainLoop()
          let server = try PlainServer(
            on: main, at: BoundSocket(host: "127.0.0.1", port: 0), limit: limit,
            owner: PlainServer.Owner(
              answer: { waiting.answer($0, $1) },
              refuse: { HTTPResponse(status: $0.status, fields: HTTPFields(), body: Array($0.sentence.utf8)) },
              trouble: { trouble in troubles.all.withLock { $0.append(trouble) } }))
          let reader = MailboxReader(stop, on: main.base) { main.stop() }
          announce.yield((server.port, main.poster))
          withExtendedLifetime((server, reader)) { main.run() }
        } catch {
          announce.finish(throwing: error)
        }
      }
      guard let thread else { throw ServerFailure.noThread }
      thread.detach()
      var iterator = ready.makeAsyncIterator()
      guard let (port, poster) = try await iterator.next() else { throw ServerFailure.noThread }
      (self.port, self.poster, self.troubles, self.stop) = (port, poster, troubles, stop)
      self.waiting = waiting
    }

    deinit { stop.post(()) }

    /// All that comes back for these bytes until the server closes.
    func answers(to text: String) async throws -> String {
      try await aside { [self] in Result { try blockingAnswers(to: text) } }.get()
    }

    /// For dialogues that may not wait for the thread pool of the tests: on a thread of their own.
    func blockingAnswers(to text: String) throws -> String {
      let socket = try PlainSocket(port: port)
      socket.send(Array(text.utf8))
      return String(decoding: socket.blockingReadToEnd(), as: UTF8.self)
    }

    /// The next request that waits.
    func nextWaiting() async throws -> PlainReply {
      for await reply in waiting.news.stream { return reply }
      throw ServerFailure.noThread
    }
  }

  private static let end = "connection: close\r\n\r\n"

  @Test("Requests are answered in order, one after another on one connection") func answers() async throws {
    let echo = try await Echo()
    let text = try await echo.answers(
      to: "GET /a HTTP/1.1\r\nhost: localhost\r\n\r\nPOST /b HTTP/1.1\r\nhost: localhost\r\n"
        + "content-length: 2\r\n\r\n{}GET /c HTTP/1.1\r\nhost: localhost\r\n" + Self.end)
    let places = ["GET /a", "POST /b", "GET /c"].map { text.firstRange(of: $0)?.lowerBound }
    #expect(
      places.allSatisfy { $0 != nil } && places.compactMap(\.self).sorted() == places.compactMap(\.self), "\(text)")
    #expect(text.ranges(of: "HTTP/1.1 200 OK").count == 3)
  }

  @Test(
    "A body in chunks is read, with extensions after a space, and with blanks after its encoding",
    arguments: ["Chunked", "chunked\t", " chunked \t "], ["2", "2 ;name=value", "2  ; name=\"value\""])
  func chunked(encoding: String, size: String) async throws {
    let text = try await Echo().answers(
      to: "POST /b HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: \(encoding)\r\nconnection: close\r\n\r\n"
        + "\(size)\r\n{}\r\n0\r\n\r\n")
    #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("POST /b"))
  }

  private static let chunked = "POST /x HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n"

  static let flawed: [(request: String, status: Int, word: String)] = [
    (
      "POST /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}0", 400,
      "one Content-Length"
    ),
    (
      "POST /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\n{}", 400,
      "one Content-Length"
    ),
    ("GET /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\ncontent-length: 3\r\n\r\n", 400, "one Content-Length"),
    ("GET /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: +2\r\n\r\n{}", 400, "must be a number"),
    (
      "POST /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      400, ""
    ),
    ("GET /x HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: xchunked\r\n\r\n", 501, "xchunked"),
    ("POST /x HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501, "gzip"),
    ("GET /x HTTP/1.1\r\nHost : localhost\r\n\r\n", 400, "host "),
    ("GET /x HTTP/1.1\r\nhost: localhost\r\nx y: z\r\n\r\n", 400, "x y"),
    ("GET /x HTTP/1.1\r\nhost: localhost\u{0}.evil.com\r\n\r\n", 400, "NUL byte"),
    ("GET /x\u{0} HTTP/1.1\r\nhost: localhost\r\n\r\n", 400, ""),
    ("POST /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\n\r\n{\u{0}}", 400, "NUL byte"),
    ("QUERY /x HTTP/1.1\r\nhost: localhost\r\n\r\n", 501, "method"),
    ("PROPFIND /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}", 501, "method"),
    ("Q /x HTTP/1.1\r\nhost: localhost\r\n\r\n", 400, "not valid HTTP/1.1"),
    ("nonsense\r\n\r\n", 400, "not valid HTTP/1.1"),
    ("GET /x HTTP/1.1\r\nhost\r\n\r\n", 400, "not valid HTTP/1.1"),
    ("POST /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1048577\r\n\r\n", 413, "1048576 bytes"),
    ("POST /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: abc\r\n\r\n", 400, ""),
    ("GET /x HTTP/1.1\r\nhost: localhost\r\nx: \(String(repeating: "y", count: 17_000))\r\n\r\n", 400, "16384 bytes"),
    ("GET /x HTTP/1.1\nhost: localhost\n\n", 400, "CR LF"),
    ("GET /x HTTP/1.1\r\nhost: localhost\nx: y\r\n\r\n", 400, "CR LF"),
    ("GET /x HTTP/1.1\r\nhost: localhost\r\n .evil.com\r\n\r\n", 400, "next line"),
    // Valid, but beyond libevent: the sentence says so.
    (chunked + "2;name=value\r\n{}\r\n0\r\n\r\n", 501, "after a space"),
    (
      "POST /x HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding:\tchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 501,
      "without a tab"
    ),
    ("\r\nGET /x HTTP/1.1\r\nhost: localhost\r\n\r\n", 400, "empty line"),
    (chunked + "0x2\r\n{}\r\n0\r\n\r\n", 400, "hexadecimal"),
    (chunked + "0x10\r\n{}", 400, "hexadecimal"),
    (chunked + "zz\r\n{}\r\n0\r\n\r\n", 400, "hexadecimal"),
    (chunked + String(repeating: "0", count: 20_000), 400, "not valid HTTP/1.1"),
  ]

  @Test("A request that is ambiguous for proxies, or unreadable, is refused with our own sentence", arguments: flawed)
  func refused(request: String, status: Int, word: String) async throws {
    let echo = try await Echo()
    let text = try await echo.answers(to: request)
    #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text)")
    #expect(text.lowercased().contains("connection: close"))
    #expect(text.contains(word) && !text.contains("<HTML>"), "\(text)")
    #expect(text.ranges(of: "HTTP/1.1 \(status) ").count == 1)
    // The server is none the worse for it.
    #expect(try await echo.answers(to: "GET /a HTTP/1.1\r\nhost: localhost\r\n" + Self.end).hasSuffix("GET /a"))
  }

  @Test("An unknown method after a valid request is refused with our own sentence, too") func pipelined() async throws {
    let text = try await Echo().answers(
      to: "GET /a HTTP/1.1\r\nhost: localhost\r\n\r\nQUERY /x HTTP/1.1\r\nhost: localhost\r\n\r\n")
    #expect(text.contains("GET /a") && text.contains("HTTP/1.1 501 ") && !text.contains("<HTML>"), "\(text)")
  }

  @Test("A client that sends Expect: 100-continue gets 100") func goesOn() async throws {
    let echo = try await Echo()
    let body = String(repeating: " ", count: 2000)
    let asked = try await Program.run(
      "curl", "-sv", "-H", "Expect: 100-continue", "-d", body, "http://127.0.0.1:\(echo.port)/b")
    #expect(asked.status == 0 && asked.text.contains("100 Continue") && asked.text.contains("POST /b"), "\(asked.text)")
  }

  private static let wait = "POST /wait HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}"

  @Test("A connection above the limit gets 503, none of its requests is carried out, and the trouble is reported")
  func limit() async throws {
    let echo = try await Echo(limit: 3)
    // On a thread of its own: the server ends a connection on which nothing comes for a minute.
    try await aside { Result { try Self.crowd(echo) } }.get()
  }

  private static func crowd(_ echo: Echo) throws {
    var open = try (0..<3).map { _ in try PlainSocket(port: echo.port) }
    let order = "POST /order HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}"
    for text in [
      order, order + order + order, wait, "GET /order", "nonsense\r\n\r\n", "POST /order HTTP/1.1\r\n", "",
    ] {
      let answers = try echo.blockingAnswers(to: text)
      #expect(answers.hasPrefix("HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n"), "\(text): \(answers)")
      #expect(answers.ranges(of: "HTTP/1.1").count == 1 && answers.contains("already has 3 connections"), "\(answers)")
    }
    #expect(echo.waiting.targets.withLock { $0 } == [])
    // Once, unless the machine is so slow that these are spells apart.
    let troubles = echo.troubles.all.withLock { $0 }
    #expect(Set(troubles) == [.tooManyConnections(limit: 3)] && troubles.count <= 7)
    open.removeLast().send(Array(("GET /a HTTP/1.1\r\nhost: localhost\r\n" + end).utf8))
    // The server sees the end of that one before it sees another, or refuses a few more.
    for _ in 0..<1000 {
      let text = try echo.blockingAnswers(to: "GET /b HTTP/1.1\r\nhost: localhost\r\n" + end)
      if text.hasSuffix("GET /b") { return }
    }
    Issue.record("nobody is served")
  }

  @Test("A request that waits holds a seat among the connections, until its client closes")
  func seats() async throws {
    let echo = try await Echo(limit: 2)
    var waiting: [PlainSocket] = []
    for _ in 0..<2 {
      let socket = try PlainSocket(port: echo.port)
      waiting.append(socket)
      socket.send(Array(Self.wait.utf8))
      #expect(try await echo.nextWaiting().isAwaited)
    }
    let request = "GET /b HTTP/1.1\r\nhost: localhost\r\n" + Self.end
    #expect(try await echo.answers(to: request).hasPrefix("HTTP/1.1 503 "))
    waiting[0].close()
    for _ in 0..<1000 where try await echo.answers(to: request).hasSuffix("GET /b") { return }
    Issue.record("its seat is not free")
  }

  /// Ways to go away while waiting for an answer.
  enum Leaving: String, CaseIterable, Sendable {
    case closes, closesHalf, resets, sendsMoreAndCloses, sendsMuchAndCloses, sendsWithoutEnd
  }

  @Test(
    "A client that goes away while it waits is noticed, whatever it has sent, and its connection ends",
    arguments: Leaving.allCases, [wait, "GET /wait HTTP/1.1\r\nhost: localhost\r\n\r\n"])
  func leaves(how: Leaving, request: String) async throws {
    let echo = try await Echo()
    let socket = try PlainSocket(port: echo.port)
    socket.send(Array(request.utf8))
    let reply = try await echo.nextWaiting()
    #expect(reply.isAwaited)
    switch how {
    case .closes: socket.close()
    case .closesHalf: socket.closeHalf()
    case .resets: socket.reset()
    case .sendsMoreAndCloses, .sendsMuchAndCloses:
      // The server reads nothing meanwhile, so it must not wait for this to be read.
      let more = "GET /never HTTP/1.1\r\nhost: localhost\r\n\r\n"
      socket.send(Array(String(repeating: more, count: how == .sendsMoreAndCloses ? 1 : 1000).utf8))
      socket.close()
    case .sendsWithoutEnd:
      // More than the system takes: the client's end would not be seen behind it.
      socket.sendWhatFits()
    }
    // Other requests are served meanwhile; each is a turn of the loop.
    while reply.isAwaited {
      #expect(try await echo.answers(to: "GET /a HTTP/1.1\r\nhost: localhost\r\n" + Self.end).hasSuffix("GET /a"))
    }
    if how == .closesHalf { #expect(await socket.readToEnd() == [], "it no longer gets an answer") }
    reply.send(Echo.response("too late"))
    #expect(try await echo.answers(to: "GET /a HTTP/1.1\r\nhost: localhost\r\n" + Self.end).hasSuffix("GET /a"))
    #expect(!echo.waiting.targets.withLock { $0.contains("/never") })
  }

  @Test("What a client sends while it waits is served after its answer", arguments: ["POST", "GET"])
  func sendsMore(method: String) async throws {
    let echo = try await Echo()
    let socket = try PlainSocket(port: echo.port)
    socket.send(Array("\(method) /wait HTTP/1.1\r\nhost: localhost\r\n\r\n".utf8))
    let reply = try await echo.nextWaiting()
    socket.send(Array(("GET /next HTTP/1.1\r\nhost: localhost\r\n" + Self.end).utf8))
    // So that the server has seen the bytes before it answers.
    for _ in 0..<3 {
      #expect(try await echo.answers(to: "GET /a HTTP/1.1\r\nhost: localhost\r\n" + Self.end).hasSuffix("GET /a"))
    }
    #expect(reply.isAwaited && !echo.waiting.targets.withLock { $0.contains("/next") })
    reply.send(Echo.response("late"))
    let text = String(decoding: await socket.readToEnd(), as: UTF8.self)
    #expect(text.contains("late") && text.hasSuffix("GET /next"), "\(text)")
  }

  @Test("A client that waits after Expect: 100-continue gets its answer")
  func waitsAfterContinue() async throws {
    let echo = try await Echo()
    let socket = try PlainSocket(port: echo.port)
    let head = "POST /wait HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\ncontent-length: 2\r\n"
    socket.send(Array((head + Self.end).utf8))
    socket.send(Array("{}".utf8))
    try await echo.nextWaiting().send(Echo.response("late"))
    let text = String(decoding: await socket.readToEnd(), as: UTF8.self)
    #expect(text.contains("HTTP/1.1 200 OK") && text.hasSuffix("late"), "\(text)")
  }

  @Test("A port that another program takes in between is in use, and nothing crashes")
  func listenFails() throws {
    let main = MainLoop()
    let owner = PlainServer.Owner(
      answer: { _, _ in HTTPResponse(status: 200, fields: HTTPFields(), body: []) },
      refuse: { _ in HTTPResponse(status: 400, fields: HTTPFields(), body: []) }, trouble: { _ in })
    let first = try BoundSocket(host: "127.0.0.1", port: 0)
    // Both may bind; only one may listen.
    let second = try BoundSocket(host: "127.0.0.1", port: first.port)
    let server = try PlainServer(on: main, at: first, limit: 10, owner: owner)
    #expect(throws: ListenFailure.portInUse(host: "127.0.0.1", port: first.port)) {
      try PlainServer(on: main, at: second, limit: 10, owner: owner)
    }
    #expect(server.port == first.port)
  }

  @Test("a server that ends while an answer is not read leaves no event of its socket behind, of which libevent warns")
  func unread() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let main = MainLoop()
      let answer = HTTPResponse(status: 200, fields: HTTPFields(), body: [UInt8](repeating: 0x20, count: 16 << 20))
      let refuse = { (flaw: PlainFlaw) in HTTPResponse(status: flaw.status, fields: HTTPFields(), body: []) }
      var server: PlainServer? = try PlainServer(
        on: main, at: BoundSocket(host: "127.0.0.1", port: 0), limit: 10,
        owner: PlainServer.Owner(
          answer: { _, _ in
            main.after(.milliseconds(1)) { main.stop() }
            return answer
          }, refuse: refuse, trouble: { _ in }))
      let client = try PlainSocket(port: try #require(server?.port))
      client.send(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
      main.run()
      server = nil
      withExtendedLifetime(client) {}
    }
    #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains("[warn]") == false)
  }
}
