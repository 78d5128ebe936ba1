import APNs
import Testing
import Timeline

@Suite("A provider with a certificate")
struct CertifiedProviderTests {
  /// An alert without `authorization`.
  private static var alert: Push {
    var push = Push.alert
    push.authorization = ""
    return push
  }

  private func gate(
    _ certificate: ProviderCertificate, to environment: Environment = .sandbox,
    _ change: (inout Rulebook) -> Void = { _ in }
  ) throws -> Gate {
    var gate = try Gate(change)
    gate.connect(certificate, to: environment)
    return gate
  }

  @Test("a provider with a certificate needs no provider token, and is authorized as its connection opens")
  func passes() throws {
    var gate = try gate(.good)
    #expect(gate.connection.isAuthorised)
    let verdict = gate.send(Self.alert)
    #expect(verdict.push != nil && verdict.keyNumber == nil && !verdict.authorizesConnection)
    #expect(gate.checks.count == 0)
  }

  @Test(
    "a provider token on a connection with a certificate is ignored, whatever its contents",
    arguments: ["", "bearer a.b.c", "bearer ", "Basic eDp5", JWT(keyID: "UNKNOWNKEY").text])
  func tokensAreIgnored(authorization: String) throws {
    var gate = try gate(.good)
    var push = Push.alert
    push.authorization = authorization
    #expect(gate.reason(push) == nil)
    #expect(gate.checks.count == 0 && gate.connection.teamID == nil)
    // A token of the team that owns the topic does not allow a topic that the certificate does not have.
    #expect(gate.reason(Push.alert.with("apns-topic", "com.example.two")) == .topicDisallowed)
  }

  @Test(
    "S4: a Live Activity by certificate is refused: no certificate has its topic, and a sound token changes nothing")
  func liveActivities() throws {
    var gate = try gate(.good)
    for push in [Push(), Push().with("apns-push-type", nil)] {
      let rejection = gate.rejection(push)
      #expect(rejection?.reason == .topicDisallowed && rejection?.rule == .topicAllowed)
    }
    // With the app's own topic the token is for another.
    #expect(
      gate.reason(Push().with("apns-topic", "com.example.app").with("apns-push-type", nil)) == .deviceTokenNotForTopic)
  }

  @Test("S5: as a setting, a Live Activity by certificate returns 200 and is dropped; nothing else is")
  func silentLiveActivities() throws {
    var gate = try gate(.good) { $0.certificateLiveActivities = .drop }
    #expect(gate.send(Push()).push?.isDropped == true)
    #expect(gate.send(Self.alert).push?.isDropped == false)
    #expect(gate.reason(Push().with("apns-topic", "org.other.app.push-type.liveactivity")) == .topicDisallowed)
    #expect(gate.reason(Push.alert.with("apns-topic", "com.example.two")) == .topicDisallowed)
    gate.reconnect()
    #expect(gate.send(Push()).push?.isDropped == false, "a provider token reaches Live Activities")
  }

  @Test("a certificate with one topic lets a push leave the topic out; with several, the push must name it")
  func defaultTopic() throws {
    var one = try gate(.good.with(topics: ["com.example.app"]))
    for topic in [nil, "", "com.example.app"] { #expect(one.reason(Self.alert.with("apns-topic", topic)) == nil) }
    #expect(one.reason(Self.alert.with("apns-topic", "com.example.app.voip")) == .topicDisallowed)
    #expect(one.reason(Self.alert.with("apns-topic", "no topic")) == .badTopic)
    #expect(one.reason(Self.alert.with("apns-topic", nil).with("apns-push-type", "voip")) == .invalidPushType)
    var several = try gate(.good)
    for topic in [nil, ""] { #expect(several.reason(Self.alert.with("apns-topic", topic)) == .missingTopic) }
    #expect(several.reason(Self.alert) == nil)
  }

  @Test(
    "a provider with a certificate sends to the topics of its certificate, letter by letter, and to no other",
    arguments: [
      ("com.example.app", nil), ("com.example.app.voip", .deviceTokenNotForTopic),
      ("com.example.apq", .topicDisallowed),
      ("com.example.app.voip-ptt", .topicDisallowed), ("com.example.app.location-query", .topicDisallowed),
      ("COM.EXAMPLE.APP", .topicDisallowed), ("com.example.ap", .topicDisallowed), (" com.example.app", .badTopic),
    ] as [(String, RejectionReason?)])
  func topics(topic: String, reason: RejectionReason?) throws {
    var gate = try gate(.good)
    #expect(gate.reason(Self.alert.with("apns-topic", topic).with("apns-push-type", nil)) == reason)
  }

  @Test(
    "a flawed certificate is rejected with BadCertificate and a sentence that names the flaw",
    arguments: [
      (.unreadable, "cannot be read"), (.noAppleExtension, "none of Apple's push extensions"),
      (.noTopic, "names no topic"), (.otherKey("EC of 256 bits"), "its key is EC of 256 bits"),
      (.unknownAuthority, "neither `pushpit certs provider` made it"), (.revoked, "was revoked"),
    ] as [(ProviderCertificate.Flaw, String)])
  func flaws(flaw: ProviderCertificate.Flaw, words: String) throws {
    var gate = try gate(.good.with(flaw: flaw))
    #expect(!gate.connection.isAuthorised)
    for push in [Self.alert, Push.alert, Push()] {
      let rejection = gate.rejection(push)
      #expect(rejection?.reason == .badCertificate && rejection?.rule == .certificateSound)
      #expect(rejection?.reason.status == 403)
    }
    let sentence = try #require(gate.connection.certified?.refusal?.sentence)
    #expect(sentence.contains(words) && sentence.contains("CN=Apple Push Services: com.example.app"), "\(sentence)")
    #expect(sentence.hasSuffix("."))
  }

  @Test(
    "a certificate is valid from its first second to its last, judged as the connection opens",
    arguments: [(-3600, true), (-3601, false), (3600, true), (3601, false), (0, true)])
  func validity(offset: Int64, isGood: Bool) throws {
    var gate = try Gate()
    gate.now = Now(Gate.now.wall.advanced(by: .seconds(offset)))
    gate.connect(.good)
    #expect(gate.reason(Self.alert) == (isGood ? nil : .badCertificate))
    guard !isGood else { return }
    let words = offset > 0 ? "it expired on 2023-11-14T23:13:20.000Z" : "not valid before 2023-11-14T21:13:20.000Z"
    #expect(gate.connection.certified?.refusal?.sentence.contains(words) == true)
  }

  @Test("a certificate for the other environment is rejected with BadCertificateEnvironment")
  func environments() throws {
    for (other, here) in [(.sandbox, .production), (.production, .sandbox)] as [(Environment, Environment)] {
      var gate = try gate(.good.with(environments: [other]), to: here)
      let rejection = gate.rejection(Self.alert)
      #expect(rejection?.reason == .badCertificateEnvironment && rejection?.rule == .certificateOfThisEnvironment)
      #expect(gate.connection.certified?.refusal?.sentence.contains("this is \(here.rawValue)") == true)
    }
    var both = try gate(.good.with(environments: [.production], flaw: .revoked))
    #expect(both.reason(Self.alert) == .badCertificate)
  }

  @Test("pushes by certificate are examined by their connection, without the world, from the first one on")
  func examined() throws {
    var gate = try Gate()
    let tokens = SealedTokens(TokenSeal(seed: 1), sizes: [], devices: 0)
    let rules = gate.validator.rules
    let token = rules.check(Push.alert.request, on: &gate.connection, tokens, at: gate.now.wall)
    #expect(token == nil, "a token that has not passed waits for the world")
    gate.connect(.good)
    let sound = try #require(rules.check(Self.alert.request, on: &gate.connection, tokens, at: gate.now.wall))
    #expect(sound.keyNumber == nil)
    let outcome = gate.validator.admit(sound, to: "app", using: &gate.directory, at: gate.now.world).outcome
    #expect((try? outcome.get()) != nil)
    gate.connect(.good.with(flaw: .revoked))
    let refused = try #require(rules.check(Self.alert.request, on: &gate.connection, tokens, at: gate.now.wall))
    let refusal = gate.validator.admit(refused, to: nil, using: &gate.directory, at: gate.now.world).outcome
    #expect(throws: Rejection(.badCertificate, by: .certificateSound)) { try refusal.get() }
  }

  @Test("a provider with a certificate manages the channels of its app, and of no other")
  func channels() throws {
    var stage = try ChannelStage()
    stage.connection = ProviderConnection(
      environment: .sandbox, certificate: .good, stage.gate.validator.rulebook, at: stage.gate.now.wall)
    let bare = { (call: ChannelCall) in call.changed { $0.authorization = "" } }
    #expect(stage.reason(bare(.list())) == nil)
    #expect(stage.reason(bare(.list(app: "com.example.two"))) == .topicMismatch)
    stage.connection = ProviderConnection(
      environment: .sandbox, certificate: .good.with(flaw: .revoked), stage.gate.validator.rulebook,
      at: stage.gate.now.wall)
    #expect(stage.rejection(.list())?.rule == .provider(.certificateSound))
  }
}

@Suite("Device management")
struct DeviceManagementTests {
  private static let topic = "com.apple.mgmt.External.9b1cd6e0-1c2d-4a5b-8f00-0123456789ab"

  private func push(_ type: String?, _ topic: String?) -> Push {
    var push = Push.alert.with("apns-topic", topic).with("apns-push-type", type)
    push.authorization = ""
    push.body = Array(#"{"mdm":"magic"}"#.utf8)
    return push
  }

  @Test("a push of device management goes to the topic of its certificate, which may be left out")
  func passes() throws {
    var gate = try Gate()
    gate.directory.topics["app"] = Self.topic
    gate.connect(.good.with(topics: [Self.topic]))
    for topic in [nil, Self.topic] {
      for type in ["mdm", nil] { #expect(gate.reason(push(type, topic)) == nil) }
    }
    #expect(gate.reason(push("mdm", "com.apple.mgmt.External.other")) == .topicDisallowed)
  }

  @Test("device management is a push type for its own topics only")
  func otherTopics() throws {
    var gate = try Gate()
    gate.connect(.good.with(topics: ["com.example.app"]))
    #expect(gate.rejection(push("mdm", "com.example.app"))?.rule == .topicSuffixMatchesPushType)
    #expect(gate.rejection(push("mdm", nil))?.rule == .topicSuffixMatchesPushType)
  }

  @Test("device management takes no provider token: the topic is disallowed to the keys of whatever team")
  func noToken() {
    let ring = KeyRing(keys: Gate.keys, apps: [(Self.topic, "TEAM000001"), ("com.example.app", "TEAM000001")]) {
      _, _, _ in true
    }
    #expect(!ring.allows(key: 0, bundleID: Self.topic) && ring.allows(key: 0, bundleID: "com.example.app"))
  }
}

@Suite("The topics of a certificate")
struct CertificateTopicsTests {
  @Test("the topics of a certificate are those of its extensions, and else the subject's UID")
  func order() {
    #expect(ProviderCertificate.topics(listed: ["a", "b"], voip: ["b", "c"], uid: "d") == ["a", "b", "c"])
    #expect(ProviderCertificate.topics(listed: [], voip: ["a.voip"], uid: "a") == ["a.voip"])
    #expect(ProviderCertificate.topics(listed: [], voip: [], uid: "d") == ["d"])
    #expect(ProviderCertificate.topics(listed: [], voip: [], uid: nil) == [])
  }
}
