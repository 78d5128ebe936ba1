import HTTP2
import Testing
import Transport

extension TestServer {
  /// A server on one loop that answers nothing of itself.
  static func silent(
    host: UInt32 = 0x7F00_0001, _ change: (inout TransportOptions) -> Void = { _ in }
  ) async throws -> TestServer {
    try await TestServer(host: host) {
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
    let (other, _) = try await FrameClient.greeted(port: port, host: host)
    other.ping("catch up")
    let answer = try await other.nextFrame()
    #expect(answer.kind == .ping)
    other.close()
  }
}
