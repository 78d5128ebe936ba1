import HTTP2
import Testing
import WireFormats

@Suite("A HEADERS frame that arrives in two reads") struct InterleaveTests {
  private let fields = [(String, String)].post + [("authorization", "bearer secret"), ("apns-topic", "com.example")]

  /// A request is awaiting its answer, and half of the next one's HEADERS frame has come.
  private func halfArrived(answerWindow: UInt32 = 65_535) -> (server: Server, rest: [UInt8]) {
    let server = Server.greeted(by: .settings([(UInt16(4), answerWindow)]))
    let second = Frame.headers(3, fields, ends: false).bytes
    server.receive(Frame.headers(1, .post, ends: true).bytes + second[..<70])
    return (server, Array(second[70...]) + Frame.data(3, "{}").bytes)
  }

  private func expectWhole(_ server: Server) throws {
    let request = try #require(server.requests.last)
    #expect(request.stream == 3)
    #expect(request.request.fields.list.map(\.name) == fields.map(\.0))
    #expect(request.request.fields.list.map(\.value) == fields.map(\.1))
    #expect(Array(request.request.body) == Array("{}".utf8))
  }

  @Test("Its request is complete when another is answered between the two") func answered() throws {
    let (server, rest) = halfArrived()
    server.session.respond(1, .success)
    _ = server.output()
    server.receive(rest)
    try expectWhole(server)
  }

  @Test(
    "Its request is complete when another is answered in pieces, reset, or a GOAWAY is sent, between the two",
    arguments: ["pieces", "reset", "goAway"])
  func others(_ event: String) throws {
    let (server, rest) = halfArrived()
    switch event {
    case "pieces": server.session.respond(1, .refusal(400, "{}"), in: BodySplit(sizes: [1], pause: .seconds(1)))
    case "reset": server.session.reset(1, .internalError)
    default: server.session.goAway(lastStream: 3, .noError)
    }
    _ = server.output()
    server.receive(rest)
    try expectWhole(server)
  }

  @Test("It does not mix with the answer of another stream that waits for a window") func waiting() throws {
    let (server, rest) = halfArrived(answerWindow: 0)
    server.session.respond(1, .refusal(400, "answer"))
    _ = server.output()
    server.receive(rest)
    try expectWhole(server)
    server.receive(.windowUpdate(1, 1000))
    #expect(server.frames() == [Frame(kind: .data, flags: Frame.endStream, stream: 1, payload: Array("answer".utf8))])
  }
}
