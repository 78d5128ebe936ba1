import Synchronization
import WireFormats

/// Answers one request of a `PlainServer` later, from any thread; no effect if the client has disconnected.
package struct PlainReply: Sendable {
  struct Letter: Sendable {
    let number: UInt64
    let response: HTTPResponse
    /// Supplies the body, if it is sent part by part.
    var feed: (any PlainFeed)?
  }

  /// The client, as far as the server knows it meanwhile.
  final class Client: Sendable {
    private let hasLeft = Atomic(false)

    var isGone: Bool { hasLeft.load(ordering: .relaxed) }
    func leave() { hasLeft.store(true, ordering: .relaxed) }
  }

  let number: UInt64
  let mailbox: Mailbox<Letter>
  let client = Client()

  /// False once the client has disconnected, or closed its side of the connection: whatever is done for it can end.
  package var isAwaited: Bool { !client.isGone }

  package func send(_ response: HTTPResponse) { mailbox.post(Letter(number: number, response: response)) }

  /// Sends an answer part by part. The feed is released with its last part, or when the client has disconnected.
  package func send(_ head: HTTPResponse, then feed: any PlainFeed) {
    mailbox.post(Letter(number: number, response: head, feed: feed))
  }
}
