import HTTP2
import Testing
import WireFormats

@Suite("The server sends more than one GOAWAY") struct LeavingTests {
  private func goAways(_ frames: [Frame]) -> [[UInt32]] {
    frames.filter { $0.kind == .goAway }.map { [$0.number(at: 0), $0.number(at: 4)] }
  }

  @Test("Twice: each with its given stream; streams between are served, those above are not, and none is reported")
  func twice() {
    let server = Server.greeted()
    server.session.goAway(lastStream: Int32.max, .noError, debug: Array("soon".utf8))
    var frames = server.frames()
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    server.session.goAway(lastStream: 3, .noError)
    frames += server.frames()
    #expect(goAways(frames) == [[0x7FFF_FFFF, 0], [3, 0]])
    #expect(frames.map(\.kind) == [.goAway, .goAway])
    #expect(Array(frames[0].payload[8...]) == Array("soon".utf8))
    server.receive(.headers(5, .post, ends: true), .headers(7, .post, ends: false), .data(7, "{}"))
    #expect(server.requests.map(\.stream) == [1, 3])
    #expect(server.frames().isEmpty)
    #expect(server.session.counters.ignoredStreams == 2)
    server.answerAll()
    #expect(server.frames().map(\.stream) == [1, 3])
    #expect(server.session.isFinished)
  }

  @Test("Streams above the last one are forgotten though they are answered later") func above() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true), .headers(5, .post, ends: true))
    server.session.goAway(lastStream: 1, .internalError)
    #expect(goAways(server.frames()) == [[1, 2]])
    #expect(server.session.openStreamCount == 1)
    server.answerAll()
    #expect(server.frames().map(\.stream) == [1])
    #expect(server.cancelled.isEmpty)
  }

  @Test("A second GOAWAY does not raise the last stream that is served, whatever its number") func notRaised() {
    let server = Server.greeted()
    server.session.goAway(lastStream: 1, .noError)
    server.session.goAway(lastStream: 7, .noError)
    #expect(goAways(server.frames()) == [[1, 0], [7, 0]])
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    #expect(server.requests.map(\.stream) == [1])
    #expect(server.session.ignored == [3])
    #expect(server.frames().isEmpty)
  }

  @Test("A stream reset before is sent with its reset") func resetBefore() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    server.session.reset(3, .internalError)
    server.session.goAway(lastStream: 1, .noError)
    #expect(server.frames().map(\.kind) == [.rstStream, .goAway])
  }

  @Test("PINGs are answered after the last stream has ended") func ping() {
    let server = Server.greeted()
    server.session.goAway(.noError)
    _ = server.output()
    let ping = Frame(kind: .ping, payload: Array("12345678".utf8))
    server.receive(ping)
    #expect(server.frames().map(\.payload) == [ping.payload])
  }

  @Test("A later GOAWAY does not mistake an ignored stream for an open one") func later() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true))
    server.session.goAway(lastStream: 1, .noError)
    server.receive(.headers(3, .post, ends: true))
    server.session.goAway(lastStream: nil, .enhanceYourCalm)
    #expect(goAways(server.frames()) == [[1, 0], [1, 11]])
    server.answerAll()
    #expect(server.frames().map(\.stream) == [1])
  }

  @Test("A GOAWAY follows the answers of its turn with their bodies, whether they are given before it or after")
  func behindAnswers() {
    let server = Server.greeted { $0.announcedStreams = 1000 }
    for stream in [1, 3, 5] as [Int32] { server.receive(.headers(stream, .post, ends: true)) }
    server.session.respond(1, .refusal(403, #"{"reason":"BadCertificate"}"#))
    server.session.goAway(.noError, debug: Array("why".utf8))
    server.session.respond(3, .success)
    server.session.respond(5, .refusal(403, #"{"reason":"BadCertificate"}"#))
    #expect(!server.session.isFinished)
    #expect(server.frames().map(\.kind) == [.headers, .headers, .headers, .data, .data, .goAway])
    #expect(server.session.isFinished)
  }

  @Test("An answer that waits for the client's window does not hold back a GOAWAY") func aheadOfWaiting() {
    let server = Server.greeted(by: .settings([(UInt16(4), UInt32(0))]))
    server.receive(Frame.settingsAck, .headers(1, .post, ends: true))
    server.session.respond(1, .refusal(403, #"{"reason":"BadCertificate"}"#))
    server.session.goAway(.noError)
    #expect(server.frames().map(\.kind) == [.headers, .goAway])
    server.receive(.windowUpdate(1, 100))
    #expect(server.frames().map(\.kind) == [.data])
    #expect(server.session.isFinished)
  }

  @Test("On a frozen connection that answers PINGs, a GOAWAY is kept behind the answers") func frozen() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true))
    server.session.respond(1, .refusal(403, #"{"reason":"BadCertificate"}"#))
    server.session.goAway(.noError)
    let (leaving, held) = server.session.fillOnlyPings()
    #expect(leaving.isEmpty)
    #expect(Frame.parse(held).map(\.kind) == [.headers, .data, .goAway])
  }

  @Test("Debug data longer than a frame is truncated") func longDebug() {
    let server = Server.greeted()
    server.session.goAway(.noError, debug: [UInt8](repeating: 0x78, count: 100_000))
    #expect(server.frames().first?.payload.count == 16_384)
  }
}
