import APNs
import Simulation

extension Setting {
  static let rules: [Setting] = [
    Setting(
      "rules.strictProviderTokens", \.rulebook.strictProviderTokens, .truth, flag: "strict-jwt",
      "Refuse provider tokens with a DER signature or an iat that is no integer.",
      .disputed("a trace of 2022 shows a DER signature answered 200; one project of 2026 says that DER is refused")),
    Setting(
      "rules.providerTokenLife", \.rulebook.providerTokenLife, .duration, flag: "provider-token-life",
      "How long a provider token is good after its iat.",
      .documented("Apple, Establishing a token-based connection to APNs")),
    Setting(
      "rules.providerTokenLead", \.rulebook.providerTokenLead, .duration,
      "How far ahead of the clock an iat may be.", .assumed("read from \"at most one hour from now\"")),
    Setting(
      "rules.tokenUpdateScope", \.rulebook.countTokenUpdatesPerKey, .choice(["connection": false, "key": true]),
      flag: "token-update-scope",
      "Whether provider token changes are counted per connection, or per key over all connections besides.",
      .disputed(
        "the same connection in Apple's documentation, the same team by an Apple engineer, the same address by a tester"
      )),
    Setting(
      "rules.tokenUpdateWindow", \.rulebook.tokenUpdateWindow, .duration, flag: "token-update-window",
      "Window in which provider token changes are counted.",
      .documented("Apple, Establishing a token-based connection to APNs: no more than once every 20 minutes")),
    Setting(
      "rules.tokenUpdatesAllowed", \.rulebook.tokenUpdatesAllowed, .whole(0...TokenChanges.mostAllowed),
      flag: "token-updates-allowed",
      "Changes of provider token allowed in that window before 429 TooManyProviderTokenUpdates.",
      .disputed("one by the words of Apple's article; more than two were also observed")),
    Setting(
      "rules.suffixMismatch", \.rulebook.suffixMismatch, .reason, flag: "suffix-mismatch",
      "Reason when the topic's suffix is not that of the push type.", .assumed("Apple's reason is not published")),
    Setting(
      "rules.unknownTokenStatus", \.rulebook.unknownTokenIsNotFound, .choice(["400": false, "404": true]),
      flag: "unknown-token-status", "Answer to an unknown device token: 400 BadDeviceToken, or 404.",
      .disputed(
        "400 in Apple's table, where 404 is a bad path; 404 in some articles"
          + " (docs/behavior/requests.md#devicetokenknown)"
      )),
    Setting(
      "rules.startTokenMisuse", \.rulebook.startTokensOnlyStart,
      .choice(["200": false, "DeviceTokenNotForTopic": true]),
      "Answer to an update or end sent to a push-to-start token; answered 200, it is dropped by the phone.",
      .disputed(
        "an end changed nothing, one source says DeviceTokenNotForTopic"
          + " (docs/behavior/dropped-pushes.md#wrong-token-kind)"
      )),
    Setting(
      "rules.refusedCertificate", \.rulebook.refusedCertificate, .word,
      "What a client with a certificate that is refused gets: a 403 to its first request and then GOAWAY, or GOAWAY as"
        + " it connects.",
      .disputed(
        "403 in Apple's table, GOAWAY as the connection opens in traces"
          + " (docs/behavior/connections.md#a-certificate-of-the-other-environment)"
      )),
    Setting(
      "rules.certificateLiveActivities", \.rulebook.certificateLiveActivities, .word,
      "Whether a Live Activity sent by certificate is refused with TopicDisallowed, or answered 200 and dropped.",
      .disputed(
        "TopicDisallowed on the wire, no sign at all by a guide"
          + " (docs/behavior/requests.md#live-activities-by-certificate)"
      )),
    Setting(
      "rules.updateTokenRate", \.rulebook.updateTokenRate, .rate, flag: "token-requests-per-second",
      "Requests per second that one activity's update token takes before 429 TooManyRequests; 0 for no limit. Up to 10"
        + " at once (or one second's worth, if that is more) pass after a pause.",
      .observed("a guideline of one a second for each activity (forum thread 827808); the 10 at once are assumed")),
    Setting(
      "rules.otherTokenRate", \.rulebook.otherTokenRate, .rate, flag: "device-requests-per-second",
      "The same for every other token, with the same 10 at once; 0 for no limit.",
      .documented("429 TooManyRequests exists; from how many on is not published")),
    Setting(
      "rules.broadcastDisabled", \.channelRules.disabledApps, .names("bundle,…"), flag: "broadcast-disabled",
      "Apps whose broadcast capability is off: all they ask about channels answers BroadcastFeatureNotEnabled.",
      .observed("Station's sandbox probe of 2026-09-24")),
    Setting(
      "rules.broadcastPriority", \.channelRules.priorityRequired, .choice(["required": true, "optional": false]),
      flag: "broadcast-priority", "Whether a broadcast without apns-priority is refused with BadPriority.",
      .assumed("Apple lists the header as required and names no reason for its absence")),
    Setting(
      "rules.channelsPerApp", \.channelRules.channelsPerApp, .whole(1...ChannelRegistry.mostPerHome),
      flag: "channels-per-app",
      "Channels that an app may have in each environment before CannotCreateChannelConfig.",
      .documented("Apple, Sending channel management requests to APNs: 10,000")),
    Setting(
      "rules.order", \.rulebook.order, .order, flag: "rule-order",
      "Order in which faults are reported; rules not named follow in the standard order (GET /v1/rules).",
      .assumed("Apple does not say which of several faults is reported; GET /v1/rules tells what is known of each")),
  ]
}

extension ChannelRulebook {
  /// Those whose capability is off, in an order that can be written down.
  fileprivate var disabledApps: [String] {
    get { disabled.sorted() }
    set { disabled = Set(newValue) }
  }
}

extension Setting {
  static let store: [Setting] = [
    Setting(
      "store.perToken", \.store.perToken, .whole(1...1000),
      "Pushes kept for one token and collapse id; the newest win.",
      .disputed(
        "one per device and bundle id by Apple, one per token and collapse id by a relay"
          + " (docs/behavior/delivery.md#storage)"
      )),
    Setting(
      "store.retention", \.store.retention, .duration, "How long a push without apns-expiration is kept.",
      .documented("30 days at most (docs/behavior/delivery.md#expiration)")),
    Setting(
      "store.most", \.store.most, .whole(0...10_000_000), "Pushes kept for all phones together.",
      .assumed("a limit of this program's memory")),
  ]
}
