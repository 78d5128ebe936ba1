/// The provider keys and apps that Apple would store: who may sign, and for which topics.
package struct KeyRing: Sendable {
  /// Checks a signature. The implementation uses OpenSSL; this target does not import it.
  ///
  /// Returns whether the key with that id has signed those bytes.
  package typealias Check = @Sendable (_ keyID: String, _ signed: [UInt8], _ signature: ProviderToken.Signature) -> Bool

  /// Checks the signatures of one key.
  package typealias KeyCheck = @Sendable (_ signed: [UInt8], _ signature: ProviderToken.Signature) -> Bool
  /// Reads the public half of a key, as base64 of SubjectPublicKeyInfo; nil if it is not one.
  package typealias KeyReader = @Sendable (_ publicKey: String) -> KeyCheck?

  /// Maximum number of keys in a ring, including revoked keys, which keep their numbers.
  package static let mostKeys = 10_000

  /// All keys that were ever valid: the number of a key is its index here, so it never changes.
  package private(set) var keys: [ProviderKey]
  /// Number of keys that were valid at the beginning.
  private let initial: Int
  /// The team that owns each bundle id.
  private let owners: [String: String]
  /// The numbers of the keys that are valid now, by key id.
  private var numbers: [String: Int]
  /// The keys that were added later, by number.
  private var added: [Int: (publicKey: String, check: KeyCheck)] = [:]
  private let check: Check
  private let read: KeyReader

  /// - Parameters:
  ///   - apps: bundle ids with the team that owns each.
  ///   - read: reads keys that are added later.
  package init(
    keys: [ProviderKey], apps: [(bundleID: String, teamID: String)], read: @escaping KeyReader = { _ in nil },
    check: @escaping Check
  ) {
    self.keys = keys
    initial = keys.count
    self.check = check
    self.read = read
    // Device management needs a certificate, so no team's keys are allowed for it. Assumed: Apple documents the topic
    // as that of a certificate, and mentions no other way.
    let owned = apps.filter { !$0.bundleID.hasPrefix(ProviderCertificate.managementPrefix) }
    owners = Dictionary(owned.map { ($0.bundleID, $0.teamID) }, uniquingKeysWith: { first, _ in first })
    numbers = Dictionary(keys.enumerated().map { ($1.keyID, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The index in `keys` of the valid key with that id.
  package func number(of keyID: String) -> Int? { numbers[keyID] }

  /// The keys that are valid now, in the order of registration, each with its public half if it was added later.
  package var valid: [(key: ProviderKey, publicKey: String?)] {
    numbers.values.sorted().map { (keys[$0], added[$0]?.publicKey) }
  }

  package func signed(_ token: ProviderToken, _ text: [UInt8]) -> Bool {
    let signed = Array(text.prefix(token.signedCount))
    if let number = numbers[token.keyID], let later = added[number] { return later.check(signed, token.signature) }
    return check(token.keyID, signed, token.signature)
  }

  /// Adds a key whose id no valid key has.
  ///
  /// - Returns: false if its public half cannot be read; nothing has changed then.
  mutating func add(_ key: ProviderKey, publicKey: String) -> Bool {
    guard let check = read(publicKey) else { return false }
    numbers[key.keyID] = keys.count
    added[keys.count] = (publicKey, check)
    keys.append(key)
    return true
  }

  /// Revokes a key. It keeps its number, because earlier pushes refer to it.
  mutating func revoke(_ keyID: String) {
    guard let number = numbers.removeValue(forKey: keyID) else { return }
    added[number] = nil
  }

  /// Makes a key valid again that was valid at the beginning and is revoked.
  ///
  /// - Returns: false if there was no such key; nothing has changed then.
  mutating func restore(_ keyID: String) -> Bool {
    guard numbers[keyID] == nil, let number = keys.prefix(initial).firstIndex(where: { $0.keyID == keyID }) else {
      return false
    }
    numbers[keyID] = number
    return true
  }

  /// The ids of the keys that were valid at the beginning.
  package var initialIDs: [String] { keys.prefix(initial).map(\.keyID) }

  /// The team that owns a bundle id.
  package func team(of bundleID: String) -> String? { owners[bundleID] }

  package func hasApps(of teamID: String) -> Bool { owners.values.contains(teamID) }

  /// The last such bundle id in alphabetical order: of those that begin a text, the longest.
  func app(where isMeant: (String) -> Bool) -> String? { owners.keys.filter(isMeant).max() }

  /// True if a key may send to an app's topics.
  package func allows(key number: Int, bundleID: String) -> Bool {
    let key = keys[number]
    guard owners[bundleID] == key.teamID else { return false }
    return key.topics?.contains(bundleID) ?? true
  }
}

/// A provider's signing key as registered with Apple: its public half and its restrictions.
///
/// Documented: since February 2025 a key is valid for one environment or (older keys) for both, for the whole team or
/// for given topics. A topic-specific key may have one related key ("Establishing a token-based connection to APNs").
package struct ProviderKey: Hashable, Sendable {
  package let keyID: String
  package let teamID: String
  /// Environments in which the key is valid.
  package let environments: Set<Environment>
  /// Bundle ids that the key is limited to; nil for all of its team.
  package let topics: [String]?
  /// The one other key that may be used on the same connection.
  package let relatedKeyID: String?

  package init(
    keyID: String, teamID: String, environments: Set<Environment>, topics: [String]? = nil, relatedKeyID: String? = nil
  ) {
    self.keyID = keyID
    self.teamID = teamID
    self.environments = environments
    self.topics = topics
    self.relatedKeyID = relatedKeyID
  }

  package func isRelated(to other: ProviderKey) -> Bool {
    keyID == other.keyID || relatedKeyID == other.keyID || other.relatedKeyID == keyID
  }
}
