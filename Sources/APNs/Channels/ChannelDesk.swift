import Timeline
import WireFormats

/// Makes, shows and deletes broadcast channels for providers: what answers on a management connection.
package struct ChannelDesk: Sendable {
  package private(set) var registry: ChannelRegistry

  package init(seed: UInt64, rulebook: Rulebook) {
    registry = ChannelRegistry(seed: seed, perHome: rulebook.channelsPerApp)
  }

  /// Answers one management request.
  ///
  /// - Parameters:
  ///   - gatekeeper: who knows the provider rules; its tokens, changes and keys count for pushes and channels alike.
  ///   - drawn: the answer's request id unless the client sent one.
  package mutating func answer(
    _ request: HTTPRequest, on connection: inout ProviderConnection, through gatekeeper: inout Gatekeeper,
    drawing drawn: NotificationID, at now: Now
  ) -> ChannelVerdict {
    var visit = ChannelVisit(request, ChannelOperation.managing, in: connection.environment)
    let wasAuthorised = connection.isAuthorised
    let refusal = gatekeeper.judge(&visit, on: &connection, registry, at: now)
    let (outcome, change) = refusal.map { (.refused($0), nil) } ?? carryOut(visit, at: now.world)
    return ChannelVerdict(
      home: visit.home, operation: visit.operation,
      answer: ChannelAnswer(requestID: visit.requestID ?? drawn, outcome: outcome), change: change,
      keyNumber: visit.admission.provider?.keyNumber,
      authorisesConnection: connection.isAuthorised && !wasAuthorised)
  }

  /// Does what a request asks for that no rule forbids.
  private mutating func carryOut(_ visit: ChannelVisit, at now: Instant) -> (ChannelAnswer.Outcome, ChannelChange?) {
    let home = visit.home
    switch visit.operation {
    case .create:
      guard let policy = visit.order?.policy, let channel = registry.create(policy, in: home, at: now) else { break }
      return (.created(channel.id), .created(channel, home))
    case .read:
      guard let channel = visit.standing.channel else { break }
      return (.described(channel.policy), nil)
    case .delete:
      guard let id = visit.channelID, let channel = registry.delete(id, in: home) else { break }
      return (.deleted, .deleted(channel, home))
    case .list: return (.listed(registry.channels(in: home).map(\.id)), nil)
    case .publish, nil: break
    }
    // The rules have made sure that nothing leads here.
    return (.refused(ChannelRefusal(.internalServerError, by: nil)), nil)
  }
}

/// What became of a management request.
package struct ChannelVerdict: Sendable {
  /// The app that the path names, and the environment of the connection; an app without a name where the path has none.
  package let home: ChannelHome
  /// What was asked for, as far as path and method tell.
  package let operation: ChannelOperation?
  package let answer: ChannelAnswer
  package let change: ChannelChange?
  /// Number of the provider's key, once the token has passed.
  package let keyNumber: Int?
  /// This request's provider token is the first that passed on its connection.
  package let authorisesConnection: Bool
}

/// What a management request has changed.
package enum ChannelChange: Hashable, Sendable {
  case created(Channel, ChannelHome)
  case deleted(Channel, ChannelHome)
}
