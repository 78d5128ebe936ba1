import Timeline
import WireFormats

/// Applies the rules of APNs to a request, in the rulebook's order.
package struct RequestValidator: Sendable {
  /// The part that needs no state of other connections.
  package private(set) var examiner: PushExaminer
  package var rulebook: Rulebook { examiner.rulebook }
  package var keyRing: KeyRing { examiner.keyRing }
  /// When this rule passes, all rules about the provider's token have passed.
  let lastAboutProvider: Rule?
  private let digest: KeyedHash
  var memory: ProviderTokenCache
  /// Token changes per key over all connections, if the rulebook counts them.
  var changesPerKey: [Int: TokenChanges] = [:]

  /// Number of verified provider tokens remembered. A backend has a few; one that makes a token per push may have many.
  private static let tokensRemembered = 1024

  package init(rulebook: Rulebook, keyRing: KeyRing, seed: UInt64, epoch: UInt64 = 0) {
    examiner = PushExaminer(rulebook: rulebook, keyRing: keyRing, epoch: epoch)
    digest = KeyedHash(seed, 0x746F_6B65_6E73)
    memory = ProviderTokenCache(capacity: Self.tokensRemembered)
    lastAboutProvider = rulebook.order.last { $0.isAboutProvider && !$0.isAboutCertificate }
  }

  /// Adds a key whose id no valid key has; tokens that it signed are accepted from now on.
  ///
  /// - Returns: false if its public half cannot be read; nothing has changed then.
  package mutating func add(_ key: ProviderKey, publicKey: String) -> Bool {
    var ring = keyRing
    guard ring.add(key, publicKey: publicKey) else { return false }
    beginEpoch(with: ring)
    return true
  }

  /// Revokes a key: tokens that it signed are no longer accepted on any connection.
  package mutating func revoke(_ keyID: String) {
    var ring = keyRing
    ring.revoke(keyID)
    beginEpoch(with: ring)
  }

  /// Begins an epoch, in which everything that was accepted before is checked again.
  package mutating func beginEpoch() { beginEpoch(with: keyRing) }

  private mutating func beginEpoch(with ring: KeyRing) {
    examiner = PushExaminer(rulebook: rulebook, keyRing: ring, epoch: examiner.epoch + 1)
    memory = ProviderTokenCache(capacity: Self.tokensRemembered)
  }

  /// Applies the rules up to the first one that needs a phone. Pass the result to `admit`.
  package mutating func examine(
    _ request: HTTPRequest, on connection: inout ProviderConnection, at now: Now
  ) -> Examination {
    examine(ExaminedPush(request, in: connection.environment), on: &connection, at: now)
  }

  /// The same for a push whose headers have been parsed.
  package mutating func examine(
    _ push: ExaminedPush, on connection: inout ProviderConnection, at now: Now
  ) -> Examination {
    var validation = RequestValidation(push)
    validation.recognise(on: connection, in: examiner.epoch)
    let wasAuthorised = connection.isAuthorised
    var rejection: Rejection?
    // If the provider token was accepted before on this connection, only two of the eleven rules are left to check.
    for rule in examiner.order(for: validation).examined {
      rejection = validate(rule, &validation, &connection, now)
      if rejection != nil { break }
    }
    return Examination(validation: validation, rejection: rejection, wasAuthorised: wasAuthorised, address: nil)
  }

  /// Applies the remaining rules, which need the token's status on its phone.
  package mutating func admit<Directory: TokenDirectory>(
    _ examination: consuming Examination, on connection: inout ProviderConnection, using directory: inout Directory,
    at now: Now
  ) -> PushVerdict {
    if let address = examination.address, examination.rejection == nil {
      examination.validation.found(directory.status(of: address, in: connection.environment, at: now.world))
    }
    var rejection = examination.rejection
    if rejection == nil {
      for rule in examiner.order(for: examination.validation).rest {
        if rule.asksPhone {
          if rule == .deviceTokenForTopic { examination.validation.resolveTopic(&connection, keyRing) }
          let status = examination.validation.status(in: connection.environment, directory, now.world)
          rejection = validate(
            rule, status, examination.validation.topic, examination.validation.push, &directory, now.world)
        } else {
          rejection = validate(rule, &examination.validation, &connection, now)
        }
        if rejection != nil { break }
      }
    }
    let outcome: Result<PushRequest, Rejection>
    if let rejection {
      outcome = .failure(rejection)
    } else if let push = examination.validation.proof() {
      outcome = .success(push)
    } else {
      // Reached only if the configured order of rules leaves some out.
      outcome = .failure(Rejection(.internalServerError, by: nil))
    }
    return PushVerdict(
      examined: examination.validation.push, outcome: outcome, keyNumber: examination.validation.provider?.keyNumber,
      address: examination.validation.status?.address,
      authorisesConnection: connection.isAuthorised && !examination.wasAuthorised)
  }

  /// The same for a settled examination, which only needs the phone's status.
  ///
  /// - Parameter known: the address of the device token, if it is known. Otherwise it is read from the path.
  /// - Returns: the address of the device token, if it was looked up, and the verdict.
  package func admit<Directory: TokenDirectory>(
    _ settled: borrowing SettledExamination, to known: Address?, using directory: inout Directory, at now: Instant
  ) -> (address: Address?, outcome: Result<PushRequest, Rejection>) {
    if let rejection = settled.rejection { return (nil, .failure(rejection)) }
    let push = settled.push
    var status = TokenStatus.unknown
    if let known {
      status = directory.status(of: known, in: push.environment, at: now)
    } else if let token = push.deviceToken {
      status = directory.status(of: token, in: push.environment, at: now)
    }
    for rule in examiner.shortOrder.rest {
      if let rejection = validate(rule, status, settled.topic, push, &directory, now) {
        return (status.address, .failure(rejection))
      }
    }
    if let accepted = PushRequest(status, isDropped: settled.isDropped) {
      return (accepted.address, .success(accepted))
    }
    return (status.address, .failure(Rejection(.internalServerError, by: nil)))
  }

  /// The first rule about the provider token that a request with this token would break on a new connection, and what
  /// its sender did. Does not change any counts.
  package func rejection(
    ofProvider token: String, in environment: Environment, at wall: Instant
  ) -> (rejection: Rejection, sentence: String)? {
    let request = HTTPRequest("POST", "/", fields: [("authorization", "bearer \(token)")], body: [])
    var copy = self
    var connection = ProviderConnection(environment: environment)
    var validation = RequestValidation(ExaminedPush(request, in: environment))
    validation.recognise(on: connection, in: examiner.epoch)
    for rule in rulebook.order where rule.isAboutProvider {
      guard copy.authenticate(rule, &validation, &connection, wall) else {
        let sentence = mistake(rule, in: validation.push, at: wall) ?? rule.sentence
        return (Rejection(rule.reason(rulebook), by: rule), sentence)
      }
    }
    return nil
  }

  @inline(__always)
  private mutating func validate(
    _ rule: Rule, _ validation: inout RequestValidation, _ connection: inout ProviderConnection, _ now: Now
  ) -> Rejection? {
    if !validation.isPassedBefore {
      if rule.isAboutProvider {
        let holds = authenticate(rule, &validation, &connection, now.wall)
        return holds ? nil : Rejection(rule.reason(rulebook), by: rule)
      }
      if rule == .topicAllowed, validation.provider == nil { identify(&validation, on: connection) }
    }
    return examiner.validate(rule, &validation, &connection, now.wall)
  }

  @inline(__always)
  private func validate<Directory: TokenDirectory>(
    _ rule: Rule, _ status: TokenStatus, _ topic: Topic?, _ push: ExaminedPush, _ directory: inout Directory,
    _ now: Instant
  ) -> Rejection? {
    switch (rule, status) {
    case (.deviceTokenKnown, .unknown), (.deviceTokenKnown, .ofOtherCell):
      return Rejection(rule.reason(rulebook), by: rule)
    case (.deviceTokenNotExpired, .expired(_, let since)): return Rejection(.expiredToken, by: rule, since: since)
    case (.deviceTokenRegistered, .unregistered(_, let since)): return Rejection(.unregistered, by: rule, since: since)
    case (.deviceTokenForTopic, .live(let address)), (.deviceTokenForTopic, .lingering(let address)):
      guard let topic, directory.belongs(address, to: topic) else {
        return Rejection(.deviceTokenNotForTopic, by: rule)
      }
      guard rulebook.startTokensOnlyStart, address.slot.isPushToStart, push.wantsActivity else { return nil }
      return Rejection(.deviceTokenNotForTopic, by: rule)
    case (.topicSuffixMatchesPushType, _):
      return push.hasType(for: topic) ? nil : Rejection(rule.reason(rulebook), by: rule)
    case (.requestRate, .live(let address)), (.requestRate, .lingering(let address)):
      return directory.admit(address, at: now) ? nil : Rejection(.tooManyRequests, by: rule)
    default: return nil
    }
  }

  func fingerprint(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 { digest.hash(bytes, range).0 }
}

/// A request examined as far as possible without its phone.
package struct Examination: Sendable {
  var validation: RequestValidation
  let rejection: Rejection?
  let wasAuthorised: Bool
  /// The address of the device token, if it has been found.
  package var address: Address?

}
