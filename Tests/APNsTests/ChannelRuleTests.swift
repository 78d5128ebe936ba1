import APNs
import Testing

@Suite("A rule of channels")
struct ChannelRuleTests {
  @Test("a rule of channels states its requirement and its source", arguments: ChannelRule.allCases)
  func speaks(rule: ChannelRule) {
    #expect(rule.sentence.count > 15 && rule.sentence.hasSuffix("."))
    #expect(rule.evidence.source.count > 10)
    #expect(BrokenRule.channel(rule).sentence == rule.sentence && BrokenRule.channel(rule).name == rule.rawValue)
  }

  @Test("a rule of channels has a separate sentence, different from those of all rules of channels and pushes")
  func sentencesDiffer() {
    let all = ChannelRule.allCases.map(\.sentence) + Rule.allCases.map(\.sentence)
    #expect(Set(all).count == all.count)
  }

  @Test("every rule is checked for some operation, and no rule twice for one")
  func everyRuleCounts() {
    // The world alone knows what is on its way.
    var seen = Set(ChannelRule.front + [.roomForBroadcast])
    for operation in ChannelOperation.allCases {
      let order = ChannelRule.front + ChannelRule.order(for: operation)
      #expect(Set(order).count == order.count)
      seen.formUnion(order)
    }
    #expect(seen == Set(ChannelRule.allCases))
  }

  @Test("a valid call of every operation satisfies all rules")
  func soundness() throws {
    var stage = try ChannelStage()
    for call in ChannelFlaw.sound(stage) { #expect(stage.rejection(call) == nil) }
  }

  @Test("every rule is violated by its own flaw, and answered with its reason")
  func eachAlone() throws {
    var broken: Set<ChannelRule> = [.broadcastEnabled, .roomForChannel, .broadcastRate, .roomForBroadcast]
    for flaw in ChannelFlaw.all {
      var stage = try ChannelStage()
      let call = try #require(flaw.call(stage))
      let rejection = stage.rejection(call)
      #expect(rejection?.rule == .channel(flaw.rule), "\(call.method) \(call.path) \(call.fields)")
      #expect(rejection?.reason == flaw.rule.reason)
      broken.insert(flaw.rule)
    }
    #expect(broken == Set(ChannelRule.allCases))
  }

  @Test("an app without the broadcast capability cannot use channels")
  func capability() throws {
    var stage = try ChannelStage { $0.disabled = ["com.example.two"] }
    for call in ChannelFlaw.sound(stage) {
      let other = call.changed { $0.path.replace(ChannelCall.app, with: "com.example.two") }
      #expect(stage.rejection(other)?.rule == .channel(.broadcastEnabled))
      #expect(stage.reason(other) == .broadcastFeatureNotEnabled)
    }
  }

  @Test("every rule about the provider holds for broadcasts and channels as for pushes", arguments: 0..<5)
  func provider(number: Int) throws {
    for flaw in Flaw.all where flaw.rule.isAboutProvider {
      // What happened on the connection before happened on the one that is asked now.
      var stage = try ChannelStage()
      stage.gate.reconnect()
      flaw.prepare(&stage.gate)
      stage.connection = stage.gate.connection
      var push = Push()
      flaw.spoil(&push)
      let call = ChannelFlaw.sound(stage)[number].changed {
        $0.jwt = push.jwt
        $0.authorization = push.authorization
      }
      let rejection = stage.rejection(call)
      #expect(rejection?.rule == .provider(flaw.rule))
      #expect(rejection?.reason == flaw.rule.reason(Rulebook()))
    }
  }

  @Test("a key for other topics cannot manage channels of this app")
  func topicsOfKey() throws {
    var stage = try ChannelStage()
    stage.connection = ProviderConnection(environment: .sandbox)
    let call = ChannelCall.list().changed { $0.jwt.keyID = "KEY0000003" }
    #expect(stage.reason(call) == nil)
    #expect(stage.reason(call.changed { $0.path.replace(ChannelCall.app, with: "com.example.two") }) == .topicMismatch)
  }

  @Test("the earlier of two flaws in the order is reported")
  func earlierWins() throws {
    var stage = try ChannelStage()
    // From the last rule of a broadcast to the first, each fault on top of those before.
    var call = ChannelCall.publish(to: stage.unstored)
    let faults: [(ChannelRule, (inout ChannelCall) -> Void)] = [
      (.payloadPresent, { $0.body = [] }),
      (.requestID, { $0 = $0.with("apns-request-id", "1") }),
      (.priority, { $0 = $0.with("apns-priority", "7") }),
      (.expirationOfUnstored, { $0 = $0.with("apns-expiration", "9") }),
      (.expirationPresent, { $0 = $0.with("apns-expiration", nil) }),
      (.pushTypeKnown, { $0 = $0.with("apns-push-type", "alert") }),
      (.pushTypePresent, { $0 = $0.with("apns-push-type", nil) }),
      (.channelRegistered, { [deleted = stage.deleted] in $0 = $0.with("apns-channel-id", deleted) }),
      (.channelIssued, { $0 = $0.with("apns-channel-id", ChannelStage.strange) }),
      (.channelWellFormed, { $0 = $0.with("apns-channel-id", "x") }),
      (.channelPresent, { $0 = $0.with("apns-channel-id", nil) }),
      (.appOfTeam, { $0.path = "/4/broadcasts/apps/org.other.app" }),
      (.bareBundleID, { $0.path = "/4/broadcasts/apps/org.other.app.push-type.liveactivity" }),
    ]
    for (rule, spoil) in faults {
      spoil(&call)
      #expect(stage.rejection(call)?.rule == .channel(rule))
    }
    call.authorization = ""
    #expect(stage.reason(call) == .missingProviderToken)
    call.method = "GET"
    #expect(stage.reason(call) == .methodNotAllowed)
    call.path = "/4/broadcasts"
    #expect(stage.reason(call) == .badPath)
    call.fields += [(name: "apns-id", value: "1"), (name: "apns-id", value: "2")]
    #expect(stage.reason(call) == .duplicateHeaders)
  }

  @Test("the earlier of two flaws of a new channel in the order is reported")
  func earlierWinsForCreation() throws {
    var stage = try ChannelStage { $0.channelsPerApp = 3 }
    #expect(stage.create() != nil)
    for (body, rule) in [
      (#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#, ChannelRule.roomForChannel),
      (#"{"message-storage-policy":1,"push-type":"alert"}"#, .pushTypeKnown),
      (#"{"message-storage-policy":1}"#, .pushTypePresent), (#"{"message-storage-policy":7}"#, .storagePolicy),
      (#"{"message-storage-policy":7,"x":1}"#, .attributesKnown), (#"{"x":1"#, .payloadReadable),
      (String(repeating: "{", count: 5121), .payloadSize), ("", .payloadPresent),
    ] {
      #expect(stage.rejection(.create().saying(body))?.rule == .channel(rule))
    }
    #expect(stage.rejection(.create().saying("").with("apns-request-id", "1"))?.rule == .channel(.requestID))
  }

  @Test("each rule about the provider refuses a request about channels, and binds no connection")
  func provider() throws {
    var stage = try ChannelStage()
    for flaw in Flaw.all where OrderOfRefusalTests.aboutProvider.contains(flaw.rule) && flaw.rule != .topicAllowed {
      var push = Push()
      flaw.spoil(&push)
      stage.connection = ProviderConnection(environment: .sandbox)
      let call = ChannelCall.list().changed {
        $0.jwt = push.jwt
        $0.authorization = push.authorization
      }
      for _ in 0..<2 { #expect(stage.rejection(call)?.rule == .provider(flaw.rule)) }
      #expect(!stage.connection.isAuthorised)
    }
    #expect(stage.rejection(.list()) == nil && stage.connection.isAuthorised)
  }
}
