import Synchronization
import Testing
import Transport
import WireFormats

@Suite("The plain server of the admin API", .timeLimit(.minutes(1))) struct PlainServerTests {
  /// One on a thread of its own, which echoes the method and the target.
  private final class Echo: Sendable {
    let port: Int
    let troubles: Troubles
    private let poster: MainLoopPoster
    private let stop: Mailbox<Void>

    /// What the owner was told.
    final class Troubles: Sendable {
      let all = Mutex<[PlainServer.PlainTrouble]>([])
    }

    init(limit: Int = 100) async throws {
      let (troubles, stop) = (Troubles(), Mailbox<Void>())
      let (ready, announce) = AsyncThrowingStream.makeStream(of: (Int, MainLoopPoster).self)
      let thread = LoopThread {
        do {
          let main = MainLoop()
          let server = try PlainServer(
            on: main, at: BoundSocket(host: "127.0.0.1", port: 0), limit: limit,
            owner: PlainServer.Owner(
              answer: { request, _ in
                HTTPResponse(status: 200, fields: HTTPFields(), body: Array("\(request.method) \(request.target)".utf8))
              },
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
    }

    deinit { stop.post(()) }

    /// All that comes back for these bytes until the server closes.
    func answers(to text: String) async throws -> String {
      let socket = try PlainSocket(port: port)
      socket.send(Array(text.utf8))
      return String(decoding: await socket.readToEnd(), as: UTF8.self)
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

  @Test("A body in chunks is read") func chunked() async throws {
    let text = try await Echo().answers(
      to: "POST /b HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: Chunked\r\nconnection: close\r\n\r\n"
        + "2\r\n{}\r\n0\r\n\r\n")
    #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("POST /b"))
  }

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
    let asked = try await Command.run(
      "curl", "-sv", "-H", "Expect: 100-continue", "-d", body, "http://127.0.0.1:\(echo.port)/b")
    #expect(asked.status == 0 && asked.text.contains("100 Continue") && asked.text.contains("POST /b"), "\(asked.text)")
  }

  @Test("A connection above the limit is closed, and reported; after one has closed, the next is served")
  func limit() async throws {
    let echo = try await Echo(limit: 3)
    var open = try (0..<3).map { _ in try PlainSocket(port: echo.port) }
    for _ in 0..<5 { #expect(await (try PlainSocket(port: echo.port)).readToEnd() == []) }
    // Once, unless the machine is so slow that these are spells apart.
    let troubles = echo.troubles.all.withLock { $0 }
    #expect(Set(troubles) == [.tooManyConnections(limit: 3)] && troubles.count <= 5)
    open.removeLast().send(Array(("GET /a HTTP/1.1\r\nhost: localhost\r\n" + Self.end).utf8))
    // The server sees the end of that one before it sees another, or refuses a few more.
    for _ in 0..<1000 {
      let text = try await echo.answers(to: "GET /b HTTP/1.1\r\nhost: localhost\r\n" + Self.end)
      if text.hasSuffix("GET /b") { return }
    }
    Issue.record("nobody is served")
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
}
