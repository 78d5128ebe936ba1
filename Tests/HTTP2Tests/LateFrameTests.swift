import HTTP2
import Testing
import WireFormats

@Suite("Frames for streams that have ended") struct LateFrameTests {
  private static let answer = HTTPResponse(status: 200, fields: HTTPFields(), body: [])

  /// A server that has answered stream 1 and forgotten it.
  private func answered() -> Server {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true))
    server.session.respond(1, Self.answer)
    _ = server.output()
    #expect(server.session.openStreamCount == 0)
    return server
  }

  @Test("An error is found, wherever the bytes are divided", arguments: 0...13) func cuts(at cut: Int) {
    let server = answered()
    let late = Frame.data(1, "late").bytes
    server.receive(Array(late[..<cut]))
    server.receive(Array(late[cut...]) + Frame.headers(3, .post, ends: true).bytes)
    let last = server.frames().last
    #expect(last?.kind == .goAway)
    #expect(last?.number(at: 0) == 1)
    #expect(last?.number(at: 4) == ErrorCode.streamClosed.rawValue)
    #expect(server.session.failure == .protocolError(.streamClosed, text: "DATA: stream closed"))
    #expect(server.requests.count == 1)
  }

  @Test("The error that nghttp2 finds first is reported") func firstMistakeCounts() {
    let server = answered()
    let ping = Frame(kind: .ping, stream: 1, payload: [UInt8](repeating: 0, count: 8))
    server.receive(ping, .data(1, "late"))
    let endings = server.frames().filter { $0.kind == .goAway }
    #expect(endings.map { $0.number(at: 4) } == [ErrorCode.protocolError.rawValue])
  }

  @Test("A skipped stream cannot be opened later") func passedOver() {
    let server = Server.greeted()
    server.receive(.headers(9, .post, ends: true), .headers(7, .post, ends: true))
    _ = server.output()
    #expect(server.session.failure == .protocolError(.protocolError, text: "HEADERS: invalid stream_id"))
    #expect(server.requests.map(\.stream) == [9])
  }

  @Test("The greatest stream number is like any other") func greatest() {
    let server = Server.greeted()
    server.receive(.headers(.max, .post, ends: true))
    #expect(server.requests.map(\.stream) == [.max])
    #expect(server.session.failure == nil)
  }

  @Test("Of many streams only the latest are remembered; older ones are ignored") func longAgo() {
    let server = answered()
    for stream in stride(from: Int32(3), through: 99, by: 2) {
      server.receive(.headers(stream, .post, ends: true))
      server.session.respond(stream, Self.answer)
      _ = server.output()
    }
    server.receive(.data(1, "late"))
    _ = server.output()
    #expect(server.session.failure == nil)
  }

  @Test("What follows a client's own reset is answered with one reset") func afterReset() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: false), .reset(1), .data(1, "a", ends: false), .data(1, "b"))
    #expect(server.frames() == [.reset(1, ErrorCode.streamClosed.rawValue)])
    #expect(server.session.failure == nil)
  }
}
