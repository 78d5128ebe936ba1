import HTTP2
import Testing
import WireFormats

@Suite("An answer is sent") struct PushAnswerTests {
  private let refusal = HTTPResponse.refusal(400, #"{"reason":"BadDeviceToken"}"#)

  @Test("Without a body the header block ends the stream") func success() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true))
    server.answerAll()
    let frames = server.frames()
    #expect(frames.map(\.kind) == [.headers])
    #expect(frames.first?.flags == Frame.endHeaders | Frame.endStream)
    #expect(server.session.openStreamCount == 0)
  }

  @Test("With a body it is one DATA frame that ends the stream") func error() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true))
    server.answerAll(refusal)
    let frames = server.frames()
    #expect(frames.map(\.kind) == [.headers, .data])
    #expect(frames.first?.flags == Frame.endHeaders)
    #expect(frames.last?.flags == Frame.endStream)
    #expect(frames.last?.payload == refusal.body)
  }

  @Test("Another client reads status, fields and body") func readByClient() {
    let (server, client) = (Server(), Client())
    client.post("/3/device/00", body: "{}")
    client.post("/3/device/01", body: "{}")
    server.receive(client.output())
    server.session.respond(3, refusal)
    server.session.respond(1, .success)
    client.receive(server.output(piece: 7))
    #expect(client.answers[1] == .init(fields: [":status": "200", "apns-id": "A-1"], body: [], code: 0))
    #expect(
      client.answers[3]
        == .init(fields: [":status": "400", "content-type": "application/json"], body: refusal.body, code: 0))
  }

  @Test("Fields that never repeat are kept out of the table") func unindexed() {
    let server = Server.greeted { $0.unindexedNames = ["apns-id"] }
    server.receive(.headers(1, .post, ends: true))
    server.answerAll()
    // :status 200 is entry 8 of the static table; then a literal that is never indexed (RFC 7541 6.2.3).
    #expect(server.frames().first?.payload.prefix(2) == [0x88, 0x10])
  }

  @Test("HEAD is answered without a body") func head() {
    let server = Server.greeted()
    var fields = [(String, String)].post
    fields[0].1 = "HEAD"
    server.receive(.headers(1, fields, ends: true))
    server.answerAll(refusal)
    #expect(server.frames().map(\.kind) == [.headers])
  }

  @Test("A body waits while the client's stream window is shut") func streamWindow() {
    let server = Server.greeted(by: .settings([(4, 0)]))
    server.receive(.headers(1, .post, ends: true))
    server.answerAll(refusal)
    #expect(server.frames().map(\.kind) == [.headers])
    server.receive(.windowUpdate(1, 1000))
    #expect(server.frames().map(\.payload) == [refusal.body])
  }

  @Test("A client with a stream window smaller than the body gets it in pieces") func smallWindow() {
    let server = Server.greeted(by: .settings([(4, 10)]))
    server.receive(.headers(1, .post, ends: true))
    server.answerAll(refusal)
    #expect(server.frames().last?.payload.count == 10)
    server.receive(.windowUpdate(1, 1000))
    #expect(server.frames().last?.flags == Frame.endStream)
  }

  @Test("A body is not split because the connection's window is almost used up: it waits for more")
  func connectionWindow() {
    let server = Server.greeted()
    let large = HTTPResponse.refusal(400, String(repeating: "x", count: 13_000))
    for index in 0..<6 { server.receive(.headers(Int32(2 * index + 1), .post, ends: true)) }
    server.answerAll(large)
    // 65,535 bytes hold five bodies and a piece of the sixth.
    #expect(server.frames().filter { $0.kind == .data }.map(\.payload.count) == Array(repeating: 13_000, count: 5))
    server.receive(.windowUpdate(0, 65_535))
    let last = server.frames()
    #expect(last.map(\.payload.count) == [13_000])
    #expect(last.first?.flags == Frame.endStream)
    #expect(server.session.openStreamCount == 0)
  }

  @Test("To a stream that was answered, reset or never opened, nothing is sent") func dropped() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true), .headers(3, .post, ends: true))
    server.session.respond(1, .success)
    server.session.respond(1, refusal)
    server.receive(.reset(3))
    server.session.respond(3, refusal)
    server.session.respond(99, refusal)
    #expect(server.frames().map(\.kind) == [.headers])
    #expect(server.session.awaitingCount == 0)
  }

  @Test("An invalid status becomes 500") func oddStatus() {
    let (server, client) = (Server(), Client())
    client.post("/", body: "")
    server.receive(client.output())
    server.answerAll(HTTPResponse(status: 7, fields: HTTPFields(), body: []))
    client.receive(server.output())
    #expect(client.answers[1]?.status == "500")
  }
}
