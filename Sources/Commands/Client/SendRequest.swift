import APNs
import Pushpit
import Transport
import WireFormats

/// One push sent by hand: `pushpit send`.
package struct SendRequest: Sendable {
  package enum Recipient: Sendable {
    /// A device of the fleet by its id; the token that fits the push type is looked up.
    case device(String)
    case token(String)
    /// A broadcast channel by its id.
    case channel(String)
  }

  package var recipient: Recipient
  package var app: String?
  /// The complete topic; nil for the bundle id with the suffix of the push type.
  package var topic: String?
  /// Nil for `alert`, or `liveactivity` to a channel.
  package var givenType: String?
  package var priority: String?
  package var expiration: String?
  package var collapseID: String?
  package var id: String?
  package var payload: [UInt8]
  package var keyID: String?

  package init(to recipient: Recipient, payload: [UInt8]) {
    self.recipient = recipient
    self.payload = payload
  }

  package struct Outcome: Sendable {
    package let status: Int
    package let id: String
    /// The error body, if any.
    package let body: String
    /// The push's fate according to the admin API; nil if that cannot be reached.
    package let story: String?
  }

  private var pushType: String { givenType ?? "alert" }

  package func send(to target: RunningServer) throws -> Outcome {
    if case .channel(let channel) = recipient { return try broadcast(to: channel, target) }
    let (token, app) = try address(target)
    let provider = try ProviderSigner(target.folder, keyID: keyID).token()
    var headers: [(name: String, value: String)] = [
      ("authorization", "bearer \(provider)"), ("apns-push-type", pushType),
      ("apns-topic", topic ?? app + Self.suffix(pushType)),
    ]
    for (name, value) in [
      ("apns-priority", priority ?? (pushType == "background" ? "5" : nil)), ("apns-expiration", expiration),
      ("apns-collapse-id", collapseID), ("apns-id", id),
    ] {
      if let value { headers.append((name, value)) }
    }
    do throws(WebCall.Failure) {
      let reply = try target.push("/3/device/\(token)", headers, payload)
      let id = reply["apns-id"] ?? ""
      return Outcome(
        status: reply.status, id: id, body: String(decoding: reply.body, as: UTF8.self), story: story(id, target))
    } catch {
      throw StartFailure("\(target.gateway) did not answer: \(error.description). For details, run `pushpit doctor`.")
    }
  }

  private func broadcast(to channel: String, _ target: RunningServer) throws -> Outcome {
    let app = try self.app ?? target.firstApp()
    let provider = try ProviderSigner(target.folder, keyID: keyID).token()
    let headers: [(name: String, value: String)] = [
      ("authorization", "bearer \(provider)"), ("apns-channel-id", channel),
      ("apns-push-type", givenType ?? "liveactivity"), ("apns-priority", priority ?? "10"),
      ("apns-expiration", expiration ?? "0"),
    ]
    do throws(WebCall.Failure) {
      let reply = try target.push("/4/broadcasts/apps/\(app)", headers, payload)
      let id = reply["apns-request-id"] ?? ""
      return Outcome(
        status: reply.status, id: id, body: String(decoding: reply.body, as: UTF8.self),
        story: target.story(ofChannelRequest: id))
    } catch {
      throw StartFailure("\(target.gateway) did not answer: \(error.description). For details, run `pushpit doctor`.")
    }
  }

  private func story(_ id: String, _ target: RunningServer) -> String? {
    let answer = try? target.api.perform(AdminAPI.Order("v1", "pushes", id))
    return answer?.value["why"]?["sentence"]?.string.map { TerminalText.clean($0) }
  }

  /// The token to push to, and its app.
  private func address(_ target: RunningServer) throws -> (token: String, app: String) {
    switch recipient {
    case .token(let token): return (token, app ?? "com.example.app")
    case .channel: throw StartFailure("A channel has no token.")
    case .device(let device):
      let view = try target.api.perform(AdminAPI.Order("v1", "devices", device)).value
      let apps = view["apps"]?.elements ?? []
      guard let found = apps.first(where: { app == nil || $0["bundleId"]?.string == app }),
        let bundleID = found["bundleId"]?.string
      else { throw StartFailure("\(device) has no app \(app ?? "at all").") }
      guard let token = token(in: found) else {
        throw StartFailure("\(bundleID) on \(device) has no token for a push of type \(pushType).")
      }
      return (token, bundleID)
    }
  }

  /// A Live Activity push goes to a running activity if there is one; otherwise it starts one.
  private func token(in app: JSONValue) -> String? {
    switch pushType {
    case "liveactivity":
      let running = app["activities"]?.elements?.last { $0["state"]?.string == "active" }
      return running?["updateToken"]?.string ?? app["pushToStart"]?.elements?.first?["token"]?.string
    case "alert", "background", "mdm": return app["deviceToken"]?.string
    default:
      let kinds = ["pushtotalk": "pushToTalk", "fileprovider": "fileProvider"]
      let kind = kinds[pushType] ?? pushType
      return app["services"]?.elements?.first { $0["kind"]?.string == kind }?["token"]?.string
    }
  }

  private static func suffix(_ pushType: String) -> String { TopicSuffixes.suffix(of: pushType) }
}

/// The topic suffix of a push type; none for an unknown type.
enum TopicSuffixes {
  static func suffix(of pushType: String) -> String { PushType(rawValue: pushType)?.suffix.text ?? "" }
}
