import Timeline
import WireFormats

/// The rules of APNs up to the device token, for one generation of keys and certificates. Immutable, so each connection
/// checks its pushes independently.
package final class PushRules: Sendable {
  package let rulebook: Rulebook
  package let keyRing: KeyRing
  /// Number of changes of keys and certificates: credentials accepted in an earlier generation are checked again.
  package let generation: UInt64

  private let digest: KeyedHash

  init(rulebook: Rulebook, keyRing: KeyRing, digest: KeyedHash, generation: UInt64) {
    self.generation = generation
    self.rulebook = rulebook
    self.keyRing = keyRing
    self.digest = digest
  }

  /// The rules of the next generation, in which everything that was accepted before is checked again.
  func next(with ring: KeyRing) -> PushRules {
    PushRules(rulebook: rulebook, keyRing: ring, digest: digest, generation: generation + 1)
  }

  /// Checks a push without the state of other connections.
  ///
  /// - Parameter tokens: opens device tokens that were made from the seed.
  /// - Returns: nil for a push whose provider token is not the last one accepted on its connection, and for a request
  ///   that is not a push: it may change the connection's state, so the world checks it in order.
  package func check(
    _ request: HTTPRequest, on connection: inout ProviderConnection, _ tokens: SealedTokens, at wall: Instant
  ) -> CheckedPush? {
    let push = ParsedPush(request, in: connection.environment)
    guard push.tokenRange != nil, var checked = check(push, on: &connection, at: wall, { _ in nil }) else { return nil }
    if checked.rejection == nil { checked.address = push.deviceToken.flatMap { tokens.address(of: $0) } }
    return checked
  }

  /// Checks the request line, the credential, and the fields and body, in this order.
  ///
  /// - Parameter authenticate: checks a provider token that is not the last one accepted on the connection; nil if that
  ///   cannot be done here.
  /// - Returns: nil if the credential could not be checked.
  @inline(__always)
  func check(
    _ push: ParsedPush, on connection: inout ProviderConnection, at wall: Instant,
    _ authenticate: (inout ProviderConnection) -> CredentialVerdict?
  ) -> CheckedPush? {
    let known = known(push, on: connection, at: wall)
    if let rule = push.brokenRequestLine {
      return rejected(push, by: rule, keyNumber: known?.keyNumber, isLasting: true)
    }
    let wasAuthorized = connection.isAuthorised
    guard let credential = known ?? authenticate(&connection) else { return nil }
    if let rule = credential.broken {
      return rejected(push, by: rule, keyNumber: credential.keyNumber, isLasting: known != nil)
    }
    let permission = permission(push, credential: credential, on: &connection)
    let rule = push.brokenField(permission, strict: rulebook.strictHeaders)
    return CheckedPush(
      push: push, topic: permission.topic, rejection: rule.map { Rejection(reason($0, permission.topic), by: $0) },
      keyNumber: credential.keyNumber, isDropped: permission.isDropped,
      authorizesConnection: connection.isAuthorised && !wasAuthorized, isLasting: known != nil)
  }

  private func reason(_ rule: Rule, _ topic: Topic?) -> RejectionReason {
    rule == .topicAllowed && topic?.inner != nil ? rulebook.doubledSuffix : rule.reason(rulebook)
  }

  private func rejected(_ push: ParsedPush, by rule: Rule, keyNumber: Int?, isLasting: Bool) -> CheckedPush {
    CheckedPush(
      push: push, topic: nil, rejection: Rejection(rule.reason(rulebook), by: rule), keyNumber: keyNumber,
      isDropped: false, authorizesConnection: false, isLasting: isLasting)
  }

  // MARK: - Credentials

  /// The verdict on the credential if it was accepted before: a certificate when the connection opened, or the provider
  /// token last accepted on it, whose age is all that is left to check.
  @inline(__always)
  func known(
    _ push: ParsedPush, on connection: borrowing ProviderConnection, at wall: Instant
  ) -> CredentialVerdict? {
    if let certified = connection.certified {
      return CredentialVerdict(broken: certified.refusal?.rule, certified: certified)
    }
    guard let passed = connection.passed, passed.generation == generation, let range = push.providerTokenRange else {
      return nil
    }
    let storage = push.request.storage
    guard storage.span.holds(range, passed.text.span) else { return nil }
    return CredentialVerdict(
      broken: passed.validity.broken(at: wall), provider: .init(keyNumber: passed.keyNumber, validity: passed.validity))
  }

  // MARK: - Signatures

  func fingerprint(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 { digest.hash(bytes, range).0 }

  /// Verifies the signatures of provider tokens before the lock, so that the world finds the results in the memory of
  /// their keys: ES256 takes about 0.1 ms, ten times the rest of a push.
  ///
  /// A token that was accepted on the connection is not verified, and neither is one that exceeds the allowed changes.
  package func verifySignatures(
    of requests: some Sequence<HTTPRequest>, on connection: ProviderConnection, at wall: Instant
  ) {
    var changes = connection.changes
    let (allowed, window) = (rulebook.tokenUpdatesAllowed, rulebook.tokenUpdateWindow)
    for request in requests {
      let push = ParsedPush(request, in: connection.environment)
      guard known(push, on: connection, at: wall) == nil, let range = push.providerTokenRange else { continue }
      let bytes = request.storage.span
      guard let token = try? ProviderToken(bytes, range, strict: rulebook.strictProviderTokens),
        changes.present(fingerprint(bytes, range), at: wall, allowed: allowed, window: window)
      else { continue }
      _ = isSigned(token, bytes: bytes, range: range)
    }
  }

  /// True if the key that a provider token names has signed it.
  func isSigned(_ token: ProviderToken, bytes: Span<UInt8>, range: Range<Int>) -> Bool {
    keyRing.number(of: token.keyID) != nil && keyRing.signed(token, bytes.copy(range))
  }

  // MARK: - Topics

  @inline(__always)
  private func permission(
    _ push: ParsedPush, credential: borrowing CredentialVerdict, on connection: inout ProviderConnection
  ) -> TopicPermission {
    if let certified = credential.certified { return certified.permission(push) }
    guard let range = push.topicRange, !range.isEmpty else { return TopicPermission(isPresent: false) }
    guard let provider = credential.provider else { return TopicPermission() }
    let storage = push.request.storage
    let bytes = storage.span
    // A connection's last topic is remembered.
    if let known = connection.resolved, known.keyNumber == provider.keyNumber, bytes.holds(range, known.text.span) {
      return TopicPermission(topic: known.topic, isAllowed: known.isAllowed)
    }
    guard let topic = Topic(bytes.text(range)) else { return TopicPermission() }
    let isAllowed = keyRing.allows(key: provider.keyNumber, bundleID: topic.bundleID)
    connection.resolved = .init(
      text: bytes.copy(range), keyNumber: provider.keyNumber, topic: topic, isAllowed: isAllowed)
    return TopicPermission(topic: topic, isAllowed: isAllowed)
  }
}

/// The verdict on a request's credential: its provider token, or its client's certificate.
package struct CredentialVerdict {
  struct Provider {
    let keyNumber: Int
    let validity: ProviderTokenValidity
  }

  /// The first rule about the credential that is broken; nil if it is accepted.
  let broken: Rule?
  /// The signer of the provider token, if a registered key has signed it.
  var provider: Provider?
  /// Nil if the provider authenticates by token.
  var certified: CertifiedProvider?

  var keyNumber: Int? { provider?.keyNumber }
}
