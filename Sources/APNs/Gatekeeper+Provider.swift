import Timeline
import WireFormats

extension Gatekeeper {
  /// The rules about the provider token. A token that has passed on this connection passes again by comparison;
  /// only its age is looked at each time.
  mutating func authenticate(
    _ rule: Rule, _ admission: inout Admission, _ connection: inout ProviderConnection, _ wall: Instant
  ) -> Bool {
    if admission.isPassedBefore { return admission.isTimely(rule, wall) }
    guard holds(rule, &admission, &connection, wall) else { return false }
    if rule == lastAboutProvider { bind(admission, &connection) }
    return true
  }

  /// Each rule reads what it needs, so that no order lets in whom another keeps out. What cannot be read breaks the
  /// rule that is about reading it, and no other.
  private mutating func holds(
    _ rule: Rule, _ admission: inout Admission, _ connection: inout ProviderConnection, _ wall: Instant
  ) -> Bool {
    switch rule {
    case .providerTokenPresent:
      return admission.providerText != nil
    case .providerTokenWellFormed:
      return admission.providerText == nil || present(&admission) != nil
    case .providerTokenUpdates:
      return countsAsUpdate(&admission, &connection, wall)
    case .providerKeyKnown:
      guard let token = present(&admission) else { return true }
      return keyRing.number(of: token.keyID) != nil
    case .providerTeamMatchesKey:
      guard let token = present(&admission), let number = keyRing.number(of: token.keyID) else { return true }
      return keyRing.keys[number].teamID == token.teamID
    case .providerSignature:
      return verify(&admission)
    case .oneTeamPerConnection:
      guard let provider = identify(&admission), let team = connection.teamID else { return true }
      return keyRing.keys[provider.keyNumber].teamID == team
    case .providerTokenNotFromFuture:
      guard let provider = identify(&admission) else { return true }
      return provider.validity.from <= wall
    case .providerTokenFresh:
      guard let provider = identify(&admission) else { return true }
      return provider.validity.to >= wall
    case .keyOfThisEnvironment:
      guard let provider = identify(&admission) else { return true }
      return keyRing.keys[provider.keyNumber].environments.contains(connection.environment)
    case .keyRelatedToConnection:
      guard let provider = identify(&admission), let first = connection.keyNumber else { return true }
      return keyRing.keys[provider.keyNumber].isRelated(to: keyRing.keys[first])
    default:
      return true
    }
  }

  /// The token taken apart, once.
  private func present(_ admission: inout Admission) -> ProviderToken? {
    if admission.presented == nil, let text = admission.providerText {
      let storage = admission.push.request.storage
      admission.presented = ProviderToken(storage.span, text, strict: rulebook.strictProviderTokens)
    }
    return admission.presented
  }

  /// Who signed the token, once; nil when nobody did.
  private mutating func identify(_ admission: inout Admission) -> Admission.Provider? {
    if admission.provider == nil { _ = verify(&admission) }
    return admission.provider
  }

  /// The same for a rule about the topic, which an order may put before those about the provider.
  mutating func identify(_ admission: inout Admission, on connection: ProviderConnection) {
    _ = identify(&admission)
  }

  private mutating func countsAsUpdate(
    _ admission: inout Admission, _ connection: inout ProviderConnection, _ wall: Instant
  ) -> Bool {
    guard let text = admission.providerText else { return true }
    let storage = admission.push.request.storage
    let digest = fingerprint(storage.span, text)
    let allowed = rulebook.tokenUpdatesAllowed
    let window = rulebook.tokenUpdateWindow
    guard connection.changes.present(digest, at: wall, allowed: allowed, window: window) else { return false }
    guard rulebook.countTokenUpdatesPerKey, let keyID = present(&admission)?.keyID, let key = keyRing.number(of: keyID)
    else { return true }
    return changesPerKey[key, default: TokenChanges()].present(digest, at: wall, allowed: allowed, window: window)
  }

  private mutating func verify(_ admission: inout Admission) -> Bool {
    if admission.provider != nil { return true }
    guard let token = present(&admission), let range = admission.providerText,
      let number = keyRing.number(of: token.keyID)
    else { return true }
    let storage = admission.push.request.storage
    let bytes = storage.span
    let digest = fingerprint(bytes, range)
    if let known = memory.recall(digest, bytes, range) {
      admission.provider = .init(
        keyNumber: known.keyNumber, validity: ProviderValidity(issuedAt: known.issuedAt, rulebook))
      return true
    }
    let text = bytes.copy(range)
    guard keyRing.signed(token, text) else { return false }
    memory.remember(digest, text, keyNumber: number, issuedAt: token.issuedAt)
    admission.provider = .init(keyNumber: number, validity: ProviderValidity(issuedAt: token.issuedAt, rulebook))
    return true
  }

  /// All rules about the provider hold: binds the connection to the first key, and opens its streams.
  private func bind(_ admission: Admission, _ connection: inout ProviderConnection) {
    guard let provider = admission.provider, let range = admission.providerText else { return }
    if connection.keyNumber == nil {
      connection.keyNumber = provider.keyNumber
      connection.teamID = keyRing.keys[provider.keyNumber].teamID
    }
    connection.isAuthorised = true
    let storage = admission.push.request.storage
    connection.passed = .init(
      text: storage.span.copy(range), keyNumber: provider.keyNumber, validity: provider.validity)
  }
}
