import HTTP2
import TestSupport
import Testing
import Transport
import WireFormats

@Suite("Bytes held for all clients together", .timeLimit(.minutes(15))) struct HeldBytesTests {
  @Test(
    "Beyond the bound new streams of a client with unread answers are refused, and others are served",
    .setting("wire.totalBytes"), arguments: [64 * 1024, 1024 * 1024]
  )
  func bound(_ bytes: Int) async throws {
    let server = try await TestServer {
      $0.loops = 1
      $0.session.announcedStreams = 1000
      $0.limits.held = bytes
    } answer: {
      $1.respond($0.stream, .init(status: 400, fields: .init(), body: [UInt8](repeating: 0x78, count: 4000)))
    }
    // It has no window for bodies, so each answer leaves 4,000 bytes.
    let (client, _) = try await FrameClient.greeted(port: server.port, settings: [0, 4, 0, 0, 0, 0])
    var refused = 0
    for stream in stride(from: 1, to: 80, by: 2) {
      client.post(stream)
      if try await answer(to: stream, client) == .rstStream { refused += 1 }
    }
    // With about 1 KiB for its stream, 13 answers are 64 KiB; all 40 are less than 1 MiB.
    #expect(bytes > 64 * 1024 ? refused == 0 : (22...30).contains(refused), "\(refused)")
    let (other, _) = try await FrameClient.greeted(port: server.port)
    other.post(1)
    #expect(try await answer(to: 1, other) == .headers)
  }

  /// The kind of the first answer to a request: HEADERS, or RST_STREAM if it is refused.
  private func answer(to stream: Int, _ client: FrameClient) async throws -> FrameClient.Frame.Kind {
    while true {
      let frame = try await client.nextFrame()
      if frame.stream == stream, frame.kind == .headers || frame.kind == .rstStream { return frame.kind }
    }
  }
}
