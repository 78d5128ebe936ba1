import APNs
import Simulation

extension Setting {
  static let rules: [Setting] = [
    Setting(
      "rules.strictProviderTokens", at: \.rulebook.strictProviderTokens, as: .truth, flag: "strict-jwt",
      "Reject provider tokens with a DER signature, an iat that is not an integer, or base64 that is padded or has +"
        + " and / in it.",
      grounds: .disputed(
        "a trace of 2022 shows a DER signature answered 200, one project of 2026 says that DER is rejected; a2 writes"
          + " padded base64 (docs/behavior/requests.md#providertokenwellformed)")),
    Setting(
      "rules.providerTokenLife", at: \.rulebook.providerTokenLife, as: .duration,
      "How long a provider token is valid after its iat.",
      grounds: .documented("Apple, Establishing a token-based connection to APNs")),
    Setting(
      "rules.tokenUpdateScope", at: \.rulebook.countTokenUpdatesPerKey,
      as: .choice(["connection": false, "key": true]),
      flag: "token-update-scope",
      "Whether provider token changes are counted per connection, or also per key over all connections.",
      grounds: .disputed(
        "per connection in Apple's documentation, per team according to an Apple engineer, per address according to"
          + " a tester"
      )),
    Setting(
      "rules.tokenUpdateWindow", at: \.rulebook.tokenUpdateWindow, as: .duration,
      "Window in which provider token changes are counted.",
      grounds: .documented("Apple, Establishing a token-based connection to APNs: no more than once every 20 minutes")),
    Setting(
      "rules.tokenUpdatesAllowed", at: \.rulebook.tokenUpdatesAllowed, as: .whole(0...TokenChanges.mostAllowed),

      "Number of provider token changes allowed in that window. Further ones get 429 TooManyProviderTokenUpdates.",
      grounds: .disputed("one according to Apple's article; more than two were also observed")),
    Setting(
      "rules.suffixMismatch", at: \.rulebook.suffixMismatch, as: .reason,
      "Reason if the topic's suffix does not match the push type.",
      grounds: .observed(
        "InvalidPushType for a VoIP topic in six projects (docs/behavior/requests.md#topicsuffixmatchespushtype)")),
    Setting(
      "rules.doubledSuffix", at: \.rulebook.doubledSuffix, as: .reason,
      "Reason for a topic with two suffixes of push types, such as com.example.app.voip.voip.",
      grounds: .disputed("dotAPNS issue 90 saw DeviceTokenNotForTopic (docs/behavior/requests.md#topicallowed)")),
    Setting(
      "rules.strictHeaders", at: \.rulebook.strictHeaders, as: .truth,
      "Reject a background push of another priority than 5 (BadPriority), and an empty apns-collapse-id"
        + " (BadCollapseId).",
      grounds: .disputed(
        "Apple calls the priority an error, developers saw it accepted; nothing is known of the empty id"
          + " (docs/behavior/requests.md#priority)")),
    Setting(
      "rules.unknownTokenStatus", at: \.rulebook.unknownTokenIsNotFound, as: .choice(["400": false, "404": true]),
      "Answer to an unknown device token: 400 BadDeviceToken, or 404.",
      grounds: .disputed(
        "400 in Apple's table, where 404 is a bad path; 404 in some articles"
          + " (docs/behavior/requests.md#devicetokenknown)"
      )),
    Setting(
      "rules.startTokenMisuse", at: \.rulebook.startTokensOnlyStart,
      as: .choice(["200": false, "DeviceTokenNotForTopic": true]),
      "Answer to an update or end sent to a push-to-start token; after 200 the phone drops it.",
      grounds: .disputed(
        "an end changed nothing; one source says DeviceTokenNotForTopic"
          + " (docs/behavior/dropped-pushes.md#wrong-token-kind)"
      )),
    Setting(
      "rules.refusedCertificate", at: \.rulebook.refusedCertificate, as: .word,
      "Answer to a client whose certificate is rejected: 403 to its first request and then GOAWAY (answer), GOAWAY when"
        + " it connects (goAway), or a TLS alert if the certificate is expired, revoked or of an unknown authority, and"
        + " 403 otherwise (alert).",
      grounds: .disputed(
        "alerts for expired certificates and unknown authorities in logs; otherwise 403 in Apple's table, GOAWAY when"
          + " the connection opens in traces (docs/behavior/connections.md#a-certificate-of-the-other-environment)"
      )),
    Setting(
      "rules.certificateLiveActivities", at: \.rulebook.certificateLiveActivities, as: .word,
      "Whether a Live Activity sent by certificate is rejected with TopicDisallowed, or answered 200 and dropped.",
      grounds: .disputed(
        "TopicDisallowed on the wire; one guide says that it fails silently"
          + " (docs/behavior/requests.md#live-activities-by-certificate)"
      )),
    Setting(
      "rules.updateTokenRate", at: \.rulebook.updatesPerSecond, as: .whole(0...1_000_000),
      flag: "token-requests-per-second",
      "Maximum requests per second to one activity's update token; further ones get 429 TooManyRequests. 0: no limit.",
      grounds: .observed("a guideline of one a second for each activity (forum thread 827808)")),
    Setting(
      "rules.otherTokenRate", at: \.rulebook.othersPerSecond, as: .whole(0...1_000_000),
      "The same for every other token. 0: no limit.",
      grounds: .documented("429 TooManyRequests exists; the limit is not published")),
    Setting(
      "rules.tokenBurst", at: \.rulebook.tokenBurst, as: .whole(1...1_000_000),
      "Number of requests to one token or channel that are accepted at once after a pause, if a rate limits them.",
      grounds: .assumed("ten; only a guideline of one a second was found")),
    Setting(
      "rules.errorsPerConnection", at: \.rulebook.errorsPerConnection,
      as: .optional("never", or: .count(1...1_000_000)),
      "Number of rejected requests, except 410, after which a connection ends with GOAWAY.",
      grounds: .documented(
        "Apple, Handling notification responses from APNs: connections with many errors are dropped; the number is not"
          + " published, so it is off unless set (docs/behavior/connections.md#too-many-errors)")),
    Setting(
      "rules.block", at: \.rulebook.block, as: .optional("never", or: .duration),
      "How long pushes get 429 TooManyRequests from a network address that closes more than 30 connections within a"
        + " minute of opening them, one a second, or sends more than 100 pushes to one device, ten a second.",
      grounds: .documented(
        "Apple, Troubleshooting push notifications: a server may be blocked for a while; no number is published, so it"
          + " is off unless set (docs/behavior/requests.md#sendernotblocked)")),
    Setting(
      "rules.broadcastDisabled", at: \.channelRules.disabledApps, as: .names("bundle,…"),
      "Apps whose broadcast capability is off: all their requests about channels get BroadcastFeatureNotEnabled.",
      grounds: .observed("Station's sandbox probe of 2026-09-24")),
    Setting(
      "rules.broadcastPriority", at: \.channelRules.priorityRequired,
      as: .choice(["required": true, "optional": false]),
      "Whether a broadcast without apns-priority is rejected with BadPriority.",
      grounds: .assumed("Apple lists the header as required but names no reason for a missing one")),
    Setting(
      "rules.broadcastRate", at: \.channelRules.broadcastRate, as: .broadcastRate,
      "Maximum number of broadcasts per second to a channel, or per minute or hour with /m or /h, after a burst of"
        + " rules.tokenBurst; further ones get 429 TooManyRequests. Two limits, such as 20,5 or 60/m,12/h: without and"
        + " with message storage. 0: no limit.",
      grounds: .documented(
        "429 TooManyRequests exists, and channels without storage may publish more; the limits are not published"
          + " (docs/behavior/channels.md#broadcastrate)")),
    Setting(
      "rules.channelsPerApp", at: \.channelRules.channelsPerApp, as: .whole(1...ChannelRegistry.mostPerHome),

      "Maximum number of channels of an app in each environment; further ones are answered CannotCreateChannelConfig.",
      grounds: .documented("Apple, Sending channel management requests to APNs: 10,000")),
    Setting(
      "rules.channelList", at: \.channelRules.listsAtBothPaths, as: .choice(["both": true, "allChannels": false]),
      "Where all channels of an app are listed: at all-channels, and at channels if a request names none (both), or at"
        + " all-channels only.",
      grounds: .disputed(
        "Apple documents all-channels, which node-apn and hapns use; APNSwift asked channels until June 2026"
          + " (docs/behavior/channels.md#listing-channels)")),
  ]
}

extension ChannelRulebook {
  /// Bundle ids with the capability off, sorted so that they can be written.
  fileprivate var disabledApps: [String] {
    get { disabled.sorted() }
    set { disabled = Set(newValue) }
  }
}

extension Setting {
  static let store: [Setting] = [
    Setting(
      "store.per", at: \.store.per, as: .word,
      "What shares one place in storage while a phone is offline: pushes to one token with one collapse id (token), or"
        + " all pushes to one app (app).",
      grounds: .disputed(
        "one per bundle id according to Sending notification requests to APNs, several by collapse id according to User"
          + " Notifications updates of June 2024 and a relay (docs/behavior/delivery.md#storage)"
      )),
    Setting(
      "store.perToken", at: \.store.perToken, as: .whole(1...1000),
      "Maximum number of stored pushes in one such place; the newest are kept.",
      grounds: .disputed(
        "one per bundle id according to Sending notification requests to APNs, a queue according to User Notifications"
          + " updates of June 2024 (docs/behavior/delivery.md#storage)")),
    Setting(
      "store.retention", at: \.store.retention, as: .duration,
      "Maximum time for which a push is stored, whatever its apns-expiration.",
      grounds: .documented("30 days at most (docs/behavior/delivery.md#expiration)")),
    Setting(
      "store.withoutExpiration", at: \.store.triesOnceWithoutExpiration, as: .choice(["stored": false, "once": true]),
      "Whether a push without apns-expiration is stored for an offline phone, or sent only once.",
      grounds: .disputed(
        "stored for 30 days according to Apple, sent once according to three operators"
          + " (docs/behavior/delivery.md#expiration)")),
    Setting(
      "store.keeps", at: \.store.keeps, as: .word,
      "Which push is kept where a newer one finds no room: the newest, or by lottery an older one in a fifth of the"
        + " cases.",
      grounds: .documented(
        "in most cases the latest, which is not always guaranteed (Sending notification requests to APNs); assumed: the"
          + " share (docs/behavior/delivery.md#storage)")),
    Setting(
      "store.newSubscribers", at: \.store.givesNewSubscribersTheLatest,
      as: .choice(["nothing": false, "latest": true]),
      "Whether an activity that subscribes to a channel gets the message that the channel stores.",
      grounds: .disputed(
        "Apple stores the most recent message for a device that was not reachable, and says nothing about activities"
          + " that subscribe later (docs/behavior/channels.md#new-subscribers)")),
    Setting(
      "store.most", at: \.store.most, as: .whole(0...10_000_000),
      "Maximum number of stored pushes for all phones together.",
      grounds: .assumed("a limit of this program's memory")),
  ]

  static let delivery: [Setting] = [
    Setting(
      "delivery.acknowledge", at: \.store.acknowledgement, as: .durations,
      "Time that a phone which is online takes to acknowledge a push, drawn per push; until then, a newer push of the"
        + " scope store.per overwrites it. 0: at once.",
      grounds: .documented(
        "Apple, Troubleshooting push notifications: the device must acknowledge each, and a new request might overwrite"
          + " the previous one; no time is published, so it is off unless set (docs/behavior/delivery.md#overwritten)"))
  ]
}
