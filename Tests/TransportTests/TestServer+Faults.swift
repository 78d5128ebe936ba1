import HTTP2
import Testing
import Transport

extension TestServer {
  /// A server on one loop that answers nothing of itself.
  static func silent(_ change: (inout TransportOptions) -> Void = { _ in }) async throws -> TestServer {
    try await TestServer {
      $0.loops = 1
      $0.session.announcedStreams = 1000
      change(&$0)
    } answer: { _, _ in
    }
  }

  func apply(_ effects: Effect..., to connection: ConnectionID) {
    var list = Effects()
    for effect in effects { list.append(effect) }
    poster.post(list, to: connection)
  }

  /// Waits until its only loop has done all that was ordered and read all that was sent before now.
  func catchUp() async throws {
    let (other, _) = try await FrameClient.greeted(port: port)
    other.ping("catch up")
    let answer = try await other.nextFrame()
    #expect(answer.kind == .ping)
    other.close()
  }
}
