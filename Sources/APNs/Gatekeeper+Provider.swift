import Timeline
import WireFormats

extension Gatekeeper {
  /// The rules about the provider token. A token that has passed on this connection passes again by comparison;
  /// only its age is looked at each time.
  mutating func authenticate<Address>(
    _ rule: Rule, _ admission: inout Admission<Address>, _ connection: inout ProviderConnection, _ wall: Instant
  ) -> Bool {
    if admission.provider == nil { recognise(&admission, connection) }
    let storage = admission.request.storage
    let bytes = storage.span
    switch rule {
    case .providerTokenPresent:
      return admission.providerText != nil
    case .providerTokenWellFormed:
      if admission.provider != nil { return true }
      guard let text = admission.providerText else { return true }
      admission.presented = ProviderToken(bytes, text, strict: rulebook.strictProviderTokens)
      return admission.presented != nil
    case .providerTokenUpdates:
      return admission.isPassedBefore || countsAsUpdate(admission, &connection, wall)
    case .providerKeyKnown:
      if admission.provider != nil { return true }
      guard let token = admission.presented else { return true }
      return keyRing.number(of: token.keyID) != nil
    case .providerTeamMatchesKey:
      if admission.provider != nil { return true }
      guard let token = admission.presented, let number = keyRing.number(of: token.keyID) else { return true }
      return keyRing.keys[number].teamID == token.teamID
    case .providerSignature:
      return admission.provider != nil || verify(&admission)
    case .oneTeamPerConnection:
      guard let provider = admission.provider, let team = connection.teamID else { return true }
      return keyRing.keys[provider.keyNumber].teamID == team
    case .providerTokenNotFromFuture:
      guard let provider = admission.provider else { return true }
      return provider.issuedAt <= wall.advanced(by: rulebook.providerTokenLead)
    case .providerTokenFresh:
      guard let provider = admission.provider else { return true }
      return provider.issuedAt.advanced(by: rulebook.providerTokenLife) >= wall
    case .keyOfThisEnvironment:
      if admission.isPassedBefore { return true }
      guard let provider = admission.provider else { return true }
      return keyRing.keys[provider.keyNumber].environments.contains(connection.environment)
    case .keyRelatedToConnection:
      return admission.isPassedBefore || bind(admission, &connection)
    default:
      return true
    }
  }

  /// Finds the token where it is written, and whether it is the one that passed last.
  private mutating func recognise<Address>(_ admission: inout Admission<Address>, _ connection: ProviderConnection) {
    guard admission.providerText == nil, let text = admission.findProviderText() else { return }
    admission.providerText = text
    let storage = admission.request.storage
    let bytes = storage.span
    if let passed = connection.passed, bytes.holds(text, passed.text.span) {
      admission.provider = .init(keyNumber: passed.keyNumber, issuedAt: passed.issuedAt)
      admission.isPassedBefore = true
    }
  }

  private mutating func countsAsUpdate<Address>(
    _ admission: Admission<Address>, _ connection: inout ProviderConnection, _ wall: Instant
  ) -> Bool {
    guard let text = admission.providerText else { return true }
    let digest = fingerprint(admission.request.storage.span, text)
    let allowed = rulebook.tokenUpdatesAllowed
    let window = rulebook.tokenUpdateWindow
    guard connection.changes.present(digest, at: wall, allowed: allowed, window: window) else { return false }
    guard rulebook.countTokenUpdatesPerKey, let keyID = admission.presented?.keyID, let key = keyRing.number(of: keyID)
    else { return true }
    return changesPerKey[key, default: TokenChanges()].present(digest, at: wall, allowed: allowed, window: window)
  }

  private mutating func verify<Address>(_ admission: inout Admission<Address>) -> Bool {
    guard let token = admission.presented, let range = admission.providerText,
      let number = keyRing.number(of: token.keyID)
    else { return true }
    let storage = admission.request.storage
    let bytes = storage.span
    let digest = fingerprint(bytes, range)
    if let known = memory.recall(digest, bytes, range) {
      admission.provider = .init(keyNumber: known.keyNumber, issuedAt: known.issuedAt)
      return true
    }
    let text = bytes.copy(range)
    guard keyRing.signed(token, text) else { return false }
    memory.remember(digest, text, keyNumber: number, issuedAt: token.issuedAt)
    admission.provider = .init(keyNumber: number, issuedAt: token.issuedAt)
    return true
  }

  /// The last of the provider rules: binds the connection to the first key, and opens its streams.
  private func bind<Address>(_ admission: Admission<Address>, _ connection: inout ProviderConnection) -> Bool {
    guard let provider = admission.provider, let range = admission.providerText else { return true }
    let key = keyRing.keys[provider.keyNumber]
    if let first = connection.keyNumber {
      guard key.isRelated(to: keyRing.keys[first]) else { return false }
    } else {
      connection.keyNumber = provider.keyNumber
      connection.teamID = key.teamID
    }
    connection.isAuthorised = true
    connection.passed = .init(
      text: admission.request.storage.span.copy(range), keyNumber: provider.keyNumber, issuedAt: provider.issuedAt)
    return true
  }
}
