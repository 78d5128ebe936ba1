import Pushpit
import Transport
import WireFormats

/// A request about broadcast channels that is sent by hand: `pushpit channels`.
package struct ChannelRequest: Sendable {
  package enum Order: Sendable {
    /// - Parameter stores: whether APNs stores the most recent message for devices that are offline.
    case create(stores: Bool)
    case list
    case show(String)
    case delete(String)
  }

  private let order: Order
  /// Nil for the fleet's first app.
  package var app: String?
  package var production = false
  /// URL of the channel management; nil for the server's.
  package var server: String?
  package var keyID: String?

  package init(_ order: Order) { self.order = order }

  package struct Outcome: Sendable {
    package let status: Int
    /// The result of the request: channel ids, or the description of a channel.
    package let lines: [String]
    /// The reason why the request was rejected; nil if the admin API cannot be reached.
    package let story: String?

    package var isSuccess: Bool { (200..<300).contains(status) }
  }

  package func send(to target: RunningServer) throws -> Outcome {
    if server == nil { try target.checkListeners() }
    let app = try target.channelApp(app)
    let manager = target.channelManager(server, production: production)
    let provider = try target.signer(keyID, for: app).token()
    var headers = [(name: "authorization", value: "bearer \(provider)")]
    if let channel { headers.append(("apns-channel-id", channel)) }
    let reply = try target.send(method, to: manager, "/1/apps/\(app)/\(path)", headers: headers, body: body)
    let isSuccess = (200..<300).contains(reply.status)
    return Outcome(
      status: reply.status, lines: isSuccess ? lines(reply) : [String(decoding: reply.body, as: UTF8.self)],
      story: isSuccess ? nil : reply["apns-request-id"].flatMap { target.story(ofChannelRequest: $0) })
  }

  /// Asks each cell of a fleet. They give the same channels the same ids, if each was created at all of them.
  package func send(toAll targets: [RunningServer]) throws -> Outcome {
    var first: (server: RunningServer, outcome: Outcome)?
    for target in targets {
      let outcome = try send(to: target)
      guard outcome.isSuccess else { return outcome }
      guard let first else {
        first = (target, outcome)
        continue
      }
      guard Set(outcome.lines) == Set(first.outcome.lines) else {
        throw CommandFailure(
          "\(first.server.admin) and \(target.admin) do not have the same channels: one of them has answered a request"
            + " that the other did not get. POST /v1/reset with {\"everything\":true} at every cell starts over.")
      }
    }
    guard let first else { throw CommandFailure("No server was named.") }
    return first.outcome
  }

  private var channel: String? {
    switch order {
    case .create, .list: nil
    case .show(let id), .delete(let id): id
    }
  }

  private var method: String {
    switch order {
    case .create: "POST"
    case .list, .show: "GET"
    case .delete: "DELETE"
    }
  }

  private var path: String { if case .list = order { "all-channels" } else { "channels" } }

  private var body: [UInt8] {
    guard case .create(let stores) = order else { return [] }
    let value: JSONValue = ["message-storage-policy": JSONValue(stores ? 1 : 0), "push-type": "LiveActivity"]
    return Array(value.text.utf8)
  }

  private func lines(_ reply: WebCall.Reply) -> [String] {
    switch order {
    case .create: return [reply["apns-channel-id"] ?? ""]
    case .delete: return []
    case .show: return [String(decoding: reply.body, as: UTF8.self)]
    case .list:
      let list = try? JSONValue.parse(reply.body)
      return list?["channels"]?.elements?.compactMap(\.string) ?? []
    }
  }
}

extension RunningServer {
  /// Returns the explanation of the admin API for a broadcast or a request about channels.
  func story(ofChannelRequest id: String) -> String? {
    var order = AdminAPI.Order("v1", "broadcasts")
    order.query = [("limit", "100")]
    guard let view = try? api.perform(order).value,
      let found = view["requests"]?.elements?.first(where: { $0["requestId"]?.string == id })
    else { return nil }
    if let sentence = found["sentence"]?.string { return sentence }
    guard let count = found["subscribers"]?.integer else { return nil }
    return "\(count) Live \(count == 1 ? "Activity subscribes" : "Activities subscribe") to the channel."
  }
}
