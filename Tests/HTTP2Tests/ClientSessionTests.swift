import HTTP2
import Testing
import WireFormats

@Suite("The client's side of a connection")
struct ClientSessionTests {
  /// A client and the server that it talks to, in memory.
  private struct Pair {
    let client: ClientSession
    let server: Server

    init(streams: Int = 10, announced: Int = 100, maxBody: Int = 8192) {
      let head = RequestHead(
        authority: "localhost", [("apns-topic", "com.example.app"), ("apns-push-type", "alert")], idName: "apns-id")
      client = ClientSession(
        streams: streams, head, RequestPaths(prefix: "/3/device/", ["aa", "bbbb"]), pool: SlotPool())
      server = Server { $0.announcedStreams = announced }
      talk()
    }

    /// Passes bytes until both have nothing more to say.
    func talk() {
      while true {
        let out = bytes()
        server.receive(out)
        let back = server.output()
        back.withUnsafeBytes { client.receive($0) }
        if out.isEmpty, back.isEmpty { return }
      }
    }

    private func bytes() -> [UInt8] {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
      defer { buffer.deallocate() }
      return Array(buffer[..<client.fill(buffer)])
    }

    func send(_ number: UInt64, body: String = "{}") -> Bool {
      client.send(number, id: id(number), body: Array(body.utf8), at: Int64(number))
    }

    func id(_ number: UInt64) -> InlineArray<36, UInt8> {
      InlineArray(repeating: UInt8(ascii: "0") + UInt8(number % 10))
    }
  }

  @Test("a request has the prepared fields, and its own path, id and body")
  func request() throws {
    let pair = Pair()
    #expect(pair.send(0, body: "first"))
    #expect(pair.send(3, body: String(repeating: "x", count: 5000)))
    pair.talk()
    let requests = pair.server.requests.map(\.request)
    try #require(requests.count == 2)
    #expect(requests.map { $0.fields[":path"] } == ["/3/device/aa", "/3/device/bbbb"])
    #expect(requests.map { $0.fields["apns-topic"] } == ["com.example.app", "com.example.app"])
    #expect(requests.map { $0.fields["apns-id"] } == ["0", "3"].map { String(repeating: $0, count: 36) })
    #expect(Array(requests[0].body) == Array("first".utf8) && requests[1].body.count == 5000)
  }

  @Test("an answer ends its request, with its status and the body of an error")
  func answers() throws {
    let pair = Pair()
    #expect(pair.send(7) && pair.send(8))
    pair.talk()
    #expect(pair.client.openCount == 2)
    let streams = pair.server.requests.map(\.stream)
    pair.server.session.respond(streams[0], .success)
    pair.server.session.respond(streams[1], .refusal(410, #"{"reason":"Unregistered"}"#))
    pair.talk()
    let ended = pair.client.ended
    #expect(ended.map(\.number) == [7, 8] && ended.map(\.startedAt) == [7, 8])
    #expect(ended.map(\.status) == [200, 410] && ended.allSatisfy { $0.code == .noError })
    #expect(ended[0].body.isEmpty && ended[1].body == Array(#"{"reason":"Unregistered"}"#.utf8))
    #expect(pair.client.openCount == 0)
    pair.client.clearEnded()
    #expect(pair.client.ended.isEmpty)
  }

  @Test("streams are used again, thousands of times")
  func reuse() {
    let pair = Pair(streams: 5)
    var answered: [UInt64] = []
    for number in 0..<3000 as Range<UInt64> {
      #expect(pair.send(number))
      guard !pair.client.canSend else { continue }
      pair.talk()
      pair.server.answerAll()
      pair.talk()
      answered += pair.client.ended.map(\.number)
      pair.client.clearEnded()
    }
    #expect(answered == Array(0..<3000))
  }

  @Test("no more streams are opened than the server allows, from its first SETTINGS on")
  func streamLimit() {
    let pair = Pair(streams: 10, announced: 3)
    #expect(pair.client.limit == 3)
    for number in 0..<3 as Range<UInt64> { #expect(pair.client.canSend && pair.send(number)) }
    #expect(!pair.client.canSend && pair.client.isFull)
    pair.server.session.announceStreams(100)
    pair.talk()
    #expect(pair.client.limit == 10 && pair.client.canSend)
    let silent = ClientSession(
      streams: 1, RequestHead(authority: "a", [], idName: nil), RequestPaths(prefix: "/", ["a"]), pool: SlotPool())
    #expect(!silent.canSend, "nothing is sent before SETTINGS")
  }

  @Test("after a GOAWAY nothing is begun; what lies above its last stream comes back as refused")
  func goAway() throws {
    let pair = Pair()
    for number in 0..<4 as Range<UInt64> { #expect(pair.send(number)) }
    pair.talk()
    let streams = pair.server.requests.map(\.stream)
    pair.server.session.goAway(lastStream: streams[1], .noError, debug: Array("bye".utf8))
    pair.talk()
    #expect(pair.client.farewell == ClientSession.Farewell(code: .noError, debug: "bye"))
    #expect(!pair.client.canSend && !pair.client.isServing)
    #expect(pair.client.ended.map(\.number).sorted() == [2, 3])
    #expect(pair.client.ended.allSatisfy { $0.status == 0 && $0.code == .refusedStream })
    pair.client.clearEnded()
    pair.server.session.respond(streams[0], .success)
    pair.server.session.respond(streams[1], .success)
    pair.talk()
    #expect(pair.client.ended.map(\.status) == [200, 200])
  }

  @Test("a request that meets a GOAWAY on its way is not lost")
  func crossing() {
    let pair = Pair()
    #expect(pair.send(0))
    pair.talk()
    pair.server.session.goAway(.noError)
    // Submitted, but not yet written when the GOAWAY arrives.
    #expect(pair.send(1))
    pair.server.output().withUnsafeBytes { pair.client.receive($0) }
    pair.talk()
    #expect(pair.client.ended.map(\.number) == [1] && pair.client.ended.first?.code == .refusedStream)
    #expect(pair.client.openCount == 1)
  }

  @Test("a reset ends its request without an answer")
  func reset() {
    let pair = Pair()
    #expect(pair.send(5))
    pair.talk()
    pair.server.session.reset(pair.server.requests[0].stream, .internalError)
    pair.talk()
    #expect(pair.client.ended.map(\.status) == [0] && pair.client.ended.first?.code == .internalError)
  }

  @Test("a lost connection ends every open request")
  func givingUp() {
    let pair = Pair()
    #expect(pair.send(0) && pair.send(1))
    pair.talk()
    pair.client.giveUp()
    #expect(pair.client.ended.map(\.number) == [0, 1] && pair.client.openCount == 0)
  }

  @Test("bodies that wait for the server's window are noticed")
  func window() {
    let pair = Pair(streams: 40)
    for number in 0..<40 as Range<UInt64> { #expect(pair.send(number, body: String(repeating: "x", count: 4000))) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 1)
    defer { buffer.deallocate() }
    #expect(!pair.client.isBlocked)
    // 160,000 bytes are more than the 65,535 of the first window.
    let first = Array(buffer[..<pair.client.fill(buffer)])
    #expect(pair.client.isBlocked)
    pair.server.receive(first)
    pair.talk()
    #expect(!pair.client.isBlocked && pair.server.requests.count == 40)
  }

  @Test("bytes that are not HTTP/2 are a failure")
  func failure() {
    let pair = Pair()
    Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8).withUnsafeBytes { pair.client.receive($0) }
    pair.talk()
    #expect(pair.client.failure != nil && !pair.client.canSend)
  }
}
