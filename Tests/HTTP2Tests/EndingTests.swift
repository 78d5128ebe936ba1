import HTTP2
import Testing
import WireFormats

@Suite("Streams and connections end") struct EndingTests {
  @Test("A stream cancelled before its request has ended is not reported") func cancelledEarly() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: false), .data(1, "{", ends: false), .reset(1))
    #expect(server.requests.isEmpty)
    #expect(server.cancelled.isEmpty)
    #expect(server.session.openStreamCount == 0)
  }

  @Test("A stream cancelled while its answer is pending is named once") func cancelledLate() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true))
    #expect(server.session.awaitingCount == 1)
    server.receive(.reset(1))
    #expect(server.cancelled == [1])
    #expect(server.session.awaitingCount == 0)
    #expect(server.session.counters.cancelledStreams == 1)
  }

  @Test("A stream the server resets is not reported as cancelled") func serverResets() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true))
    server.session.reset(1, .internalError)
    #expect(server.frames() == [.reset(1, 2)])
    #expect(server.cancelled.isEmpty)
    #expect(server.session.awaitingCount == 0)
  }

  @Test("Streams opened and reset in endless sequence are a flood") func rapidReset() {
    let server = Server.greeted()
    for index in 0..<2000 where server.session.wantsRead {
      let stream = Int32(2 * index + 1)
      server.receive(.headers(stream, .post, ends: true), .reset(stream))
      _ = server.output()
    }
    guard case .flooded = server.session.failure else {
      Issue.record("the session goes on: \(String(describing: server.session.failure))")
      return
    }
    #expect(server.session.isFinished)
  }

  @Test("PINGs, and SETTINGS, in endless sequence are a flood", arguments: [Frame.Kind.ping, .settings])
  func floods(kind: Frame.Kind) {
    let server = Server.greeted()
    let frame = Frame(kind: kind, payload: kind == .ping ? [UInt8](repeating: 0, count: 8) : [])
    server.receive((0..<100_000).flatMap { _ in frame.bytes })
    guard case .flooded = server.session.failure else {
      Issue.record("the session goes on: \(String(describing: server.session.failure))")
      return
    }
    #expect(server.frames().last?.kind == .goAway)
    #expect(server.session.isFinished)
  }

  @Test("A PING is answered with its own eight bytes") func ping() {
    let server = Server.greeted()
    server.receive(Frame(kind: .ping, payload: Array("12345678".utf8)))
    #expect(server.frames() == [Frame(kind: .ping, flags: Frame.ack, payload: Array("12345678".utf8))])
  }

  @Test(
    "An HTTP/1.1 client is recognised, wherever its bytes are divided",
    arguments: ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST /3/device/00 HTTP/1.1\r\n"], [1, 3, 100])
  func http1(text: String, piece: Int) {
    let server = Server()
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: piece) {
      server.receive(Array(bytes[start..<min(start + piece, bytes.count)]))
    }
    guard case .notHTTP2(let first, looksLikeHTTP1: true) = server.session.failure else {
      Issue.record("not recognised: \(String(describing: server.session.failure))")
      return
    }
    #expect(bytes.starts(with: first))
    #expect(server.frames().map(\.kind) == [.settings, .goAway])
    #expect(server.session.isFinished)
  }

  @Test("Bytes that are not HTTP are shown as they arrived") func badPreface() {
    let server = Server()
    server.receive(Array("PRI * HTTP/3.0\r\n".utf8))
    #expect(
      server.session.failure == .notHTTP2(firstBytes: Array("PRI * HTTP/3.0\r\n".utf8), looksLikeHTTP1: false))
  }

  @Test("A violated rule is reported with its code, and the GOAWAY is sent") func protocolError() {
    let server = Server.greeted()
    server.receive(Frame(kind: .data, stream: 0, payload: [1]))
    #expect(server.frames().last?.kind == .goAway)
    guard case .protocolError(.protocolError, _) = server.session.failure else {
      Issue.record("\(String(describing: server.session.failure))")
      return
    }
  }

  @Test("GOAWAY has the debug data; streams in flight are finished, later ones are not served")
  func goAway() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true))
    server.session.goAway(.noError, debug: Array(#"{"reason":"Shutdown"}"#.utf8))
    let frame = server.frames().first
    #expect(frame?.kind == .goAway)
    #expect(frame?.number(at: 0) == 1)
    #expect(frame?.number(at: 4) == 0)
    #expect(frame.map { Array($0.payload[8...]) } == Array(#"{"reason":"Shutdown"}"#.utf8))
    #expect(!server.session.isFinished)
    server.receive(.headers(3, .post, ends: true))
    #expect(server.requests.map(\.stream) == [1])
    server.answerAll()
    #expect(server.frames().map(\.kind) == [.headers])
    #expect(server.session.isFinished)
    #expect(server.session.failure == nil)
  }

  @Test("GOAWAY can take back streams that have begun") func goAwayZero() {
    let server = Server.greeted()
    server.receive(.headers(1, .post, ends: true))
    server.session.goAway(lastStream: 0, .refusedStream, debug: Array("no".utf8))
    #expect(server.frames().first?.payload == [0, 0, 0, 0, 0, 0, 0, 7, 0x6E, 0x6F])
    #expect(server.session.openStreamCount == 0)
  }

  @Test("A session with open streams frees its memory") func deletedOpen() {
    let pool = SlotPool()
    for _ in 0..<3 {
      let session = HTTP2Session(SessionOptions(), pool: pool)
      let bytes =
        Frame.preface + Frame.settings().bytes + Frame.headers(1, .post, ends: false).bytes
        + Frame.headers(3, .post, ends: true).bytes
      bytes.withUnsafeBytes { session.receive($0) }
      #expect(session.openStreamCount == 2)
    }
  }
}
