import Timeline
import WireFormats

extension Gatekeeper {
  /// Applies the rules of broadcasts to a request whose path is one's; see `Verdict.isBroadcast`.
  package mutating func admitBroadcast(
    _ request: HTTPRequest, on connection: inout ProviderConnection, to channels: ChannelRegistry, at now: Now
  ) -> BroadcastVerdict {
    var visit = ChannelVisit(request, [.publish], in: connection.environment)
    let wasAuthorised = connection.isAuthorised
    let outcome: Result<BroadcastRequest, ChannelRefusal>
    if let refusal = judge(&visit, on: &connection, channels, at: now) {
      outcome = .failure(refusal)
    } else if let broadcast = visit.broadcast {
      outcome = .success(broadcast)
    } else {
      // The rules have made sure that nothing leads here.
      outcome = .failure(ChannelRefusal(.internalServerError, by: nil))
    }
    return BroadcastVerdict(
      home: visit.home, requestID: visit.requestID, channelID: visit.channelID, outcome: outcome,
      keyNumber: visit.admission.provider?.keyNumber,
      authorisesConnection: connection.isAuthorised && !wasAuthorised)
  }

  /// The first rule that a broadcast or management request breaks: those of the front, those about the provider in
  /// the rulebook's order, those of its operation.
  mutating func judge(
    _ visit: inout ChannelVisit, on connection: inout ProviderConnection, _ channels: ChannelRegistry, at now: Now
  ) -> ChannelRefusal? {
    for rule in ChannelRule.front where !visit.holds(rule, rulebook, channels) {
      return ChannelRefusal(rule.reason, by: .channel(rule))
    }
    recognise(&visit.admission, connection)
    for rule in providerOrder where !authenticate(rule, &visit.admission, &connection, now.wall) {
      return ChannelRefusal(rule.reason(rulebook), by: .provider(rule))
    }
    identify(&visit.admission, on: connection)
    guard let operation = visit.operation, let provider = visit.admission.provider else {
      // Only an order of rules that leaves some out leads here.
      return ChannelRefusal(.internalServerError, by: nil)
    }
    visit.resolve(provider, keyRing, channels)
    for rule in ChannelRule.order(for: operation) where !visit.holds(rule, rulebook, channels) {
      return ChannelRefusal(rule.reason, by: .channel(rule))
    }
    return nil
  }
}
