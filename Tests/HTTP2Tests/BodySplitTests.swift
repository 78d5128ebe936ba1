import HTTP2
import Testing
import WireFormats

@Suite("Answers that are sent in pieces") struct BodySplitTests {
  private let refusal = HTTPResponse.refusal(400, #"{"reason":"BadDeviceToken"}"#)

  private func pieces(_ frames: [Frame]) -> [String] {
    frames.filter { $0.kind == .data }.map {
      String(decoding: $0.payload, as: UTF8.self) + ($0.flags & Frame.endStream != 0 ? "|" : "")
    }
  }

  private func answered(_ split: BodySplit, _ answer: HTTPResponse? = nil) -> Server {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true))
    server.session.respond(1, answer ?? refusal, in: split)
    return server
  }

  @Test("The given sizes, and the rest") func sizes() {
    let frames = answered(BodySplit(sizes: [5, 0, 3])).frames()
    #expect(frames.first?.kind == .headers)
    #expect(pieces(frames) == [#"{"rea"#, #"son"#, #"":"BadDeviceToken"}|"#])
  }

  @Test("Sizes beyond the body, negative ones, and one that is the body") func odd() {
    #expect(pieces(answered(BodySplit(sizes: [-5, 20, 900])).frames()) == [#"{"reason":"BadDevice"#, #"Token"}|"#])
    #expect(pieces(answered(BodySplit(sizes: [27])).frames()) == [#"{"reason":"BadDeviceToken"}|"#])
    #expect(pieces(answered(BodySplit(sizes: [])).frames()) == [#"{"reason":"BadDeviceToken"}|"#])
  }

  @Test("END_STREAM apart") func apart() {
    #expect(pieces(answered(BodySplit(sizes: [], end: .apart)).frames()) == [#"{"reason":"BadDeviceToken"}"#, "|"])
  }

  @Test("No end of stream, with a body and without") func never() {
    let server = answered(BodySplit(sizes: [], end: .never))
    #expect(pieces(server.frames()) == [#"{"reason":"BadDeviceToken"}"#])
    #expect(server.session.openStreamCount == 1)
    let empty = answered(BodySplit(sizes: [], end: .never), .success)
    #expect(empty.frames().map { [$0.kind == .headers, $0.flags & Frame.endStream == 0] } == [[true, true]])
    #expect(empty.session.openStreamCount == 1)
    empty.receive(.reset(1))
    #expect(empty.session.openStreamCount == 0)
  }

  @Test("With a pause each piece waits for its release") func paused() {
    let server = answered(BodySplit(sizes: [5, 3], end: .apart, pause: .seconds(1)))
    #expect(pieces(server.frames()) == [#"{"rea"#])
    #expect(server.session.continueSplit(1))
    #expect(pieces(server.frames()) == [#"son"#])
    #expect(server.session.continueSplit(1))
    #expect(pieces(server.frames()) == [#"":"BadDeviceToken"}"#])
    _ = server.session.continueSplit(1)
    #expect(pieces(server.frames()) == ["|"])
    #expect(!server.session.continueSplit(1))
    #expect(server.session.openStreamCount == 0)
  }

  @Test("A client with narrow windows gets narrower pieces, and the complete body") func narrow() {
    let server = Server.greeted(by: .settings([(4, 4)]))
    server.receive(.headers(1, .post, ends: true))
    server.session.respond(1, refusal, in: BodySplit(sizes: [6]))
    #expect(pieces(server.frames()) == [#"{"re"#])
    server.receive(.windowUpdate(1, 100))
    #expect(pieces(server.frames()) == ["as", #"on":"BadDeviceToken"}|"#])
  }

  @Test(
    "A second answer is refused, in pieces or complete, and the first one is not affected",
    arguments: [nil, Duration.seconds(1)])
  func second(pause: Duration?) {
    let server = answered(BodySplit(sizes: [5], pause: pause))
    #expect(!server.session.respond(1, .refusal(503, "other"), in: BodySplit(sizes: [], pause: .seconds(1))))
    #expect(!server.session.respond(1, .success))
    for _ in 0..<5 { _ = server.session.continueSplit(1) }
    #expect(pieces(server.frames()) == [#"{"rea"#, #"son":"BadDeviceToken"}|"#])
    #expect(!server.session.respond(1, .success))
  }

  @Test("A stream that was reset accepts no answer, and one that was answered can still be reset") func resetFirst() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    #expect(server.session.reset(1, .internalError))
    #expect(!server.session.reset(1, .internalError))
    #expect(!server.session.respond(1, .success))
    #expect(server.session.respond(3, .success))
    #expect(server.session.reset(3, .cancel))
    #expect(server.session.awaitingCount == 0)
    #expect(server.frames().count { $0.kind == .rstStream } == 2)
    #expect(!server.session.reset(3, .cancel))
    #expect(server.frames().isEmpty)
  }

  @Test("What arrives for a stream between its reset here and the RST_STREAM frame is not a request")
  func resetArriving() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: false))
    #expect(server.session.reset(1, .refusedStream))
    server.receive(.data(1, "{}"))
    #expect(server.requests.isEmpty)
  }

  @Test("Reset in the middle, many times: nothing is left") func reset() {
    let server = Server.greeted()
    for index in 0..<50 {
      let stream = Int32(2 * index + 1)
      server.receive(.headers(stream, .post, ends: true))
      server.session.respond(stream, refusal, in: BodySplit(sizes: [1], pause: .seconds(1)))
      #expect(pieces(server.frames()) == ["{"])
      server.receive(.reset(stream))
      #expect(!server.session.continueSplit(stream))
    }
    #expect(server.session.openStreamCount == 0)
  }
}
