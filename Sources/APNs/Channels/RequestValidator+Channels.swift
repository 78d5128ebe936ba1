import Timeline

extension RequestValidator {
  /// The first rule that a broadcast or management request breaks. Order: the front rules, the rules about the provider
  /// in the rulebook's order, the rules of the operation.
  mutating func validate(
    _ validation: inout ChannelValidation, on connection: inout ProviderConnection, _ channelRules: ChannelRulebook,
    _ channels: ChannelRegistry, at now: Now
  ) -> ChannelRejection? {
    for rule in ChannelRule.front where !validation.holds(rule, channelRules, channels) {
      return ChannelRejection(rule.reason, by: .channel(rule))
    }
    validation.validation.recognise(on: connection, in: examiner.epoch)
    for rule in rulebook.order where rule.isAboutProvider {
      guard authenticate(rule, &validation.validation, &connection, now.wall) else {
        return ChannelRejection(rule.reason(rulebook), by: .provider(rule))
      }
    }
    if connection.certified == nil { identify(&validation.validation, on: connection) }
    let isAllowed =
      connection.certified?.isFor(bundleID: validation.home.bundleID)
      ?? validation.validation.provider.map { keyRing.allows(key: $0.keyNumber, bundleID: validation.home.bundleID) }
    guard let operation = validation.operation, let isAllowed else {
      // Reached only if the configured order of rules leaves some out.
      return ChannelRejection(.internalServerError, by: nil)
    }
    validation.resolve(isAllowed: isAllowed, channels)
    for rule in ChannelRule.order(for: operation) where !validation.holds(rule, channelRules, channels) {
      return ChannelRejection(rule.reason, by: .channel(rule))
    }
    return nil
  }
}
