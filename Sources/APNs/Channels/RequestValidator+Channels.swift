import Timeline

extension RequestValidator {
  /// The first rule that a broadcast or management request breaks. Order: the front rules, the rules about the
  /// credential, the rules of the operation.
  mutating func validate(
    _ validation: inout ChannelValidation, on connection: inout ProviderConnection, rules channelRules: ChannelRulebook,
    channels: ChannelRegistry, at now: Now
  ) -> ChannelRejection? {
    for rule in ChannelRule.front where !validation.holds(rule, rulebook: channelRules, channels: channels) {
      return ChannelRejection(rule.reason, by: .channel(rule))
    }
    let push = validation.push
    let credential =
      rules.known(push, on: connection, at: now.wall) ?? authenticate(push, on: &connection, at: now.wall)
    validation.keyNumber = credential.keyNumber
    if let rule = credential.broken { return ChannelRejection(rule.reason(rulebook), by: .provider(rule)) }
    let isAllowed =
      credential.certified?.isFor(bundleID: validation.home.bundleID)
      ?? credential.keyNumber.map { keyRing.allows(key: $0, bundleID: validation.home.bundleID) }
    guard let operation = validation.operation, let isAllowed else {
      // Unreachable once the front rules are checked.
      return ChannelRejection(.internalServerError, by: nil)
    }
    validation.resolve(isAllowed: isAllowed, channels)
    for rule in ChannelRule.order(for: operation)
    where !validation.holds(rule, rulebook: channelRules, channels: channels) {
      return ChannelRejection(rule.reason, by: .channel(rule))
    }
    return nil
  }
}
