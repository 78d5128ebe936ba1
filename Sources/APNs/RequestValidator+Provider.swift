import Timeline
import WireFormats

extension RequestValidator {
  /// The rules about the provider token, in the order in which APNs checks them. When all have passed, the connection
  /// is bound to the key, and may use more streams.
  mutating func authenticate(
    _ push: ParsedPush, on connection: inout ProviderConnection, at wall: Instant
  ) -> CredentialVerdict {
    guard let range = push.providerTokenRange else { return CredentialVerdict(broken: .providerTokenPresent) }
    let storage = push.request.storage
    let bytes = storage.span
    guard let token = try? ProviderToken(bytes, range, strict: rulebook.strictProviderTokens) else {
      return CredentialVerdict(broken: .providerTokenWellFormed)
    }
    guard countsAsUpdate(rules.fingerprint(bytes, range), of: token, on: &connection, at: wall) else {
      return CredentialVerdict(broken: .providerTokenUpdates)
    }
    guard let number = keyRing.number(of: token.keyID) else { return CredentialVerdict(broken: .providerKeyKnown) }
    let key = keyRing.keys[number]
    guard key.teamID == token.teamID else { return CredentialVerdict(broken: .providerTeamMatchesKey) }
    guard rules.isSigned(token, bytes: bytes, range: range) else {
      return CredentialVerdict(broken: .providerSignature)
    }
    let provider = CredentialVerdict.Provider(
      keyNumber: number, validity: ProviderTokenValidity(issuedAt: token.issuedAt, rulebook))
    let broken = broken(by: key, provider.validity, on: connection, at: wall)
    if broken == nil {
      connection.bind(
        to: .init(
          text: bytes.copy(range), keyNumber: number, validity: provider.validity, generation: rules.generation),
        ofTeam: key.teamID)
    }
    return CredentialVerdict(broken: broken, provider: provider)
  }

  /// The first rule that a token with a valid signature breaks.
  private func broken(
    by key: ProviderKey, _ validity: ProviderTokenValidity, on connection: ProviderConnection, at wall: Instant
  ) -> Rule? {
    guard connection.teamID == nil || connection.teamID == key.teamID else { return .oneTeamPerConnection }
    if let rule = validity.broken(at: wall) { return rule }
    guard key.environments.contains(connection.environment) else { return .keyOfThisEnvironment }
    guard connection.keyNumber.map({ key.isRelated(to: keyRing.keys[$0]) }) ?? true else {
      return .keyRelatedToConnection
    }
    return nil
  }

  private mutating func countsAsUpdate(
    _ digest: UInt64, of token: ProviderToken, on connection: inout ProviderConnection, at wall: Instant
  ) -> Bool {
    let (allowed, window) = (rulebook.tokenUpdatesAllowed, rulebook.tokenUpdateWindow)
    guard connection.changes.present(digest, at: wall, allowed: allowed, window: window) else { return false }
    guard rulebook.countTokenUpdatesPerKey, connection.countsForKey, let key = keyRing.number(of: token.keyID) else {
      return true
    }
    return changesPerKey[key, default: TokenChanges()].present(digest, at: wall, allowed: allowed, window: window)
  }
}
