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
      "rules.updateTokenRate", \.rulebook.updatesPerSecond, .whole(0...1_000_000), flag: "token-requests-per-second",
      "Requests per second that one activity's update token takes before 429 TooManyRequests; 0 for no limit.",
      .observed("a guideline of one a second for each activity (forum thread 827808)")),
    Setting(
      "rules.otherTokenRate", \.rulebook.othersPerSecond, .whole(0...1_000_000), flag: "device-requests-per-second",
      "The same for every other token; 0 for no limit.",
      .documented("429 TooManyRequests exists; from how many on is not published")),
    Setting(
      "rules.tokenBurst", \.rulebook.tokenBurst, .whole(1...1_000_000),
      "Requests to one token that pass at once after a pause, where one of these two limits it.",
      .assumed("ten; only a guideline of one a second was found")),
    Setting(
      "rules.errorsPerConnection", \.rulebook.errorsPerConnection, .optional("never", or: .count(1...1_000_000)),
      "Refused requests on one connection, 410 apart, after which it ends with GOAWAY.",
      .documented(
        "Apple, Handling notification responses from APNs: connections with many errors are dropped; the number is not"
          + " published, so it is off unless set (docs/behavior/connections.md#too-many-errors)")),
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
      "store.per", \.store.per, .word,
      "Of which pushes to a phone that is offline the newest is kept: of those to one token with one collapse id"
        + " (token), or of all to one app (app).",
      .disputed(
        "one per device and bundle id by Apple, one per token and collapse id by a relay"
          + " (docs/behavior/delivery.md#storage)"
      )),
    Setting(
      "store.perToken", \.store.perToken, .whole(1...1000), "How many of these are kept; the newest win.",
      .documented("one (docs/behavior/delivery.md#storage)")),
    Setting(
      "store.retention", \.store.retention, .duration,
      "How long a push is kept at most, whatever its apns-expiration says.",
      .documented("30 days at most (docs/behavior/delivery.md#expiration)")),
    Setting(
      "store.most", \.store.most, .whole(0...10_000_000), "Pushes kept for all phones together.",
      .assumed("a limit of this program's memory")),
  ]
}
