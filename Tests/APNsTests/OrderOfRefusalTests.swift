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

  @Test("every rule is violated by its own flaw, and answered with its reason")
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

  @Test("the earlier in the order of any two flaws that can be combined is reported")
  func earlierWins() throws {
    let flaws = try Rule.allCases.map { rule in try #require(Flaw.all.first { $0.rule == rule }) }
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

  @Test("the reason for a suffix that disagrees with the push type is a setting")
  func suffixMismatch() throws {
    var gate = try Gate { $0.suffixMismatch = .topicDisallowed }
    #expect(gate.reason(Push().with("apns-push-type", "alert")) == .topicDisallowed)
  }

  /// Disputed: alexalok/dotAPNS issue 90 saw DeviceTokenNotForTopic.
  @Test("the reason for a topic with two suffixes is a setting, and for no other topic that is not allowed")
  func doubledSuffix() throws {
    var gate = try Gate { $0.doubledSuffix = .deviceTokenNotForTopic }
    #expect(gate.reason(Push.alert.with("apns-topic", "com.example.app.voip.voip")) == .deviceTokenNotForTopic)
    #expect(gate.reason(Push.alert.with("apns-topic", "com.example.unknown")) == .topicDisallowed)
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

  @Test("a rule about the provider lets nobody in who repeats the request")
  func repeated() throws {
    for flaw in Flaw.all where Self.aboutProvider.contains(flaw.rule) {
      var gate = try Gate()
      var push = Push()
      flaw.spoil(&push)
      for _ in 0..<2 {
        #expect(gate.rejection(push)?.rule == flaw.rule)
        #expect(flaw.rule == .topicAllowed || !gate.connection.isAuthorised, "\(flaw.rule)")
      }
    }
  }
}
