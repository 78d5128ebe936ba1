import Pushpit
import Transport
import WireFormats

/// A push that is sent by hand: `pushpit send`.
package struct SendRequest: Sendable {
  package enum Recipient: Sendable {
    /// A device of the fleet by its id; the token that fits the push type is looked up.
    case device(String)
    case token(String)
    /// A broadcast channel by its id.
    case channel(String)
  }

  package var recipient: Recipient
  package var push: ProviderPush
  /// Nil for `alert`, or `liveactivity` to a channel.
  package var givenType: String?
  package var keyID: String?

  package init(to recipient: Recipient, payload: [UInt8]) {
    self.recipient = recipient
    push = ProviderPush(payload: payload)
  }

  package struct Outcome: Sendable {
    package let status: Int
    package let id: String
    /// The error body, if any.
    package let body: String
    /// The push's fate according to the admin API; nil if that cannot be reached.
    package let story: String?
  }

  package func send(to target: RunningServer) throws -> Outcome {
    try target.checkListeners()
    if case .channel(let channel) = recipient { return try broadcast(to: channel, target) }
    var push = push
    push.pushType = givenType ?? push.pushType
    let (token, app) = try address(of: push, target)
    let provider = try target.signer(keyID, for: app).token()
    let path = "/3/device/\(PercentCoding.encode(token))"
    let reply = try target.push(path, headers: push.headers(for: app, provider: provider), body: push.payload)
    let id = reply["apns-id"] ?? ""
    return Outcome(
      status: reply.status, id: id, body: String(decoding: reply.body, as: UTF8.self), story: story(id, target))
  }

  private func broadcast(to channel: String, _ target: RunningServer) throws -> Outcome {
    let app = try target.channelApp(push.app)
    let provider = try target.signer(keyID, for: app).token()
    let headers: [(name: String, value: String)] = [
      ("authorization", "bearer \(provider)"), ("apns-channel-id", channel),
      ("apns-push-type", givenType ?? "liveactivity"), ("apns-priority", push.priority ?? "10"),
      ("apns-expiration", push.expiration ?? "0"),
    ]
    let reply = try target.push("/4/broadcasts/apps/\(app)", headers: headers, body: push.payload)
    let id = reply["apns-request-id"] ?? ""
    return Outcome(
      status: reply.status, id: id, body: String(decoding: reply.body, as: UTF8.self),
      story: target.story(ofChannelRequest: id))
  }

  private func story(_ id: String, _ target: RunningServer) -> String? {
    let answer = try? target.api.perform(AdminAPI.Order("v1", "pushes", id))
    return answer?.value["why"]?["sentence"]?.string.map { TerminalText.clean($0) }
  }

  /// The token to push to, and its app.
  private func address(of push: ProviderPush, _ target: RunningServer) throws -> (token: String, app: String) {
    switch recipient {
    case .token(let token): return (token, push.appOfToken)
    case .channel: throw CommandFailure("A channel has no token.")
    case .device(let device):
      return try push.address(on: device, target.api.perform(AdminAPI.Order("v1", "devices", device)).value)
    }
  }

}
