import APNs
import Testing
import Timeline

/// Explanations name the one thing that the sender did.
@Suite("The explanation of a rejected push")
struct MistakeTests {
  private func mistake(_ push: Push, _ change: (inout Rulebook) -> Void = { _ in }) throws -> (Rule, String) {
    var gate = try Gate(change)
    let rule = try #require(gate.rejection(push)?.rule)
    let examined = ParsedPush(push.request, in: .sandbox)
    let certified = gate.connection.certified
    return (rule, gate.validator.mistake(rule, in: examined, by: certified, key: 0, at: gate.now.wall) ?? "")
  }

  private func mistake(_ jwt: JWT) throws -> (Rule, String) {
    var push = Push()
    push.jwt = jwt
    return try mistake(push)
  }

  private func mistake(header: String, claims: String? = nil) throws -> (Rule, String) {
    var push = Push()
    push.authorization =
      "bearer "
      + JWT.text(header: header, claims: claims ?? JWT().claims, signature: JWT.seal("KEY0000001"))
    return try mistake(push)
  }

  /// Observed: AndrewBarba/apns2 issue 4 and vapor/apns issue 47, whose senders looked for their mistake elsewhere.
  @Test("S6: the explanation names the one part of the provider token that is wrong")
  func providerTokenParts() throws {
    let found: [((Rule, String), String)] = [
      (try mistake(header: #"{"alg":"ES256"}"#), "The header of the provider token has no kid, which"),
      (
        try mistake(header: #"{"alg":"ES256"}"#, claims: #"{"iss":"TEAM000001","iat":1700000000,"kid":"KEY0000001"}"#),
        "no kid; it is among the claims"
      ),
      (try mistake(header: #"{"alg":"HS256","kid":"KEY0000001"}"#), "must be ES256, not \"HS256\""),
      (try mistake(header: #"{"kid":"KEY0000001"}"#), "has no alg"),
      (try mistake(header: #"{"alg":"ES256","kid":"KEY0000001","crit":["exp"]}"#), "has crit"),
      (try mistake(header: "ES256"), "The header of the provider token must be a JSON object"),
      (try mistake(JWT(teamID: nil)), "have no iss"), (try mistake(JWT(issuedAt: nil)), "have no iat"),
      (try mistake(JWT(issuedAt: #""now""#)), "not a number of seconds"),
      (try mistake(JWT(signature: [1, 2, 3])), "signature of the provider token has 3 bytes"),
    ]
    for ((rule, sentence), words) in found {
      #expect(rule == .providerTokenWellFormed && sentence.contains(words), "\(sentence)")
    }
    for (text, words) in [
      ("bearer nonsense", "three parts with dots between them: header, claims, signature; this has 1"),
      ("bearer a!.b.c", "The header of the provider token is not base64url"),
    ] {
      var push = Push()
      push.authorization = text
      #expect(try mistake(push).1.contains(words))
    }
  }

  @Test("S6: the explanation names what is exchanged, unknown or in another unit in a readable provider token")
  func providerTokenValues() throws {
    let found: [((Rule, String), Rule, String)] = [
      (
        try mistake(JWT(keyID: "TEAM000001", teamID: "KEY0000001")), .providerKeyKnown,
        "exchanged: kid must be KEY0000001, and iss must be TEAM000001"
      ),
      (try mistake(JWT(keyID: "key0000001")), .providerKeyKnown, "KEY0000001 differs only in capital letters"),
      (try mistake(JWT(keyID: "AuthKey_KEY0000001.p8")), .providerKeyKnown, "write KEY0000001 alone"),
      (try mistake(JWT(keyID: "UNKNOWNKEY")), .providerKeyKnown, "No registered key has the id \"UNKNOWNKEY\""),
      (
        try mistake(JWT(teamID: "com.example.app")), .providerTeamMatchesKey,
        "The iss is \"com.example.app\", and the key KEY0000001 belongs to team TEAM000001"
      ),
      (
        try mistake(JWT(signature: JWT.seal("FORGED"))), .providerSignature,
        "not signed by the private key of KEY0000001"
      ),
      (
        try mistake(JWT(issuedAt: "1700000000123")), .providerTokenNotFromFuture,
        "after the year 2262, as milliseconds and smaller units are; it counts seconds since 1970"
      ),
      (try mistake(JWT(issuedAt: #""1700000000123""#)), .providerTokenNotFromFuture, "as milliseconds"),
      (try mistake(JWT(issuedAt: "721692800")), .providerTokenFresh, "counts from 2001"),
      (try mistake(JWT(keyID: "PRODUCTION")), .keyOfThisEnvironment, "registered for production, and this is sandbox"),
    ]
    for ((rule, sentence), expected, words) in found {
      #expect(rule == expected && sentence.contains(words), "\(rule): \(sentence)")
    }
    for (text, words) in [
      (JWT().text, "without the word `bearer`"), ("Basic abc", "begins with \"Basic\""), ("bearer ", "no token after"),
    ] {
      var push = Push()
      push.authorization = text
      let (rule, sentence) = try mistake(push)
      #expect(rule == .providerTokenPresent && sentence.contains(words), "\(sentence)")
    }
  }

  /// Observed: alexalok/dotAPNS issue 90, a library that adds the suffix to what has it already.
  @Test(
    "the explanation names what is wrong with a topic",
    arguments: [
      ("com.example.app.voip.voip", .topicAllowed, "two suffixes, .voip and .voip"),
      ("com.Example.app", .topicAllowed, "differs from com.example.app in capital letters"),
      ("TEAM000001.com.example.app", .topicAllowed, "begins with a team, TEAM000001"),
      ("<com.example.app>", .topicWellFormed, "it should be com.example.app"),
      ("com.example.app,com.example.two", .topicWellFormed, "has other characters than a bundle id"),
      ("com.example.app.pushnotification.liveactivity", .topicAllowed, "is com.example.app followed by text"),
      (
        "org.other.app", .topicAllowed, "org.other.app is of team TEAM000002, and the key KEY0000001 of team TEAM000001"
      ),
      ("com.nobody.app", .topicAllowed, "No app of the fleet has the bundle id com.nobody.app"),
      ("pass.com.example.loyalty", .topicAllowed, "pass type identifier"),
      ("web.com.example.site", .topicAllowed, "id of a website"),
      ("com.apple.mgmt.External.1", .topicAllowed, "device management, which needs a push certificate"),
      ("com.example.app", .topicSuffixMatchesPushType, "needs the topic com.example.app.voip"),
    ] as [(String, Rule, String)])
  func topics(topic: String, expected: Rule, words: String) throws {
    var push = Push.alert.with("apns-topic", topic)
    if expected == .topicSuffixMatchesPushType { push.set("apns-push-type", "voip") }
    let (rule, sentence) = try mistake(push)
    #expect(rule == expected && sentence.contains(words), "\(rule): \(sentence)")
  }

  @Test("the explanation reports that no app is of the key's team, and lists the apps of a restricted key")
  func teams() throws {
    let ring = KeyRing(
      keys: [
        ProviderKey(keyID: "KEY0000001", teamID: "NOAPPTEAM1", environments: [.sandbox]),
        ProviderKey(keyID: "KEY0000002", teamID: "TEAM000001", environments: [.sandbox], topics: ["com.example.two"]),
      ], apps: [("com.example.app", "TEAM000001"), ("com.example.two", "TEAM000001")]
    ) { _, _, _ in true }
    let validator = RequestValidator(rulebook: Rulebook(), keyRing: ring, seed: 1)
    for (jwt, words) in [
      (JWT(teamID: "NOAPPTEAM1"), "of team TEAM000001, and the key KEY0000001 of team NOAPPTEAM1. No app of the fleet"),
      (JWT(teamID: "NOAPPTEAM1"), "settings file. `pushpit keys make --team-id TEAM000001` makes a key for the app."),
      (JWT(keyID: "KEY0000002"), "The key KEY0000002 is only for com.example.two"),
    ] {
      var push = Push.alert
      push.jwt = jwt
      let key = ring.number(of: jwt.keyID ?? "")
      let sentence = validator.mistake(
        .topicAllowed, in: ParsedPush(push.request, in: .sandbox), key: key, at: Gate.now.wall)
      #expect(sentence?.contains(words) == true, "\(sentence ?? "")")
    }
  }

  @Test("the explanation names the longest bundle id that a topic begins with")
  func longest() throws {
    let ring = KeyRing(
      keys: [ProviderKey(keyID: "KEY0000001", teamID: "TEAM000001", environments: [.sandbox])],
      apps: ["com.example", "com.example.app.pro", "com.example.app"].map { ($0, "TEAM000001") }
    ) { _, _, _ in true }
    let push = Push.alert.with("apns-topic", "com.example.app.pro.push")
    let sentence = RequestValidator(rulebook: Rulebook(), keyRing: ring, seed: 1).mistake(
      .topicAllowed, in: ParsedPush(push.request, in: .sandbox), key: 0, at: Gate.now.wall)
    #expect(sentence?.contains("is com.example.app.pro followed by text") == true, "\(sentence ?? "")")
  }

  @Test("the explanation shows no character that commands a terminal or reverses the text beside it")
  func controls() throws {
    for text in [#"\u001b[31m"#, #"\u009b31m"#, #"\u0085"#, #"\u2028"#, #"\u202e"#, #"\r\n"#] {
      let (_, sentence) = try mistake(JWT(keyID: "KEY" + text))
      #expect(sentence.contains("KEY?"), "\(sentence)")
      #expect(sentence.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) })
    }
  }

  @Test("S6: the explanation names the source about two suffixes only for a topic with two suffixes")
  func twoSuffixes() throws {
    for (topic, isDoubled) in [("com.example.app.voip.voip", true), ("com.Example.app", false), ("pass.com.x", false)] {
      let push = ParsedPush(Push.alert.with("apns-topic", topic).request, in: .sandbox)
      let circumstance = try Gate().validator.circumstance(.topicAllowed, in: push)
      #expect(circumstance == (isDoubled ? .doubledSuffix : nil), "\(topic)")
    }
  }

  @Test("the explanation of a push by certificate does not mention a provider token, also on a closed connection")
  func withoutToken() throws {
    // Some clients send a provider token beside their certificate; APNs does not read it.
    for authorization in ["", Push.alert.authorization] {
      for (topic, words) in [("com.apple.mgmt.External.1", nil), ("pass.com.example", "pass type identifier")] {
        var push = Push.alert.with("apns-topic", topic)
        push.authorization = authorization
        let sentence = try Gate().validator.mistake(
          .topicAllowed, in: ParsedPush(push.request, in: .sandbox), key: nil, at: Gate.now.wall)
        #expect(words.map { sentence?.contains($0) == true } ?? (sentence == nil), "\(topic): \(sentence ?? "")")
      }
    }
  }

  @Test("the explanation of a broadcast with an empty expiration asks for a date")
  func emptyExpiration() throws {
    let push = ParsedPush(Push.alert.with("apns-expiration", "").request, in: .sandbox)
    let sentence = try Gate().validator.mistake(
      .channel(.expirationPresent), in: push, for: "com.example.app", at: Gate.now.wall)
    #expect(sentence?.contains("a broadcast needs a date") == true)
  }

  @Test("the explanation lists the apps of a certificate to a client that manages another app's channels")
  func foreignChannels() throws {
    var gate = try Gate()
    gate.connect(.good.with(topics: ["com.example.app"]))
    let sentence = gate.validator.mistake(
      .channel(.appOfTeam), in: ParsedPush(Push.alert.request, in: .sandbox), for: "com.example.two",
      by: gate.connection.certified, at: gate.now.wall)
    #expect(sentence == "The certificate is for com.example.app, and not for \"com.example.two\".")
  }

  @Test("the explanation calls no key revoked that was registered after the request")
  func registeredLater() throws {
    var gate = try Gate()
    var push = Push.alert
    push.jwt = JWT(keyID: "LATEKEY001")
    let examined = ParsedPush(push.request, in: .sandbox)
    func sentence() -> String { gate.validator.mistake(.providerKeyKnown, in: examined, at: Gate.now.wall) ?? "" }
    #expect(sentence().contains("No registered key"))
    let key = ProviderKey(keyID: "LATEKEY001", teamID: "TEAM000001", environments: [.sandbox])
    let isAdded = gate.validator.add(key, publicKey: "LATEKEY001")
    #expect(isAdded)
    #expect(sentence().contains("only after this request"))
    gate.validator.revoke("LATEKEY001")
    #expect(sentence().contains("was revoked"))
  }

  @Test("the explanation names the topics of the client's certificate")
  func certificate() throws {
    var gate = try Gate()
    gate.connect(.good.with(topics: ["com.example.app"]))
    let push = Push.alert.with("apns-topic", "com.example.two")
    let rule = try #require(gate.rejection(push)?.rule)
    let sentence = gate.validator.mistake(
      rule, in: ParsedPush(push.request, in: .sandbox), by: gate.connection.certified, at: gate.now.wall)
    #expect(sentence == "The certificate is for com.example.app, and not for \"com.example.two\".")
  }

  @Test(
    "the explanation names what is wrong with a header",
    arguments: [
      ("apns-push-type", "liveActivity", .pushTypeKnown, "write liveactivity"),
      ("apns-priority", "high", .priority, "Firebase Cloud Messaging"),
      ("apns-priority", "7", .priority, "\"7\", not 10, 5 or 1"),
      ("apns-expiration", "1795780000.475", .expiration, "not a whole number"),
      ("apns-expiration", "+1795780000", .expiration, "write the date as a number of seconds since 1970"),
      ("apns-expiration", "2026-11-27T10:00:00Z", .expiration, "as a number of seconds since 1970"),
      ("apns-expiration", "-1", .expiration, "before 1970"), ("apns-expiration", "", .expiration, "is empty"),
      ("apns-collapse-id", String(repeating: "c", count: 65), .collapseID, "has 65 bytes"),
      ("apns-id", "6b29fc40ca471067b31d00dd010662da", .messageID, "8-4-4-4-12"),
    ] as [(String, String, Rule, String)])
  func headers(name: String, value: String, expected: Rule, words: String) throws {
    let (rule, sentence) = try mistake(Push.alert.with(name, value))
    #expect(rule == expected && sentence.contains(words), "\(rule): \(sentence)")
  }

  @Test("the explanation names the header that only a strict rulebook rejects, and the priority of a Live Activity")
  func strictHeaders() throws {
    let background = Push.alert.with("apns-push-type", "background").with("apns-priority", nil)
    #expect(try mistake(background) { $0.strictHeaders = true }.1.contains("Without apns-priority"))
    let ten = background.with("apns-priority", "10")
    #expect(try mistake(ten) { $0.strictHeaders = true }.1.contains("has priority 10; it needs 5"))
    let empty = Push.alert.with("apns-collapse-id", "")
    #expect(try mistake(empty) { $0.strictHeaders = true }.1.contains("rules.strictHeaders"))
    #expect(try mistake(Push().with("apns-priority", "1")).1 == "A Live Activity has priority 1; it takes 5 or 10.")
  }

  /// Observed: rpush issue 420 and NWPusher issue 73 (from now), parse-server-push-adapter issue 14 (milliseconds).
  @Test(
    "the explanation names the unit of an apns-expiration that is accepted",
    arguments: [
      ("3600", "is in 1970, because it counts seconds since 1970; it looks like a number of seconds from now"),
      ("2592000", "seconds from now"), ("817000000", "seems to count from 2001"),
      ("1795780000000", "looks like milliseconds"), ("0", nil), ("1795780000", nil), ("978307200", nil),
      ("99999999999", nil), ("9223372036854775807", "looks like nanoseconds"), (nil, nil),
    ] as [(String?, String?)])
  func expirationUnits(value: String?, words: String?) throws {
    var gate = try Gate()
    let taken = try #require(gate.send(Push.alert.with("apns-expiration", value)).accepted)
    #expect(words.map { taken.expirationMistake?.contains($0) == true } ?? (taken.expirationMistake == nil))
  }
}
