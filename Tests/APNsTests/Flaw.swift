import APNs
import Timeline

/// For each rule, one thing that breaks it and nothing before it.
struct Flaw {
  /// The place that a flaw changes; two flaws that change the same place cannot be combined.
  enum Place: Hashable {
    case duplicate, path, method, authorization, history, binding, keyID, teamID, issuedAt, signature
    case topic, id, pushType, priority, expiration, collapseID, body, block, rate
  }

  let rule: Rule
  let places: Set<Place>
  var spoil: (inout Push) -> Void = { _ in }
  /// The events on the connection before the push.
  var prepare: (inout Gate) -> Void = { _ in }

  func canMeet(_ other: Flaw) -> Bool { places.isDisjoint(with: other.places) }

  static var all: [Flaw] {
    request + certificate + provider + address
  }

  private static var address: [Flaw] {
    [
      Flaw(rule: .topicPresent, places: [.topic]) { $0.set("apns-topic", nil) },
      Flaw(rule: .topicWellFormed, places: [.topic]) { $0.set("apns-topic", "com example app") },
      Flaw(rule: .topicAllowed, places: [.topic]) { $0.set("apns-topic", "org.other.app.push-type.liveactivity") },
      Flaw(rule: .messageID, places: [.id]) { $0.set("apns-id", "not-a-uuid") },
      Flaw(rule: .pushTypeKnown, places: [.pushType]) { $0.set("apns-push-type", "push-to-start") },
      Flaw(rule: .topicSuffixMatchesPushType, places: [.pushType]) { $0.set("apns-push-type", "voip") },
      Flaw(rule: .priority, places: [.priority]) { $0.set("apns-priority", "7") },
      Flaw(rule: .expiration, places: [.expiration]) { $0.set("apns-expiration", "tomorrow") },
      Flaw(rule: .collapseID, places: [.collapseID]) { $0.set("apns-collapse-id", String(repeating: "c", count: 65)) },
      Flaw(rule: .deviceTokenPresent, places: [.path]) { $0.path = "/3/device/" },
      Flaw(rule: .payloadPresent, places: [.body]) { $0.body = [] },
      Flaw(rule: .payloadSize, places: [.body]) { $0.body = [UInt8](repeating: 0x20, count: 5121) },
      Flaw(rule: .deviceTokenKnown, places: [.path]) { $0.path = "/3/device/" + String(repeating: "00", count: 32) },
      Flaw(rule: .deviceTokenNotExpired, places: [.path]) { $0.path = "/3/device/" + Gate.expiredToken },
      Flaw(rule: .deviceTokenRegistered, places: [.path]) { $0.path = "/3/device/" + Gate.deadToken },
      Flaw(rule: .deviceTokenForTopic, places: [.path]) { $0.path = "/3/device/" + Gate.otherToken },
      Flaw(rule: .senderNotBlocked, places: [.block], prepare: { $0.isBlocked = true }),
      Flaw(
        rule: .requestRate, places: [.rate, .path], prepare: { $0.directory.tired = ["activity", "app", "other"] }),
    ]
  }

  private static var request: [Flaw] {
    [
      Flaw(rule: .noDuplicateHeaders, places: [.duplicate]) { push in
        push.fields += [(name: "apns-request-id", value: "1"), (name: "apns-request-id", value: "1")]
      },
      Flaw(rule: .knownPath, places: [.path]) { $0.path = "/3/live-activity/" + Push.token },
      Flaw(rule: .methodIsPost, places: [.method]) { $0.method = "GET" },
    ]
  }

  /// A connection with a certificate ignores provider tokens.
  private static var certificate: [Flaw] {
    let places = whole.union([.history, .binding])
    return [
      Flaw(rule: .certificateSound, places: places, prepare: { $0.connect(.good.with(flaw: .revoked)) }),
      Flaw(
        rule: .certificateOfThisEnvironment, places: places,
        prepare: { $0.connect(.good.with(environments: [.production])) }),
    ]
  }

  /// A token that is absent or no token has no parts that could be wrong.
  private static var whole: Set<Place> { [.authorization, .keyID, .teamID, .issuedAt, .signature] }

  private static var provider: [Flaw] {
    [
      Flaw(rule: .providerTokenPresent, places: whole) { $0.authorization = "" },
      Flaw(rule: .providerTokenWellFormed, places: whole) { $0.authorization = "bearer a.b.c" },
      Flaw(
        rule: .providerTokenUpdates, places: [.history],
        prepare: { gate in
          for keyID in ["FORMERKEY1", "FORMERKEY2"] { _ = gate.reason(JWT(keyID: keyID)) }
        }),
      Flaw(rule: .providerKeyKnown, places: [.keyID]) { $0.jwt.keyID = "UNKNOWNKEY" },
      Flaw(rule: .providerTeamMatchesKey, places: [.teamID]) { $0.jwt.teamID = "TEAM000002" },
      Flaw(rule: .providerSignature, places: [.signature]) { $0.jwt.signature = JWT.seal("FORGED") },
      Flaw(
        rule: .oneTeamPerConnection, places: [.binding],
        prepare: { gate in
          _ = gate.reason(JWT(keyID: "OTHERTEAM1", teamID: "TEAM000002"))
        }),
      Flaw(rule: .providerTokenNotFromFuture, places: [.issuedAt]) { push in
        push.jwt.issuedAt = String(Gate.now.wall.seconds + 3601)
      },
      Flaw(rule: .providerTokenFresh, places: [.issuedAt]) { push in
        push.jwt.issuedAt = String(Gate.now.wall.seconds - 3601)
      },
      Flaw(rule: .keyOfThisEnvironment, places: [.keyID]) { $0.jwt.keyID = "PRODUCTION" },
      Flaw(
        rule: .keyRelatedToConnection, places: [.binding],
        prepare: { gate in
          _ = gate.reason(JWT(keyID: "KEY0000002"))
        }),
    ]
  }

  init(rule: Rule, places: Set<Place>, spoil: @escaping (inout Push) -> Void) {
    self.rule = rule
    self.places = places
    self.spoil = spoil
  }

  init(rule: Rule, places: Set<Place>, prepare: @escaping (inout Gate) -> Void) {
    self.rule = rule
    self.places = places
    self.prepare = prepare
  }
}
