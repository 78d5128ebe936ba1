import HTTP2
import TestSupport
import Testing
import WireFormats

@Suite("What a session holds for its client") struct HoldingTests {
  private let large = [(String, String)].post + [("x", String(repeating: "x", count: 3000))]

  @Test("A request's memory is freed when it is handed over; its answer takes its own length") func givenBack() {
    let server = Server.greeted(by: .settings([(UInt16(4), UInt32(0))])) { $0.announcedStreams = 1000 }
    #expect(server.session.heldBytes == 0)
    server.receive(.headers(1, large, ends: false))
    #expect(server.session.heldBytes > 3000)
    server.receive(.data(1, "{}"))
    let waiting = server.session.heldBytes
    #expect(waiting <= 1024)
    server.session.respond(1, .refusal(400, String(repeating: "a", count: 100)))
    _ = server.output()
    #expect(server.session.heldBytes == waiting + 100)
    #expect(server.session.unsentAnswers == 1)
    server.receive(.windowUpdate(1, 100))
    _ = server.output()
    #expect(server.session.heldBytes == 0)
    #expect(server.session.unsentAnswers == 0)
  }

  @Test(
    "Beyond the bound only new streams are refused; once answers are sent, streams are served again",
    .setting("wire.connectionBytes"))
  func bound() {
    let server = Server.greeted(by: .settings([(UInt16(4), UInt32(0))])) {
      $0.announcedStreams = 1000
      $0.heldLimit = 10 * 1024
    }
    var stream: Int32 = 1
    while server.session.takeUnserved().isEmpty, stream < 100 {
      server.receive(.headers(stream, .post, ends: true))
      server.answerAll(.refusal(400, "{}"))
      stream += 2
    }
    // Ten of 1,024 bytes and their answers, which is more than ten KiB; the eleventh was refused.
    #expect(stream == 23)
    #expect(server.frames().filter { $0.kind == .rstStream } == [.reset(21, 7)])
    server.receive(.settings([(UInt16(4), UInt32(1000))]))
    _ = server.output()
    #expect(server.session.heldBytes == 0)
    server.receive(.headers(stream, .post, ends: true))
    #expect(server.requests.map(\.stream) == [stream])
    #expect(server.session.failure == nil)
  }

  @Test("A body that exceeds the bound is refused and forgotten") func bodies() {
    let server = Server.greeted {
      $0.announcedStreams = 1000
      $0.heldLimit = 20 * 1024
    }
    let body = String(repeating: "x", count: 8000)
    for stream in [1, 3, 5] as [Int32] {
      server.receive(.headers(stream, .post, ends: false), .data(stream, body, ends: false))
    }
    let told = server.session.takeUnserved()
    #expect(told.allSatisfy { $0.why == .noRoom } && !told.isEmpty)
    #expect(server.session.heldBytes < 20 * 1024)
    server.receive(.data(1, ""))
    #expect(server.requests.map(\.stream) == [1])
  }
}
