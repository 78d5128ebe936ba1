import APNs
import Testing
import Timeline
import WireFormats

@Suite("The request validator")
struct RequestValidatorTests {
  @Test("S15: the documented curl request is accepted: four headers, its path, its payload")
  func seedsRequest() throws {
    var gate = try Gate()
    var push = Push()
    push.fields = [
      (name: ":scheme", value: "https"), (name: ":authority", value: "localhost:2197"),
      (name: "user-agent", value: "curl/8.5.0"), (name: "accept", value: "*/*"),
      (name: "apns-topic", value: "com.example.app.push-type.liveactivity"),
      (name: "apns-push-type", value: "liveactivity"), (name: "apns-priority", value: "10"),
      (name: "content-length", value: "0"), (name: "content-type", value: "application/x-www-form-urlencoded"),
    ]
    let verdict = gate.send(push)
    let taken = try #require(verdict.accepted)
    #expect(taken.type == .liveactivity && taken.priority == .immediate && taken.expiration == nil)
    #expect(verdict.push?.address == "activity" && taken.collapseIDRange == nil)
    #expect(push.request.storage[taken.payloadRange] == push.body[...])
  }

  @Test(
    "S18: a body that no phone could read is accepted", arguments: ["{}", "x", "[", "{\"aps\":5}", "\u{0}"])
  func anyBody(body: String) throws {
    var gate = try Gate()
    var push = Push()
    push.body = Array(body.utf8)
    #expect(gate.reason(push) == nil)
  }

  @Test("S14: a body of 4,096 bytes passes, of 4,097 gets 413", arguments: ["liveactivity", nil] as [String?])
  func bodyLimit(type: String?) throws {
    var gate = try Gate()
    var push = Push().with("apns-push-type", type)
    push.body = [UInt8](repeating: 0x20, count: 4096)
    #expect(gate.reason(push) == nil)
    push.body.append(0x20)
    let rejection = gate.rejection(push)
    #expect(rejection?.reason == .payloadTooLarge && rejection?.reason.status == 413)
    push.body = []
    #expect(gate.reason(push) == .payloadEmpty)
  }

  @Test(
    "S9: the scheme may be in any case, and a token must follow it",
    arguments: [
      ("bearer ", true), ("Bearer ", true), ("BEARER ", true), ("bEaReR ", true), ("bearer   ", true),
      ("", false), ("Basic ", false), ("bearer", false), ("bearer:", false), ("token ", false), (" bearer ", false),
    ])
  func schemes(scheme: String, passes: Bool) throws {
    var gate = try Gate()
    var push = Push()
    push.scheme = scheme
    #expect(gate.reason(push) == (passes ? nil : .missingProviderToken))
  }

  @Test(
    "S9: a missing provider token is reported as missing",
    arguments: ["", "bearer ", "bearer", "bearer      ", " "])
  func missingToken(authorization: String) throws {
    var gate = try Gate()
    var push = Push()
    push.authorization = authorization
    #expect(gate.reason(push) == .missingProviderToken)
  }

  @Test("S6, S7: key, team and signature must match")
  func keyTeamSignature() throws {
    for jwt in [
      JWT(keyID: "UNKNOWNKEY"), JWT(keyID: "key0000001"), JWT(keyID: ""), JWT(teamID: "TEAM000002"), JWT(teamID: ""),
      JWT(signature: JWT.seal("KEY0000002")), JWT(keyID: "KEY0000002", signature: JWT.seal("KEY0000001")),
      JWT(signature: [UInt8](repeating: 0, count: 64)),
    ] {
      var gate = try Gate()
      #expect(gate.reason(jwt) == .invalidProviderToken)
    }
  }

  @Test("a DER signature, and an iat that is not an integer, pass unless the rulebook is strict")
  func strictness() throws {
    let der = JWT(signature: [0x30] + JWT.seal("KEY0000001").dropLast(0))
    for jwt in [der, JWT(issuedAt: "1700000000.5"), JWT(issuedAt: #""1700000000""#)] {
      var gate = try Gate()
      #expect(gate.reason(jwt) == nil)
      var strict = try Gate { $0.strictProviderTokens = true }
      #expect(strict.reason(jwt) == .invalidProviderToken)
    }
  }

  @Test(
    "S8: a token is valid for an hour from its iat, and up to an hour before it",
    arguments: [
      (0, nil), (-3600, nil), (-3601, .expiredProviderToken), (3600, nil), (3601, .invalidProviderToken),
      (-86400 * 365, .expiredProviderToken), (1_698_300_000_000, .invalidProviderToken),
      (-1_700_000_005, .expiredProviderToken),
      (Int64.min + 2_000_000_000, .expiredProviderToken), (Int64.max - 2_000_000_000, .invalidProviderToken),
    ] as [(Int64, RejectionReason?)])
  func life(offset: Int64, reason: RejectionReason?) throws {
    var gate = try Gate()
    #expect(gate.reason(JWT(issuedAt: String(1_700_000_000 + offset))) == reason)
  }

  @Test("S8: a valid token is refused from the instant its hour ends, on the same connection too")
  func expiresInUse() throws {
    var gate = try Gate()
    #expect(gate.reason(JWT()) == nil)
    gate.now = Now(Gate.now.wall.advanced(by: .seconds(3600)))
    #expect(gate.reason(JWT()) == nil)
    gate.now = Now(Gate.now.wall.advanced(by: .nanoseconds(3_600_000_000_001)))
    #expect(gate.reason(JWT()) == .expiredProviderToken)
    gate.reconnect()
    #expect(gate.reason(JWT()) == .expiredProviderToken)
  }

  @Test("provider tokens follow the wall's clock, device tokens the world's")
  func clocks() throws {
    var gate = try Gate()
    gate.now = Now(world: Gate.now.world.advanced(by: .seconds(86400)), wall: Gate.now.wall)
    #expect(gate.reason(JWT()) == nil)
  }

  @Test("a token is verified once on a connection; a forged one is never known")
  func verifiedOnce() throws {
    var gate = try Gate()
    for _ in 0..<3 { #expect(gate.reason(JWT()) == nil) }
    #expect(gate.checks.count == 1)
    gate.reconnect()
    for _ in 0..<3 { #expect(gate.reason(JWT(signature: JWT.seal("FORGED"))) == .invalidProviderToken) }
    #expect(gate.checks.count == 4)
  }

  @Test("a connection verifies a token before the world does, but none that is one change too many")
  func verifiedBefore() throws {
    var gate = try Gate()
    for (issuedAt, checks) in [(0, [1, 2]), (1, [3, 4]), (2, [4, 4])] {
      var push = Push()
      push.jwt = JWT(issuedAt: "\(1_700_000_000 - issuedAt)")
      gate.validator.rules.verifySignatures(of: [push.request], on: gate.connection, at: gate.now.wall)
      #expect(gate.checks.count == checks[0])
      _ = gate.send(push)
      gate.validator.rules.verifySignatures(of: [push.request], on: gate.connection, at: gate.now.wall)
      #expect(gate.checks.count == checks[1])
    }
  }

  @Test("a connection verifies the tokens of all requests that it has read, up to the allowed number of changes")
  func verifiedTogether() throws {
    let gate = try Gate()
    let pushes = [0, 1, 2].map { issuedAt in
      var push = Push()
      push.jwt = JWT(issuedAt: "\(1_700_000_000 - issuedAt)")
      return push
    }
    gate.validator.rules.verifySignatures(of: pushes.map(\.request), on: gate.connection, at: gate.now.wall)
    #expect(gate.checks.count == 2)
  }

  @Test("a token that differs in one byte from a verified one is not mistaken for it")
  func oneByteDiffers() throws {
    var gate = try Gate()
    #expect(gate.reason(JWT()) == nil)
    for place in [0, 31, 63] {
      var signature = JWT.seal("KEY0000001")
      signature[place] ^= 1
      gate.reconnect()
      #expect(gate.reason(JWT(signature: signature)) == .invalidProviderToken)
    }
  }

  @Test(
    "an expiration is whole seconds since 1970",
    arguments: [
      ("0", true), ("1", true), ("1700000001", true), ("9223372036854775807", true), ("9223372036854775808", false),
      ("", false), ("-1", false), ("1.5", false), ("1e9", false), ("tomorrow", false), (" 1", false), ("+1", false),
      ("99999999999999999999999999", false),
    ])
  func expiration(text: String, passes: Bool) throws {
    var gate = try Gate()
    #expect(gate.reason(Push().with("apns-expiration", text)) == (passes ? nil : .badExpirationDate))
  }

  @Test("an expiration in the past is accepted")
  func pastExpiration() throws {
    var gate = try Gate()
    #expect(
      gate.send(Push().with("apns-expiration", "1600000000")).accepted?.expiration == Instant(seconds: 1_600_000_000))
  }

  @Test("a collapse id has at most 64 bytes, not characters")
  func collapseID() throws {
    var gate = try Gate()
    for (text, passes) in [
      (String(repeating: "c", count: 64), true), (String(repeating: "c", count: 65), false),
      (String(repeating: "é", count: 32), true), (String(repeating: "é", count: 33), false), ("", true),
    ] {
      #expect(gate.reason(Push().with("apns-collapse-id", text)) == (passes ? nil : .badCollapseID))
    }
  }

  @Test("a push without a push type is accepted, whatever its topic's suffix")
  func withoutPushType() throws {
    var gate = try Gate()
    #expect(gate.send(Push().with("apns-push-type", nil)).accepted?.type == nil)
    #expect(gate.reason(Push().with("apns-push-type", nil)) == nil)
    #expect(gate.reason(Push.alert.with("apns-push-type", nil)) == nil)
  }

  @Test("S21: a path of another form is 404, another method 405")
  func pathAndMethod() throws {
    var gate = try Gate()
    var push = Push()
    push.path = "/3/devices/" + Push.token
    #expect(gate.reason(push)?.status == 404)
    push = Push()
    for method in ["GET", "PUT", "post", "", "POST "] {
      push.method = method
      #expect(gate.reason(push) == .methodNotAllowed)
    }
  }

  @Test("S21: as a setting, an unknown device token returns 404")
  func unknownTokenIsNotFound() throws {
    var gate = try Gate { $0.unknownTokenIsNotFound = true }
    #expect(gate.reason(Push.to("00")) == .badPath)
    #expect(gate.rejection(Push.to("00"))?.rule == .deviceTokenKnown)
  }

  @Test("S3: a token of the other environment is a bad device token")
  func otherEnvironment() throws {
    var gate = try Gate()
    gate.reconnect(to: .production)
    #expect(gate.reason(Push()) == .badDeviceToken)
  }

  @Test("S22: a dead token has the time of its death, no other refusal has a time")
  func since() throws {
    var gate = try Gate()
    #expect(
      gate.rejection(Push.to(Gate.deadToken))
        == Rejection(.unregistered, by: .deviceTokenRegistered, since: Gate.diedAt))
    #expect(
      gate.rejection(Push.to(Gate.expiredToken))
        == Rejection(.expiredToken, by: .deviceTokenNotExpired, since: Gate.diedAt)
    )
    #expect(gate.rejection(Push.to(Gate.otherToken)) == Rejection(.deviceTokenNotForTopic, by: .deviceTokenForTopic))
    #expect(gate.rejection(Push.to("00")) == Rejection(.badDeviceToken, by: .deviceTokenKnown))
  }

  @Test("S23: requests are counted only when all other rules are satisfied")
  func countedLast() throws {
    var gate = try Gate()
    for push in [Push().with("apns-topic", nil), Push.to("00"), Push.to(Gate.deadToken), Push.to(Gate.otherToken)] {
      #expect(gate.reason(push) != nil)
    }
    #expect(gate.directory.admitted.isEmpty)
    #expect(gate.reason(Push()) == nil)
    #expect(gate.directory.admitted == ["activity"])
    gate.directory.tired = ["activity"]
    #expect(gate.reason(Push()) == .tooManyRequests)
    #expect(gate.reason(Push.alert) == nil)
  }
}
