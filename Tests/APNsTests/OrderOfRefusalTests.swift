import APNs
import Testing

@Suite("The order of refusal")
struct OrderOfRefusalTests {
  private func rejection(_ flaws: [Flaw], _ change: (inout Rulebook) -> Void = { _ in }) throws -> Rejection? {
    var gate = try Gate(change)
    for flaw in flaws { flaw.prepare(&gate) }
    var push = Push()
    for flaw in flaws { flaw.spoil(&push) }
    return gate.rejection(push)
  }

  @Test("every rule of the standard order is violated by its own flaw, and answered with its reason")
  func eachAlone() throws {
    #expect(
      Flaw.all.map(\.rule).sorted { $0.rawValue < $1.rawValue } == Rule.allCases.sorted { $0.rawValue < $1.rawValue })
    for flaw in Flaw.all {
      let rejection = try rejection([flaw])
      #expect(rejection?.rule == flaw.rule)
      #expect(rejection?.reason == flaw.rule.reason(Rulebook()))
    }
    #expect(try rejection([]) == nil)
  }

  @Test("of any two flaws that can be combined the earlier in the order is reported")
  func earlierWins() throws {
    let flaws = try Rule.standardOrder.map { rule in try #require(Flaw.all.first { $0.rule == rule }) }
    var adjacent = 0
    var combined = 0
    for (place, earlier) in flaws.enumerated() {
      for later in flaws[(place + 1)...] where earlier.canMeet(later) {
        combined += 1
        if later.rule == flaws[place + 1].rule { adjacent += 1 }
        #expect(try rejection([earlier, later])?.rule == earlier.rule, "\(earlier.rule) before \(later.rule)")
        #expect(try rejection([later, earlier])?.rule == earlier.rule, "\(earlier.rule) before \(later.rule)")
      }
    }
    // Pairs that cannot be combined change the same thing, such as a token that is absent and also malformed.
    #expect(adjacent >= 17, "\(adjacent) adjacent pairs")
    #expect(combined >= 380, "\(combined) pairs")
  }

  @Test("E1: no provider token, a bad device token, no topic: the provider token is missing")
  func e1() throws {
    var gate = try Gate()
    var push = Push.to("aaaa").with("apns-topic", nil).with("apns-push-type", nil)
    push.authorization = ""
    push.body = Array("{}".utf8)
    #expect(gate.reason(push) == .missingProviderToken)
  }

  @Test("E2: a device token of 64 zeros, everything else valid: a bad device token")
  func e2() throws {
    var gate = try Gate()
    #expect(gate.reason(Push.to(String(repeating: "0", count: 64))) == .badDeviceToken)
  }

  @Test("E3: a topic of another team and a valid activity token: the topic is disallowed")
  func e3() throws {
    var gate = try Gate()
    #expect(gate.reason(Push().with("apns-topic", "org.other.app.push-type.liveactivity")) == .topicDisallowed)
    #expect(gate.reason(Push().with("apns-topic", "org.other.app.pushnotification.liveactivity")) == .topicDisallowed)
  }

  @Test("E4: a topic of the team that does not match the token: not for the topic")
  func e4() throws {
    var gate = try Gate()
    #expect(gate.reason(Push().with("apns-topic", "com.example.two.push-type.liveactivity")) == .deviceTokenNotForTopic)
  }

  @Test("E6: no device token, everything else valid: it is missing")
  func e6() throws {
    var gate = try Gate()
    #expect(gate.reason(Push.to("")) == .missingDeviceToken)
  }

  @Test("E8: a key of the other environment and any device token: the key's environment is wrong")
  func e8() throws {
    var gate = try Gate()
    for token in ["", "zz", "00", Push.token, Gate.deadToken] {
      var push = Push.to(token)
      push.jwt.keyID = "PRODUCTION"
      #expect(gate.reason(push) == .badEnvironmentKeyInToken)
    }
  }

  @Test("S7: the provider's token is checked before the device's")
  func providerBeforeDevice() throws {
    var gate = try Gate()
    for token in ["", "zz", Gate.deadToken] {
      var push = Push.to(token)
      push.jwt.signature = JWT.seal("FORGED")
      #expect(gate.reason(push) == .invalidProviderToken)
    }
  }

  @Test("the order is data: a rule put first is reported first")
  func reordered() throws {
    let missing = try #require(Flaw.all.first { $0.rule == .providerTokenPresent })
    for flaw in Flaw.all where flaw.canMeet(missing) && flaw.rule != .providerTokenUpdates {
      // These are about a provider that was recognised.
      let needsProvider: Set<Rule> = [.topicAllowed, .oneTeamPerConnection, .keyRelatedToConnection]
      guard !needsProvider.contains(flaw.rule) else { continue }
      let rejection = try rejection([flaw, missing]) {
        $0.order = [flaw.rule] + Rule.standardOrder.filter { $0 != flaw.rule }
      }
      #expect(rejection?.rule == flaw.rule)
    }
  }

  @Test("the order is data: a valid push passes whichever rule comes first", arguments: Rule.allCases)
  func soundInAnyOrder(rule: Rule) throws {
    #expect(try rejection([]) { $0.order = [rule] + Rule.standardOrder.filter { $0 != rule } } == nil)
  }

  @Test("the order is data: a rule that is left out refuses no push")
  func leftOut() throws {
    let optional: [Rule] = [
      .noDuplicateHeaders, .methodIsPost, .providerTokenUpdates, .providerTeamMatchesKey,
      .providerTokenNotFromFuture, .providerTokenFresh, .keyOfThisEnvironment, .topicAllowed, .messageID,
      .pushTypeKnown,
      .topicSuffixMatchesPushType, .priority, .expiration, .collapseID, .payloadPresent, .payloadSize, .requestRate,
    ]
    for rule in optional {
      let flaw = try #require(Flaw.all.first { $0.rule == rule })
      let rejection = try rejection([flaw]) { $0.order.removeAll { $0 == rule } }
      #expect(
        rejection == nil || rejection?.rule == .deviceTokenForTopic, "\(rule): \(String(describing: rejection?.rule))")
    }
  }

  @Test("the order is data: a topic read before the provider is known is still disallowed where it must be")
  func topicBeforeProvider() throws {
    let flaw = try #require(Flaw.all.first { $0.rule == .topicAllowed })
    for first: [Rule] in [[.topicWellFormed], [.topicPresent, .topicWellFormed]] {
      let rejection = try rejection([flaw]) { $0.order = first + Rule.standardOrder.filter { !first.contains($0) } }
      #expect(rejection?.rule == .topicAllowed)
    }
  }

  @Test("the reason for a suffix that disagrees with the push type is a setting")
  func suffixMismatch() throws {
    var gate = try Gate { $0.suffixMismatch = .topicDisallowed }
    #expect(gate.reason(Push().with("apns-push-type", "alert")) == .topicDisallowed)
  }

  /// Observed: ostinelli/apnotic issue 87, Pr0Ger/PyAPNs2 issue 87, reown-com/a2 pull request 94 (a VoIP token), and
  /// react-native-webrtc/react-native-voip-push-notification issue 90 (an ordinary one).
  @Test(
    "a topic of VoIP with another type is InvalidPushType for a VoIP token, DeviceTokenNotForTopic for another",
    arguments: ["alert", "background"])
  func voipTopic(type: String) throws {
    var gate = try Gate()
    gate.directory.topics["other"] = "com.example.app.voip"
    let push = Push.alert.with("apns-topic", "com.example.app.voip").with("apns-push-type", type)
      .with("apns-priority", "5")
    var voip = push
    voip.path = "/3/device/" + Gate.otherToken
    #expect(gate.reason(voip) == .invalidPushType)
    #expect(gate.reason(voip.with("apns-push-type", "voip")) == nil)
    #expect(gate.reason(voip.with("apns-push-type", nil)) == nil)
    #expect(gate.reason(push) == .deviceTokenNotForTopic)
  }
}

extension OrderOfRefusalTests {
  /// Rules about the provider, of which most need its token read or its signature checked.
  static let aboutProvider: [Rule] = [
    .providerTokenPresent, .providerTokenWellFormed, .providerKeyKnown, .providerTeamMatchesKey, .providerSignature,
    .providerTokenNotFromFuture, .providerTokenFresh, .keyOfThisEnvironment, .topicAllowed,
  ]

  @Test("the order is data: no order accepts a provider that the standard order refuses", arguments: Rule.allCases)
  func noOrderLetsIn(first: Rule) throws {
    for flaw in Flaw.all where Self.aboutProvider.contains(flaw.rule) {
      var gate = try Gate { $0.order = [first] + Rule.standardOrder.filter { $0 != first } }
      var push = Push()
      flaw.spoil(&push)
      for _ in 0..<2 {
        let rule = gate.rejection(push)?.rule
        #expect(rule == flaw.rule || rule == first && rule == .deviceTokenForTopic, "\(flaw.rule) with \(first) first")
        #expect(flaw.rule == .topicAllowed || !gate.connection.isAuthorised, "\(flaw.rule) with \(first) first")
      }
    }
  }

  @Test("the order is data: nor does any rule in last place", arguments: Rule.allCases)
  func noneLastLetsIn(last: Rule) throws {
    for flaw in Flaw.all where Self.aboutProvider.contains(flaw.rule) {
      var gate = try Gate { $0.order = Rule.standardOrder.filter { $0 != last } + [last] }
      var push = Push()
      flaw.spoil(&push)
      for _ in 0..<2 { #expect(gate.rejection(push) != nil, "\(flaw.rule) with \(last) last") }
      #expect(flaw.rule == .topicAllowed || !gate.connection.isAuthorised, "\(flaw.rule) with \(last) last")
    }
    var gate = try Gate { $0.order = Rule.standardOrder.filter { $0 != last } + [last] }
    let verdict = gate.send(Push())
    #expect(verdict.push != nil && verdict.authorisesConnection && gate.send(Push()).push != nil)
  }
}
