import APNs
import Synchronization
import Testing
import Timeline
import WireFormats

/// A gatekeeper with keys, apps and tokens, and one provider's connection to it.
struct Gate {
  static let now = Now(Instant(seconds: 1_700_000_000))
  static let appToken = String(repeating: "0a", count: 32)
  static let expiredToken = "80" + String(repeating: "e1", count: 79)
  static let deadToken = "80" + String(repeating: "dd", count: 79)
  static let otherToken = String(repeating: "0b", count: 32)
  static let diedAt = Instant(milliseconds: 1_699_999_000_123)

  /// Counts how often a signature was checked.
  final class Checks: Sendable {
    private let counted = Mutex(0)
    var count: Int { counted.withLock(\.self) }
    func note() { counted.withLock { $0 += 1 } }
  }

  static let keys = [
    ProviderKey(keyID: "KEY0000001", teamID: "TEAM000001", environments: [.sandbox, .production]),
    ProviderKey(keyID: "KEY0000002", teamID: "TEAM000001", environments: [.sandbox], relatedKeyID: "KEY0000003"),
    ProviderKey(keyID: "KEY0000003", teamID: "TEAM000001", environments: [.sandbox], topics: ["com.example.app"]),
    ProviderKey(keyID: "PRODUCTION", teamID: "TEAM000001", environments: [.production]),
    ProviderKey(keyID: "OTHERTEAM1", teamID: "TEAM000002", environments: [.sandbox, .production]),
  ]

  let checks = Checks()
  var validator: RequestValidator
  var connection = ProviderConnection(environment: .sandbox)
  var directory = Directory()
  var now = Gate.now
  /// True if APNs blocks the sender.
  var isBlocked = false

  init(_ change: (inout Rulebook) -> Void = { _ in }) throws {
    var rulebook = Rulebook()
    change(&rulebook)
    let checks = checks
    let ring = KeyRing(
      keys: Self.keys,
      apps: [("com.example.app", "TEAM000001"), ("com.example.two", "TEAM000001"), ("org.other.app", "TEAM000002")],
      read: Self.read
    ) { keyID, signed, signature in
      checks.note()
      switch signature {
      case .raw(let bytes): return bytes == JWT.seal(keyID) && !signed.isEmpty
      case .der(let bytes): return bytes == [0x30] + JWT.seal(keyID) && !signed.isEmpty
      }
    }
    validator = RequestValidator(rulebook: rulebook, keyRing: ring, seed: 1)
    directory.standings = [
      try #require(DeviceToken(Push.token)): .live("activity"),
      try #require(DeviceToken(Self.appToken)): .live("app"),
      try #require(DeviceToken(Self.otherToken)): .live("other"),
      try #require(DeviceToken(Self.expiredToken)): .expired("expired", since: Self.diedAt),
      try #require(DeviceToken(Self.deadToken)): .unregistered("dead", since: Self.diedAt),
    ]
    directory.topics = [
      "activity": "com.example.app.push-type.liveactivity", "app": "com.example.app", "other": "com.example.two",
    ]
  }

  /// In these tests, the public half of a key that is added is the id with which it signs.
  @Sendable private static func read(_ name: String) -> KeyRing.KeyCheck? {
    if name.isEmpty { return nil }
    return { _, signature in signature == .raw(JWT.seal(name)) }
  }

  mutating func send(_ push: Push) -> Verdict { send(push.request) }

  mutating func send(_ request: HTTPRequest) -> Verdict {
    let parsed = ParsedPush(request, in: connection.environment)
    let checked = validator.check(parsed, on: &connection, at: now.wall)
    let (address, outcome) = validator.admit(checked, to: nil, isBlocked: isBlocked, using: &directory, at: now.world)
    return Verdict(checked: checked, outcome: outcome, address: address)
  }

  /// The reason why the push is rejected; nil if it is accepted.
  mutating func rejection(_ push: Push) -> Rejection? {
    switch send(push).outcome {
    case .success: nil
    case .failure(let rejection): rejection
    }
  }

  mutating func reason(_ push: Push) -> RejectionReason? { rejection(push)?.reason }

  mutating func reason(_ jwt: JWT) -> RejectionReason? {
    var push = Push()
    push.jwt = jwt
    return reason(push)
  }

  /// A connection of a client that presents a certificate.
  mutating func connect(_ certificate: ProviderCertificate, to environment: Environment = .sandbox) {
    connection = ProviderConnection(
      environment: environment, certificate: certificate, validator.rulebook, at: now.wall)
  }

  /// Opens another connection to this gate.
  mutating func reconnect(to environment: Environment = .sandbox) {
    connection = ProviderConnection(environment: environment)
  }
}

/// The verdict of all rules on a push.
struct Verdict {
  let checked: CheckedPush
  let outcome: Result<AcceptedPush, Rejection>
  let address: Address?

  var push: AcceptedPush? { try? outcome.get() }
  /// The contents of the push, if it was accepted.
  var accepted: ParsedPush? { push == nil ? nil : checked.push }
  var id: NotificationID? { checked.push.id }
  var environment: Environment { checked.push.environment }
  var keyNumber: Int? { checked.keyNumber }
  var authorizesConnection: Bool { checked.authorizesConnection }
}
