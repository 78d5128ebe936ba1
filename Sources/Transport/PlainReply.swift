import WireFormats

/// Answers one request later, from any thread; no effect if the client has left.
package struct PlainReply: Sendable {
  /// - Parameter feed: supplies the body, if it is sent part by part.
  package typealias Give = @Sendable (_ response: HTTPResponse, _ feed: (any PlainFeed)?) -> Void

  private let client: WaitingClient
  private let give: Give

  package init(to client: WaitingClient, _ give: @escaping Give) {
    self.client = client
    self.give = give
  }

  /// False once the client has left: of a connection, once it is closed, or the client's side of it.
  package var isAwaited: Bool { !client.isGone }

  package func send(_ response: HTTPResponse) { give(response, nil) }

  /// Sends an answer part by part. The feed is released with its last part, or when the client has left.
  package func send(_ head: HTTPResponse, then feed: any PlainFeed) { give(head, feed) }
}
