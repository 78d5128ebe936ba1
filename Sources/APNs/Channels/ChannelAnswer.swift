import WireFormats

/// The answer to a broadcast or to a management request, before it is serialized.
///
/// Documented: statuses, headers and bodies ("Sending channel management requests to APNs", "Sending broadcast push
/// notification requests to APNs", "Handling error responses from APNs"). Observed: 201 and 204 with empty bodies (a
/// sandbox probe of 2026-09-24, Station push gateway).
package struct ChannelAnswer: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case published
    case created(ChannelID)
    case described(StoragePolicy)
    case deleted
    case listed([ChannelID])
    case refused(ChannelRejection)
  }

  package let requestID: NotificationID
  /// Of a broadcast that was accepted.
  package let uniqueID: NotificationID?
  package let outcome: Outcome

  package init(requestID: NotificationID, uniqueID: NotificationID? = nil, outcome: Outcome) {
    self.requestID = requestID
    self.uniqueID = uniqueID
    self.outcome = outcome
  }

  package var rejection: ChannelRejection? {
    if case .refused(let rejection) = outcome { rejection } else { nil }
  }

  /// The channel that was created.
  package var channelID: ChannelID? { if case .created(let id) = outcome { id } else { nil } }

  package var status: Int {
    switch outcome {
    case .published, .described, .listed: 200
    case .created: 201
    case .deleted: 204
    case .refused(let rejection): rejection.reason.status
    }
  }

  package var response: HTTPResponse {
    var fields = HTTPFields([("apns-request-id", requestID.text)])
    if let uniqueID { fields.append("apns-unique-id", uniqueID.text) }
    if case .created(let id) = outcome { fields.append("apns-channel-id", id.text) }
    if body != nil { fields.append("content-type", "application/json") }
    return HTTPResponse(status: status, fields: fields, body: (body?.text).map { Array($0.utf8) } ?? [])
  }

  private var body: JSONValue? {
    switch outcome {
    case .published, .created, .deleted: nil
    case .described(let policy): ["message-storage-policy": JSONValue(policy.rawValue), "push-type": "LiveActivity"]
    case .listed(let ids): ["channels": .array(ids.map { .string($0.text) })]
    case .refused(let rejection): ["reason": .string(rejection.reason.rawValue)]
    }
  }
}

/// The rejection of a broadcast or a management request, with the violated rule.
package struct ChannelRejection: Error, Hashable, Sendable {
  package let reason: RejectionReason
  /// The broken rule. Nil only if the configured order of rules leaves some out and none of the others was broken.
  package let rule: BrokenRule?

  package init(_ reason: RejectionReason, by rule: BrokenRule?) {
    self.reason = reason
    self.rule = rule
  }
}

/// A rule of one of the two tables. The rules about the provider apply to pushes and channels alike.
package enum BrokenRule: Hashable, Sendable {
  case provider(Rule)
  case channel(ChannelRule)

  package var name: String {
    switch self {
    case .provider(let rule): rule.rawValue
    case .channel(let rule): rule.rawValue
    }
  }

  package var sentence: String {
    switch self {
    case .provider(let rule): rule.sentence
    case .channel(let rule): rule.sentence
    }
  }
}

extension ChannelRejection {
  /// The broken rule, if it is about the provider.
  package var providerRule: Rule? { if case .provider(let rule) = rule { rule } else { nil } }
}
