import Testing
import Timeline

@testable import APNs

@Suite("When the keys of a running server change,")
struct KeyChangeTests {
  private static let new = ProviderKey(
    keyID: "NEWKEY0001", teamID: "TEAM000001", environments: [.sandbox, .production])

  @Test("a token of a key that is added is accepted from then on")
  func added() throws {
    var gate = try Gate()
    #expect(gate.reason(JWT(keyID: "NEWKEY0001")) == .invalidProviderToken)
    let isAdded = gate.validator.add(Self.new, publicKey: "NEWKEY0001")
    #expect(isAdded)
    #expect(gate.reason(JWT(keyID: "NEWKEY0001")) == nil)
    #expect(gate.connection.keyNumber == Gate.keys.count)
  }

  @Test("a key that cannot be read changes nothing")
  func unreadable() throws {
    var gate = try Gate()
    let generation = gate.validator.rules.generation
    let isAdded = gate.validator.add(Self.new, publicKey: "")
    #expect(!isAdded)
    #expect(gate.validator.rules.generation == generation && gate.validator.keyRing.number(of: "NEWKEY0001") == nil)
  }

  @Test("a token of a key that is revoked is refused with InvalidProviderToken, also where it was accepted before")
  func revoked() throws {
    var gate = try Gate()
    #expect(gate.reason(JWT()) == nil)
    gate.validator.revoke("KEY0000001")
    #expect(gate.rejection(Push())?.rule == .providerKeyKnown)
    #expect(gate.reason(JWT()) == .invalidProviderToken)
    gate.reconnect()
    #expect(gate.reason(JWT()) == .invalidProviderToken)
  }

  @Test("tokens of the other keys are verified once again, and stay accepted")
  func others() throws {
    var gate = try Gate()
    #expect(gate.reason(JWT()) == nil && gate.checks.count == 1)
    gate.validator.revoke("PRODUCTION")
    for _ in 0..<3 { #expect(gate.reason(JWT()) == nil) }
    #expect(gate.checks.count == 2)
  }

  @Test("an id that was revoked and is registered again is another key: the tokens of the old one are refused")
  func registeredAgain() throws {
    var gate = try Gate()
    let (old, new) = (JWT(), JWT(signature: JWT.seal("ANOTHER")))
    #expect(gate.reason(old) == nil && gate.reason(new) == .invalidProviderToken)
    gate.validator.revoke("KEY0000001")
    let isAdded = gate.validator.add(Gate.keys[0], publicKey: "ANOTHER")
    #expect(isAdded)
    gate.reconnect()
    #expect(gate.reason(old) == .invalidProviderToken && gate.reason(new) == nil)
    #expect(gate.validator.keyRing.valid.map(\.publicKey) == [nil, nil, nil, nil, "ANOTHER"])
  }

  @Test("the number of a revoked key stays its own, for the pushes that it has signed")
  func numbers() throws {
    var gate = try Gate()
    gate.validator.revoke("KEY0000002")
    let isAdded = gate.validator.add(Self.new, publicKey: "NEWKEY0001")
    #expect(isAdded)
    #expect(gate.validator.keyRing.keys.map(\.keyID) == Gate.keys.map(\.keyID) + ["NEWKEY0001"])
    #expect(gate.validator.keyRing.number(of: "PRODUCTION") == 3)
  }

  @Test("a connection does not decide by itself on tokens that it accepted before the change")
  func generation() throws {
    var gate = try Gate()
    let sealed = SealedTokens(TokenSeal(seed: 1), sizes: [], devices: 0)
    func settles(_ rules: PushRules, _ connection: ProviderConnection) -> Bool {
      var connection = connection
      return rules.check(Push().request, on: &connection, sealed, at: Gate.now.wall) != nil
    }
    #expect(gate.reason(JWT()) == nil)
    let before = gate.validator.rules
    #expect(settles(before, gate.connection))
    gate.validator.revoke("PRODUCTION")
    #expect(!settles(gate.validator.rules, gate.connection))
    #expect(gate.validator.rules.generation == before.generation + 1)
    #expect(gate.reason(JWT()) == nil)
    #expect(settles(gate.validator.rules, gate.connection))
  }
}
