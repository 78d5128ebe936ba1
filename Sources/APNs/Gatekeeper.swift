import Timeline
import WireFormats

/// Applies the rules of APNs to a request, in the order of the rulebook.
package struct Gatekeeper: Sendable {
  /// What needs no memory of other connections.
  package let examiner: PushExaminer
  package var rulebook: Rulebook { examiner.rulebook }
  package var keyRing: KeyRing { examiner.keyRing }
  /// When it holds, all rules about the provider do.
  let lastAboutProvider: Rule?
  private let digest: KeyedHash
  var memory: TokenMemory
  /// Token updates per key over all connections, where the rulebook counts them.
  var changesPerKey: [Int: TokenChanges] = [:]

  /// Verified provider tokens kept in mind. A backend has a few; one that makes a token per push may have many.
  private static let tokensRemembered = 1024

  package init(rulebook: Rulebook, keyRing: KeyRing, seed: UInt64) {
    examiner = PushExaminer(rulebook: rulebook, keyRing: keyRing)
    digest = KeyedHash(seed, 0x746F_6B65_6E73)
    memory = TokenMemory(capacity: Self.tokensRemembered)
    lastAboutProvider = rulebook.order.last(where: \.isAboutProvider)
  }

  /// Applies the rules up to the first that asks a phone. What is examined is told to `admit` next.
  package mutating func examine(
    _ request: HTTPRequest, on connection: inout ProviderConnection, at now: Now
  ) -> Examination {
    examine(ExaminedPush(request, in: connection.environment), on: &connection, at: now)
  }

  /// The same of a push whose headers have been read.
  package mutating func examine(
    _ push: ExaminedPush, on connection: inout ProviderConnection, at now: Now
  ) -> Examination {
    var admission = Admission(push)
    admission.recognise(on: connection)
    let wasAuthorised = connection.isAuthorised
    var refusal: Refusal?
    // A provider token that has passed here before leaves two rules of its eleven to look at.
    for rule in examiner.order(for: admission).examined {
      refusal = judge(rule, &admission, &connection, now)
      if refusal != nil { break }
    }
    return Examination(admission: admission, refusal: refusal, wasAuthorised: wasAuthorised, address: nil)
  }

  /// Applies the rest of the rules, with what the phone says of the token.
  package mutating func admit<Directory: TokenDirectory>(
    _ examination: consuming Examination, on connection: inout ProviderConnection, using directory: inout Directory,
    at now: Now
  ) -> Verdict {
    if let address = examination.address, examination.refusal == nil {
      examination.admission.found(directory.standing(of: address, in: connection.environment, at: now.world))
    }
    var refusal = examination.refusal
    if refusal == nil {
      for rule in examiner.order(for: examination.admission).rest {
        if rule.asksPhone {
          if rule == .deviceTokenForTopic { examination.admission.resolveTopic(&connection, keyRing) }
          let standing = examination.admission.standing(in: connection.environment, directory, now.world)
          refusal = judge(
            rule, standing, examination.admission.topic, examination.admission.push, &directory, now.world)
        } else {
          refusal = judge(rule, &examination.admission, &connection, now)
        }
        if refusal != nil { break }
      }
    }
    let outcome: Result<PushRequest, Refusal>
    if let refusal {
      outcome = .failure(refusal)
    } else if let push = examination.admission.proof() {
      outcome = .success(push)
    } else {
      // Only an order of rules that leaves some out leads here.
      outcome = .failure(Refusal(.internalServerError, by: nil))
    }
    return Verdict(
      examined: examination.admission.push, outcome: outcome, keyNumber: examination.admission.provider?.keyNumber,
      address: examination.admission.standing?.address,
      authorisesConnection: connection.isAuthorised && !examination.wasAuthorised)
  }

  /// The same of a settled examination, which leaves only the phone to be asked.
  ///
  /// - Parameter known: where the device token leads, if that is known. Otherwise it is read from the path.
  /// - Returns: where the device token leads, as far as it was looked up, and what became of the request.
  package func admit<Directory: TokenDirectory>(
    _ settled: borrowing SettledExamination, to known: Address?, using directory: inout Directory, at now: Instant
  ) -> (address: Address?, outcome: Result<PushRequest, Refusal>) {
    if let refusal = settled.refusal { return (nil, .failure(refusal)) }
    let push = settled.push
    var standing = TokenStanding.unknown
    if let known {
      standing = directory.standing(of: known, in: push.environment, at: now)
    } else if let token = push.deviceToken {
      standing = directory.standing(of: token, in: push.environment, at: now)
    }
    for rule in examiner.shortOrder.rest {
      if let refusal = judge(rule, standing, settled.topic, push, &directory, now) {
        return (standing.address, .failure(refusal))
      }
    }
    if let accepted = PushRequest(push, standing) { return (accepted.address, .success(accepted)) }
    return (standing.address, .failure(Refusal(.internalServerError, by: nil)))
  }

  /// The first rule about the provider token that a token alone on a new connection would break. It counts nowhere.
  package func refusal(ofProvider token: String, in environment: Environment, at wall: Instant) -> Refusal? {
    let request = HTTPRequest("POST", "/", fields: [("authorization", "bearer \(token)")], body: [])
    var copy = self
    var connection = ProviderConnection(environment: environment)
    var admission = Admission(ExaminedPush(request, in: environment))
    admission.recognise(on: connection)
    for rule in rulebook.order where rule.isAboutProvider {
      guard copy.authenticate(rule, &admission, &connection, wall) else {
        return Refusal(rule.reason(rulebook), by: rule)
      }
    }
    return nil
  }

  @inline(__always)
  private mutating func judge(
    _ rule: Rule, _ admission: inout Admission, _ connection: inout ProviderConnection, _ now: Now
  ) -> Refusal? {
    if !admission.isPassedBefore {
      if rule.isAboutProvider {
        let holds = authenticate(rule, &admission, &connection, now.wall)
        return holds ? nil : Refusal(rule.reason(rulebook), by: rule)
      }
      if rule == .topicAllowed, admission.provider == nil { identify(&admission, on: connection) }
    }
    return examiner.judge(rule, &admission, &connection, now.wall)
  }

  @inline(__always)
  private func judge<Directory: TokenDirectory>(
    _ rule: Rule, _ standing: TokenStanding, _ topic: Topic?, _ push: ExaminedPush, _ directory: inout Directory,
    _ now: Instant
  ) -> Refusal? {
    switch (rule, standing) {
    case (.deviceTokenKnown, .unknown): return Refusal(rule.reason(rulebook), by: rule)
    case (.deviceTokenNotExpired, .expired(_, let since)): return Refusal(.expiredToken, by: rule, since: since)
    case (.deviceTokenRegistered, .unregistered(_, let since)): return Refusal(.unregistered, by: rule, since: since)
    case (.deviceTokenForTopic, .live(let address)), (.deviceTokenForTopic, .lingering(let address)):
      guard let topic, directory.belongs(address, to: topic) else {
        return Refusal(.deviceTokenNotForTopic, by: rule)
      }
      guard rulebook.startTokensOnlyStart, address.slot.isPushToStart, push.wantsActivity else { return nil }
      return Refusal(.deviceTokenNotForTopic, by: rule)
    case (.requestRate, .live(let address)), (.requestRate, .lingering(let address)):
      return directory.admit(address, at: now) ? nil : Refusal(.tooManyRequests, by: rule)
    default: return nil
    }
  }

  func fingerprint(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 { digest.hash(bytes, range).0 }
}

/// A request that has been examined as far as it can be without its phone.
package struct Examination: Sendable {
  var admission: Admission
  let refusal: Refusal?
  let wasAuthorised: Bool
  /// Where the device token leads, if that has been found.
  package var address: Address?

}
