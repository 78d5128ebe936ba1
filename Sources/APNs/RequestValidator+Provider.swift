import Timeline
import WireFormats

extension RequestValidator {
  /// The rules about the provider token. A token accepted before on this connection is accepted by comparison; only its
  /// age is checked each time.
  mutating func authenticate(
    _ rule: Rule, _ validation: inout RequestValidation, _ connection: inout ProviderConnection, _ wall: Instant
  ) -> Bool {
    if rule.isAboutCertificate { return connection.certified?.holds(rule) ?? true }
    if validation.isPassedBefore { return validation.isTimely(rule, wall) }
    guard holds(rule, &validation, &connection, wall) else { return false }
    if rule == lastAboutProvider { bind(validation, &connection) }
    return true
  }

  /// Each rule reads what it needs, so the result does not depend on the order of rules. A value that cannot be read
  /// breaks only the rule about reading it.
  private mutating func holds(
    _ rule: Rule, _ validation: inout RequestValidation, _ connection: inout ProviderConnection, _ wall: Instant
  ) -> Bool {
    switch rule {
    case .providerTokenPresent:
      return validation.providerText != nil
    case .providerTokenWellFormed:
      return validation.providerText == nil || present(&validation) != nil
    case .providerTokenUpdates:
      return countsAsUpdate(&validation, &connection, wall)
    case .providerKeyKnown:
      guard let token = present(&validation) else { return true }
      return keyRing.number(of: token.keyID) != nil
    case .providerTeamMatchesKey:
      guard let token = present(&validation), let number = keyRing.number(of: token.keyID) else { return true }
      return keyRing.keys[number].teamID == token.teamID
    case .providerSignature:
      return verify(&validation)
    case .oneTeamPerConnection:
      guard let provider = identify(&validation), let team = connection.teamID else { return true }
      return keyRing.keys[provider.keyNumber].teamID == team
    case .providerTokenNotFromFuture:
      guard let provider = identify(&validation) else { return true }
      return provider.validity.from <= wall
    case .providerTokenFresh:
      guard let provider = identify(&validation) else { return true }
      return provider.validity.to >= wall
    case .keyOfThisEnvironment:
      guard let provider = identify(&validation) else { return true }
      return keyRing.keys[provider.keyNumber].environments.contains(connection.environment)
    case .keyRelatedToConnection:
      guard let provider = identify(&validation), let first = connection.keyNumber else { return true }
      return keyRing.keys[provider.keyNumber].isRelated(to: keyRing.keys[first])
    default:
      return true
    }
  }

  /// Parses the token, once.
  private func present(_ validation: inout RequestValidation) -> ProviderToken? {
    if validation.presented == nil, let text = validation.providerText {
      let storage = validation.push.request.storage
      validation.presented = try? ProviderToken(storage.span, text, strict: rulebook.strictProviderTokens)
    }
    return validation.presented
  }

  /// Finds who signed the token, once; nil if no known key did.
  private mutating func identify(_ validation: inout RequestValidation) -> RequestValidation.Provider? {
    if validation.provider == nil { _ = verify(&validation) }
    return validation.provider
  }

  /// The same for a rule about the topic, which the order may put before the rules about the provider.
  mutating func identify(_ validation: inout RequestValidation, on connection: ProviderConnection) {
    _ = identify(&validation)
  }

  private mutating func countsAsUpdate(
    _ validation: inout RequestValidation, _ connection: inout ProviderConnection, _ wall: Instant
  ) -> Bool {
    guard let text = validation.providerText else { return true }
    let storage = validation.push.request.storage
    let digest = fingerprint(storage.span, text)
    let allowed = rulebook.tokenUpdatesAllowed
    let window = rulebook.tokenUpdateWindow
    guard connection.changes.present(digest, at: wall, allowed: allowed, window: window) else { return false }
    guard rulebook.countTokenUpdatesPerKey, let keyID = present(&validation)?.keyID, let key = keyRing.number(of: keyID)
    else { return true }
    return changesPerKey[key, default: TokenChanges()].present(digest, at: wall, allowed: allowed, window: window)
  }

  private mutating func verify(_ validation: inout RequestValidation) -> Bool {
    if validation.provider != nil { return true }
    guard let token = present(&validation), let range = validation.providerText,
      let number = keyRing.number(of: token.keyID)
    else { return true }
    let storage = validation.push.request.storage
    let bytes = storage.span
    let digest = fingerprint(bytes, range)
    if let known = memory.recall(digest, bytes, range) {
      validation.provider = .init(
        keyNumber: known.keyNumber, validity: ProviderTokenValidity(issuedAt: known.issuedAt, rulebook))
      return true
    }
    let text = bytes.copy(range)
    guard keyRing.signed(token, text) else { return false }
    memory.remember(digest, text, keyNumber: number, issuedAt: token.issuedAt)
    validation.provider = .init(keyNumber: number, validity: ProviderTokenValidity(issuedAt: token.issuedAt, rulebook))
    return true
  }

  /// Called when all rules about the provider have passed: binds the connection to the first key, and allows more
  /// streams.
  private func bind(_ validation: RequestValidation, _ connection: inout ProviderConnection) {
    guard let provider = validation.provider, let range = validation.providerText else { return }
    if connection.keyNumber == nil {
      connection.keyNumber = provider.keyNumber
      connection.teamID = keyRing.keys[provider.keyNumber].teamID
    }
    connection.isAuthorised = true
    let storage = validation.push.request.storage
    connection.passed = .init(
      text: storage.span.copy(range), keyNumber: provider.keyNumber, validity: provider.validity,
      epoch: examiner.epoch)
  }
}
