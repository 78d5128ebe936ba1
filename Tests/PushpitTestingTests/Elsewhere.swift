import Synchronization
import Transport
import WireFormats

/// An HTTP server that is not Pushpit, on a thread of its own.
final class Elsewhere: Sendable {
  struct NotStarted: Error {}

  let url: String
  private let stop: Mailbox<Void>

  /// - Parameter text: the body of all answers; nil for a server that never answers.
  init(answering text: String?) async throws {
    let stop = Mailbox<Void>()
    let (ports, announce) = AsyncThrowingStream.makeStream(of: Int.self)
    let thread = LoopThread {
      do {
        let main = MainLoop()
        let server = try PlainServer(
          on: main, at: BoundSocket(host: "127.0.0.1", port: 0), limit: 100,
          owner: PlainServer.Owner(
            answer: { _, _ in text.map { HTTPResponse(status: 200, fields: HTTPFields(), body: Array($0.utf8)) } },
            refuse: { HTTPResponse(status: $0.status, fields: HTTPFields(), body: []) }, trouble: { _ in }))
        let reader = MailboxReader(stop, on: main.base) { main.stop() }
        announce.yield(server.port)
        withExtendedLifetime((server, reader)) { main.run() }
      } catch {
        announce.finish(throwing: error)
      }
    }
    guard let thread else { throw NotStarted() }
    thread.detach()
    var iterator = ports.makeAsyncIterator()
    guard let port = try await iterator.next() else { throw NotStarted() }
    url = "http://127.0.0.1:\(port)"
    self.stop = stop
  }

  func end() { stop.post(()) }

  deinit { end() }
}
