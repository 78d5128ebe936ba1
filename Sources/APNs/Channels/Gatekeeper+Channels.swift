import Timeline

extension Gatekeeper {
  /// The first rule that a broadcast or management request breaks: those of the front, those about the provider in
  /// the rulebook's order, those of its operation.
  mutating func judge(
    _ visit: inout ChannelVisit, on connection: inout ProviderConnection, _ channelRules: ChannelRulebook,
    _ channels: ChannelRegistry, at now: Now
  ) -> ChannelRefusal? {
    for rule in ChannelRule.front where !visit.holds(rule, channelRules, channels) {
      return ChannelRefusal(rule.reason, by: .channel(rule))
    }
    visit.admission.recognise(on: connection)
    for rule in rulebook.order where rule.isAboutProvider {
      guard authenticate(rule, &visit.admission, &connection, now.wall) else {
        return ChannelRefusal(rule.reason(rulebook), by: .provider(rule))
      }
    }
    identify(&visit.admission, on: connection)
    guard let operation = visit.operation, let provider = visit.admission.provider else {
      // Only an order of rules that leaves some out leads here.
      return ChannelRefusal(.internalServerError, by: nil)
    }
    visit.resolve(provider, keyRing, channels)
    for rule in ChannelRule.order(for: operation) where !visit.holds(rule, channelRules, channels) {
      return ChannelRefusal(rule.reason, by: .channel(rule))
    }
    return nil
  }
}
