import HTTP2
import TestSupport
import Testing
import WireFormats

@Suite("A header list over the limit") struct HeaderLimitTests {
  /// Fields whose list has exactly this size: name, value and 32 for each.
  private func fields(size: Int) -> [(String, String)] {
    let used = [(String, String)].post.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 32 }
    return .post + [("x", String(repeating: "v", count: size - used - 33))]
  }

  @Test("Exactly at the limit it passes") func atLimit() {
    let server = Server.greeted()
    server.receive(.headers(1, fields(size: 8000), ends: true))
    #expect(server.requests.count == 1)
  }

  @Test("One byte more: 431 without a body, when the request has ended; the request is not handed over")
  func answered() {
    let server = Server.greeted()
    server.receive(.headers(1, fields(size: 8001), ends: false))
    #expect(server.frames().isEmpty)
    server.receive(.data(1, "{}"))
    #expect(server.requests.isEmpty)
    let client = Client()
    client.post("/", body: "")
    _ = client.output()
    client.receive(Frame.settings().bytes + server.output())
    #expect(client.answers[1]?.status == "431")
    #expect(server.session.counters.oversizeHeaderLists == 1)
    #expect(server.session.awaitingCount == 0)
  }

  @Test("Or the stream is reset, once, and the next request is served", .setting("wire.headerOverflow"))
  func reset() {
    let server = Server.greeted { $0.oversizeHeaders = .reset }
    server.receive(.headers(1, fields(size: 9000) + [("y", "z")], ends: true))
    #expect(server.frames() == [.reset(1, 11)])
    server.receive(.headers(3, .post, ends: true))
    #expect(server.requests.map(\.stream) == [3])
  }

  @Test("A list of many megabytes, in more and more CONTINUATIONs, ends the connection") func endless() {
    let server = Server.greeted()
    server.receive(Frame(kind: .headers, stream: 1, payload: Frame.block(.post)))
    let more = Frame.block([("x", String(repeating: "v", count: 16_000))])
    for _ in 0..<700 where server.session.failure == nil {
      server.receive(Frame(kind: .continuation, stream: 1, payload: more))
    }
    guard case .flooded = server.session.failure else {
      Issue.record("the session goes on: \(String(describing: server.session.failure))")
      return
    }
    #expect(server.frames().last?.kind == .goAway)
    #expect(server.session.isFinished)
  }
}
