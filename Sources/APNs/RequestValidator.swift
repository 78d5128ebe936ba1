import Timeline
import WireFormats

/// Applies the rules of APNs to requests, one list in one order (`Rule`): those of `PushRules`, then those about the
/// device token. Adds what connections share: the number of changes of provider tokens.
package struct RequestValidator: Sendable {
  /// The part that needs no state of other connections.
  package private(set) var rules: PushRules
  package var rulebook: Rulebook { rules.rulebook }
  package var keyRing: KeyRing { rules.keyRing }
  /// Token changes per key over all connections, if the rulebook counts them.
  var changesPerKey: [Int: TokenChanges] = [:]

  package init(rulebook: Rulebook, keyRing: KeyRing, seed: UInt64, generation: UInt64 = 0) {
    rules = PushRules(
      rulebook: rulebook, keyRing: keyRing, digest: KeyedHash(seed, 0x746F_6B65_6E73), generation: generation)
  }

  /// Adds a key whose id no valid key has; tokens that it signed are accepted from now on.
  ///
  /// - Returns: false if its public half cannot be read; nothing has changed then.
  package mutating func add(_ key: ProviderKey, publicKey: String) -> Bool {
    var ring = keyRing
    guard ring.add(key, publicKey: publicKey) else { return false }
    rules = rules.next(with: ring)
    return true
  }

  /// Revokes a key: tokens that it signed are no longer accepted on any connection.
  package mutating func revoke(_ keyID: String) {
    var ring = keyRing
    ring.revoke(keyID)
    rules = rules.next(with: ring)
  }

  /// Makes a key valid again that was valid at the beginning.
  ///
  /// - Returns: false if there was no such key, or it is valid; nothing has changed then.
  package mutating func restore(_ keyID: String) -> Bool {
    var ring = keyRing
    guard ring.restore(keyID) else { return false }
    rules = rules.next(with: ring)
    return true
  }

  /// Begins a generation, in which everything that was accepted before is checked again.
  package mutating func beginGeneration() { rules = rules.next(with: keyRing) }

  /// Applies the rules up to the device token. Pass the result to `admit`.
  package mutating func check(
    _ push: ParsedPush, on connection: inout ProviderConnection, at wall: Instant
  ) -> CheckedPush {
    let checked = rules.check(push, on: &connection, at: wall) { authenticate(push, on: &$0, at: wall) }
    // A credential can always be checked here.
    return checked ?? CheckedPush(unchecked: push)
  }

  /// Applies the rules about the device token.
  ///
  /// - Parameters:
  ///   - known: the address of the device token, if it is known. Otherwise it is read from the path.
  ///   - isBlocked: true if the sender is blocked.
  /// - Returns: the address of the device token, if it was looked up, and the verdict.
  package func admit<Directory: TokenDirectory>(
    _ checked: borrowing CheckedPush, to known: Address?, isBlocked: Bool = false, using directory: inout Directory,
    at now: Instant
  ) -> (address: Address?, outcome: Result<AcceptedPush, Rejection>) {
    if let rejection = checked.rejection { return (nil, .failure(rejection)) }
    let push = checked.push
    var status = TokenStatus.unknown
    if let known {
      status = directory.status(of: known, in: push.environment, at: now)
    } else if let token = push.deviceToken {
      status = directory.status(of: token, in: push.environment, at: now)
    }
    switch status {
    case .unknown, .ofOtherCell: return (nil, rejected(.deviceTokenKnown))
    case .expired(let address, let since): return (address, rejected(.deviceTokenNotExpired, since: since))
    case .unregistered(let address, let since): return (address, rejected(.deviceTokenRegistered, since: since))
    case .live(let address), .lingering(let address):
      if let rule = broken(checked, address: address, isBlocked: isBlocked, in: &directory, at: now) {
        return (address, rejected(rule))
      }
      return (address, .success(AcceptedPush(status, isDropped: checked.isDropped, to: address)))
    }
  }

  /// The first rule that a push to a token breaks that may get pushes.
  @inline(__always)
  private func broken<Directory: TokenDirectory>(
    _ checked: borrowing CheckedPush, address: Address, isBlocked: Bool, in directory: inout Directory, at now: Instant
  ) -> Rule? {
    guard let topic = checked.topic, directory.belongs(address, to: topic),
      !(rulebook.startTokensOnlyStart && address.slot.isPushToStart && checked.push.wantsActivity)
    else { return .deviceTokenForTopic }
    guard checked.push.hasType(for: topic) else { return .topicSuffixMatchesPushType }
    guard !isBlocked else { return .senderNotBlocked }
    guard directory.admit(address, at: now) else { return .requestRate }
    return nil
  }

  private func rejected(_ rule: Rule, since: Instant? = nil) -> Result<AcceptedPush, Rejection> {
    .failure(Rejection(rule.reason(rulebook), by: rule, since: since))
  }

  /// The first rule about the provider token that a request with this token would break on a new connection, and what
  /// its sender did. Does not change any counts.
  package func rejection(
    ofProvider token: String, in environment: Environment, at wall: Instant
  ) -> (rejection: Rejection, sentence: String)? {
    let request = HTTPRequest("POST", "/", fields: [("authorization", "bearer \(token)")], body: [])
    let push = ParsedPush(request, in: environment)
    var copy = self
    var connection = ProviderConnection(environment: environment)
    guard let rule = copy.authenticate(push, on: &connection, at: wall).broken else { return nil }
    return (Rejection(rule.reason(rulebook), by: rule), mistake(rule, in: push, at: wall) ?? rule.sentence)
  }
}
