import Timeline
import WireFormats

/// Explanations that name what the sender of a rejected push did. They are made when somebody reads them, never for
/// the answer.
extension RequestValidator {
  /// The sender's mistake, as far as the request, the keys and the apps show it; nil if only the rule is known.
  ///
  /// - Parameters:
  ///   - certified: the provider's certificate, if its connection is still open.
  ///   - key: number of the provider's key; nil for a provider with a certificate, and for one that is unknown.
  ///   - wall: the time at which the provider token was judged.
  package func mistake(
    _ rule: Rule, in push: ParsedPush, by certified: CertifiedProvider? = nil, key: Int? = nil, at wall: Instant
  ) -> String? {
    if let certified, let sentence = topicMistake(rule, push: push, certified: certified) { return sentence }
    if rule.isAboutProvider, rule != .providerTokenPresent { return providerMistake(rule, push: push, at: wall) }
    switch rule {
    case .deviceTokenKnown:
      return push.tokenRange.flatMap { TokenNotation(push.text($0)) }?.sentence
    case .topicWellFormed: return push.topicRange.flatMap { TopicMistake.notWellFormed(push.text($0)) }
    case .topicAllowed: return push.topicRange.flatMap { Topic(push.text($0)) }.flatMap { disallowed($0, key) }
    case .topicSuffixMatchesPushType:
      guard let type = push.type, let topic = push.topicRange.flatMap({ Topic(push.text($0)) }) else { return nil }
      return TopicMistake.mismatch(topic, type)
    default: return push.headerMistake(rule, strict: rulebook.strictHeaders)
    }
  }

  /// The mistake of a broadcast's sender, or in a request about channels; nil if only the rule is known.
  ///
  /// - Parameter app: the bundle id in the path.
  package func mistake(
    _ rule: BrokenRule, in push: ParsedPush, for app: String, by certified: CertifiedProvider? = nil,
    key: Int? = nil, at wall: Instant
  ) -> String? {
    switch rule {
    case .provider(let rule): mistake(rule, in: push, by: certified, key: key, at: wall)
    case .channel(.appOfTeam): certified.map { foreign(app, $0) } ?? Topic(app).flatMap { disallowed($0, key) }
    case .channel(.expirationPresent):
      push.expirationRange?.isEmpty == true
        ? "apns-expiration is empty; a broadcast needs a date, or 0 for a single attempt."
        : push.headerMistake(.expiration, strict: false)
    case .channel: nil
    }
  }

  private func disallowed(_ topic: Topic, _ key: Int?) -> String? {
    guard let key, keyRing.keys.indices.contains(key) else { return TopicMistake.notAnApp(topic.bundleID) }
    return TopicMistake.disallowed(topic, of: keyRing.keys[key], in: keyRing)
  }

  /// The circumstance of a rejected push, as far as its request and the apps show it.
  package func circumstance(_ rule: Rule, in push: ParsedPush) -> Rule.Circumstance? {
    let topic = push.topicRange.flatMap { Topic(push.text($0)) }
    switch rule {
    case .providerTokenWellFormed:
      guard case .failure(let flaw)? = presented(push) else { return nil }
      return flaw.isStrict ? .looseProviderToken : nil
    case .topicAllowed: return topic?.inner == nil ? nil : .doubledSuffix
    case .collapseID: return push.collapseIDRange == nil ? .emptyCollapseID : nil
    case .topicSuffixMatchesPushType: return topic?.suffix == .voip ? nil : .otherService
    case .priority:
      if push.priorityRange != nil, push.requestedPriority == nil { return nil }
      return push.type == .background ? .backgroundPriority : .activityPriority
    default: return nil
    }
  }

  private func topicMistake(_ rule: Rule, push: ParsedPush, certified: CertifiedProvider) -> String? {
    guard rule == .topicAllowed, let topic = push.topicRange.map({ push.text($0) }) else { return nil }
    return foreign(topic, certified)
  }

  /// An app that the provider's certificate is not for.
  private func foreign(_ topic: String, _ certified: CertifiedProvider) -> String {
    if let what = TopicMistake.notAnApp(topic) { return what }
    let topics = certified.certificate.topics
    let named = topics.prefix(8).joined(separator: ", ") + (topics.count > 8 ? " and others" : "")
    return "The certificate is for \(named), and not for \(Shown.text(topic))."
  }

  private func presented(_ push: ParsedPush) -> Result<ProviderToken, ProviderTokenFlaw>? {
    guard let range = push.providerTokenRange else { return nil }
    let storage = push.request.storage
    do throws(ProviderTokenFlaw) {
      return .success(try ProviderToken(storage.span, range, strict: rulebook.strictProviderTokens))
    } catch {
      return .failure(error)
    }
  }

  private func provider(of push: ParsedPush) -> ProviderToken? { try? presented(push)?.get() }

  private func providerMistake(_ rule: Rule, push: ParsedPush, at wall: Instant) -> String? {
    guard let presented = presented(push) else { return nil }
    switch presented {
    case .failure(let flaw): return rule == .providerTokenWellFormed ? flaw.sentence : nil
    case .success(let token): return providerMistake(rule, token: token, environment: push.environment, at: wall)
    }
  }

  private func providerMistake(
    _ rule: Rule, token: ProviderToken, environment: Environment, at wall: Instant
  ) -> String? {
    let key = keyRing.number(of: token.keyID).map { keyRing.keys[$0] }
    switch rule {
    case .providerKeyKnown:
      if let other = keyRing.number(of: token.teamID).map({ keyRing.keys[$0] }) {
        return other.teamID == token.keyID
          ? "The ids of key and team are exchanged: kid must be \(other.keyID), and iss must be \(other.teamID)."
          : "The iss is \(other.keyID), which is the id of a key: it belongs in kid, and iss must be its team."
      }
      if key != nil { return "The key \(token.keyID), which is the kid, was registered only after this request." }
      if keyRing.keys.contains(where: { $0.keyID == token.keyID }) {
        return "The key \(token.keyID), which is the kid, was revoked."
      }
      return "No registered key has the id \(Shown.text(token.keyID)), which is the kid"
        + (near(token.keyID) ?? " (`pushpit keys list`).")
    case .providerTeamMatchesKey:
      return key.map {
        "The iss is \(Shown.text(token.teamID)), and the key \($0.keyID) belongs to team \($0.teamID)."
      }
    case .providerSignature:
      return "The provider token is not signed by the private key of \(token.keyID): another .p8 file, or another text"
        + " than header, dot and claims as they are sent."
    case .keyOfThisEnvironment:
      return key.map {
        let others = Environment.allCases.filter($0.environments.contains).map(\.rawValue).joined(separator: ", ")
        return "The key \($0.keyID) is registered for \(others), and this is \(environment.rawValue)."
      }
    case .providerTokenNotFromFuture, .providerTokenFresh: return Self.issueMistake(token.issuedAt, wall)
    default: return nil
    }
  }

  /// The end of a sentence about a `kid` that has the id of a key in other letters, with spaces or as a file's name.
  private func near(_ keyID: String) -> String? {
    var bare = keyID.filter { !$0.isWhitespace }
    if bare.lowercased().hasPrefix("authkey_") { bare.removeFirst("authkey_".count) }
    if bare.lowercased().hasSuffix(".p8") { bare.removeLast(".p8".count) }
    // Apple's ids have capital letters. A search through all keys would be one for each rejected push of a list.
    let near = [bare, bare.uppercased()].first { keyRing.number(of: $0) != nil }
    return near.map {
      $0.utf8.count == keyID.utf8.count ? "; \($0) differs only in capital letters." : "; write \($0) alone."
    }
  }

  /// An `iat` that would be valid in another unit. The sentence has no time, which would differ for each token.
  private static func issueMistake(_ issuedAt: Instant, _ wall: Instant) -> String? {
    let seconds = issuedAt.seconds
    // An instant ends in the year 2262; milliseconds of today are beyond it.
    if seconds >= Instant.distantFuture.seconds {
      return "The iat of the provider token is after the year 2262, as milliseconds and smaller units are; it counts"
        + " seconds since 1970."
    }
    if abs((seconds + 978_307_200) - wall.seconds) < 86_400 {
      return "The iat of the provider token counts from 2001; it counts seconds since 1970."
    }
    if seconds == 0 { return "The iat of the provider token is 0; it is its time of issue, in seconds since 1970." }
    return nil
  }
}
