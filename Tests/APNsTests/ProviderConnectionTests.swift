import APNs
import Testing
import Timeline

@Suite("A provider's connection")
struct ProviderConnectionTests {
  @Test("a provider's connection is authorized by the first valid token, and reports it once")
  func authorisedOnce() throws {
    var gate = try Gate()
    var bare = Push()
    bare.authorization = ""
    for refused in [bare, Push.signed("FORGED")] {
      #expect(!gate.send(refused).authorizesConnection)
      #expect(!gate.connection.isAuthorised)
    }
    #expect(gate.send(Push()).authorizesConnection)
    #expect(gate.connection.isAuthorised)
    #expect(!gate.send(Push()).authorizesConnection)
    #expect(!gate.send(bare).authorizesConnection)
    #expect(gate.connection.isAuthorised)
  }

  @Test("a provider's connection is authorized by a valid token even when the push is rejected for another reason")
  func authorisedByARefusedPush() throws {
    for spoilt in [Push().with("apns-topic", nil), Push().with("apns-priority", "7"), Push.to("00")] {
      var gate = try Gate()
      let verdict = gate.send(spoilt)
      #expect(verdict.authorizesConnection && verdict.push == nil && verdict.keyNumber == 0)
    }
  }

  @Test(
    "a connection is not authorized by a token that is expired, from the other environment or from the future",
    arguments: [JWT(issuedAt: "1699996399"), JWT(issuedAt: "1700003601"), JWT(keyID: "PRODUCTION")])
  func notAuthorised(jwt: JWT) throws {
    var gate = try Gate()
    var push = Push()
    push.jwt = jwt
    #expect(!gate.send(push).authorizesConnection && !gate.connection.isAuthorised)
    #expect(gate.connection.keyNumber == nil && gate.connection.teamID == nil)
  }

  @Test("S7: a provider's connection belongs to the team of its first push")
  func oneTeam() throws {
    var gate = try Gate()
    #expect(gate.reason(JWT()) == nil)
    #expect(gate.connection.teamID == "TEAM000001")
    #expect(gate.rejection(Push.signed(by: "OTHERTEAM1", "TEAM000002"))?.rule == .oneTeamPerConnection)
    #expect(gate.reason(JWT()) == nil)
    gate.reconnect()
    #expect(gate.reason(JWT(keyID: "OTHERTEAM1", teamID: "TEAM000002")) == .topicDisallowed)
    #expect(gate.reason(JWT()) == .invalidProviderToken)
  }

  @Test("a provider's connection accepts the key of its first push and the one related to it, no other")
  func relatedKeys() throws {
    for (first, second, reason) in [
      ("KEY0000002", "KEY0000003", nil), ("KEY0000003", "KEY0000002", nil),
      ("KEY0000001", "KEY0000002", RejectionReason.unrelatedKeyIDInToken),
      ("KEY0000002", "KEY0000001", .unrelatedKeyIDInToken), ("KEY0000003", "KEY0000001", .unrelatedKeyIDInToken),
    ] {
      var gate = try Gate()
      #expect(gate.reason(JWT(keyID: first)) == nil)
      #expect(gate.reason(JWT(keyID: second)) == reason, "\(first), then \(second)")
      #expect(gate.reason(JWT(keyID: first)) == nil)
    }
  }

  @Test("S3: a provider's connection accepts only keys of its own environment")
  func environment() throws {
    var gate = try Gate()
    #expect(gate.reason(JWT(keyID: "PRODUCTION")) == .badEnvironmentKeyInToken)
    gate.reconnect(to: .production)
    gate.directory.home = .production
    #expect(gate.reason(JWT(keyID: "PRODUCTION")) == nil)
    gate.reconnect(to: .production)
    #expect(gate.reason(JWT(keyID: "KEY0000002")) == .badEnvironmentKeyInToken)
    #expect(gate.reason(JWT()) == nil)
  }

  @Test("S8, S23: the third token within 20 minutes is too many; the earlier ones keep working")
  func tokenUpdates() throws {
    var gate = try Gate()
    let tokens = (0..<3).map { JWT(issuedAt: String(1_700_000_000 - $0)) }
    #expect(tokens.map { gate.reason($0) } == [nil, nil, .tooManyProviderTokenUpdates])
    #expect(tokens.map { gate.reason($0) } == [nil, nil, .tooManyProviderTokenUpdates])
    gate.now = Now(Gate.now.wall.advanced(by: .seconds(1200)))
    #expect(tokens.map { gate.reason($0) } == [nil, nil, nil])
    gate.reconnect()
    #expect(tokens.reversed().map { gate.reason($0) } == [nil, nil, .tooManyProviderTokenUpdates])
  }

  @Test("E7: the update counter runs before the signature is checked")
  func updatesBeforeSignature() throws {
    var gate = try Gate()
    let forged = (0..<4).map { JWT(issuedAt: String(1_700_000_000 - $0), signature: JWT.seal("FORGED")) }
    #expect(
      forged.map { gate.reason($0) } == [
        .invalidProviderToken, .invalidProviderToken, .tooManyProviderTokenUpdates, .tooManyProviderTokenUpdates,
      ])
    #expect(gate.checks.count == 2)
  }

  @Test("token updates are counted by wall-clock arrival, whatever the world's clock or iat is")
  func measuredByArrival() throws {
    var gate = try Gate()
    let tokens = (0..<3).map { JWT(issuedAt: String(1_700_000_000 - 1300 * $0)) }
    for (number, token) in tokens.enumerated() {
      gate.now = Now(world: Gate.now.world.advanced(by: .seconds(86400 * number)), wall: Gate.now.wall)
      #expect(gate.reason(token) == (number < 2 ? nil : .tooManyProviderTokenUpdates))
    }
  }

  @Test("as a setting, token updates are counted per key over all connections")
  func updatesPerKey() throws {
    for perKey in [false, true] {
      var gate = try Gate { $0.countTokenUpdatesPerKey = perKey }
      let reasons = (0..<3).map { number in
        gate.reconnect()
        return gate.reason(JWT(issuedAt: String(1_700_000_000 - number)))
      }
      #expect(reasons == [nil, nil, perKey ? .tooManyProviderTokenUpdates : nil])
      gate.reconnect()
      #expect(gate.reason(JWT(keyID: "KEY0000002")) == nil)
    }
  }

  @Test("token updates of the admin API are not counted for its key")
  func updatesOfAdmin() throws {
    var gate = try Gate { $0.countTokenUpdatesPerKey = true }
    gate.connection.countsForKey = false
    #expect(gate.reason(JWT(issuedAt: "1700000000")) == nil)
    for seconds in [1_699_999_999, 1_699_999_998] {
      gate.reconnect()
      #expect(gate.reason(JWT(issuedAt: String(seconds))) == nil)
    }
  }

  @Test("the number of updates allowed is a setting")
  func updatesAllowed() throws {
    var gate = try Gate { $0.tokenUpdatesAllowed = 3 }
    let reasons = (0..<5).map { gate.reason(JWT(issuedAt: String(1_700_000_000 - $0))) }
    #expect(reasons == [nil, nil, nil, nil, .tooManyProviderTokenUpdates])
  }
}

extension Push {
  /// Signed by somebody else.
  static func signed(_ seal: String) -> Push {
    var push = Push()
    push.jwt.signature = JWT.seal(seal)
    return push
  }

  static func signed(by keyID: String, _ teamID: String) -> Push {
    var push = Push()
    push.jwt.keyID = keyID
    push.jwt.teamID = teamID
    return push
  }

  static func to(_ token: String) -> Push {
    var push = Push()
    push.path = "/3/device/" + token
    return push
  }
}
