import Transport

/// The destination of a load run, and the fields of its requests.
struct LoadTarget: Sendable {
  let requests: SendingOrder.Target
  /// The destinations in words, such as "10,000 tokens".
  let words: String
  /// The topic or the app, for people.
  let topic: String
  /// The number of tokens, or 1 for a channel.
  let count: Int
  /// The broadcast channel.
  let channel: String?
  private let kindFields: [(name: String, value: String)]

  init(_ order: LoadOrder, payload: LoadPayload, server: RunningServer) throws {
    guard order.kind == .broadcast else {
      let tokens = try LoadTokens(order, payload: payload, server: server)
      requests = .tokens(tokens.tokens)
      words = LoadWords.count(tokens.tokens.count, "token")
      topic = "topic \(tokens.topic)"
      count = tokens.tokens.count
      channel = nil
      let priority = order.priority ?? (order.kind == .background ? "5" : nil)
      kindFields =
        [("apns-topic", tokens.topic), ("apns-push-type", order.kind.pushType)]
        + (priority.map { [("apns-priority", $0)] } ?? [])
      return
    }
    let channel = try LoadChannel(order, payload: payload, server: server)
    requests = .broadcasts(channel.app)
    words = "the channel \(channel.id)"
    topic = "app \(channel.app)"
    count = 1
    self.channel = channel.id
    kindFields = [
      ("apns-channel-id", channel.id), ("apns-push-type", order.kind.pushType),
      ("apns-priority", order.priority ?? "10"), ("apns-expiration", "0"),
    ]
  }

  func fields(_ providerToken: String) -> [(name: String, value: String)] {
    [("authorization", "bearer \(providerToken)")] + kindFields
  }
}
