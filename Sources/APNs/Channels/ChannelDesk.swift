import Timeline
import WireFormats

/// Makes, shows and deletes broadcast channels for providers, and takes their broadcasts.
///
/// The gatekeeper that it is lent knows the provider rules; its tokens, changes and keys count for pushes and channels
/// alike.
package struct ChannelDesk: Sendable {
  package let rulebook: ChannelRulebook
  package private(set) var registry: ChannelRegistry

  package init(seed: UInt64, rulebook: ChannelRulebook) {
    self.rulebook = rulebook
    registry = ChannelRegistry(seed: seed, perHome: rulebook.channelsPerApp)
  }

  /// Applies the rules of broadcasts to a request on a connection for pushes whose path is one's; see
  /// `BroadcastRequest.isAddressed(by:)`.
  package func admitBroadcast(
    _ request: HTTPRequest, on connection: inout ProviderConnection, through gatekeeper: inout Gatekeeper, at now: Now
  ) -> BroadcastVerdict {
    var visit = ChannelVisit(request, [.publish], in: connection.environment)
    let wasAuthorised = connection.isAuthorised
    let outcome: Result<BroadcastRequest, ChannelRefusal>
    if let refusal = gatekeeper.judge(&visit, on: &connection, rulebook, registry, at: now) {
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

  /// Answers one request on a management connection; `drawn` is the answer's request id unless the client sent one.
  package mutating func answer(
    _ request: HTTPRequest, on connection: inout ProviderConnection, through gatekeeper: inout Gatekeeper,
    drawing drawn: NotificationID, at now: Now
  ) -> ChannelVerdict {
    var visit = ChannelVisit(request, ChannelOperation.managing, in: connection.environment)
    let wasAuthorised = connection.isAuthorised
    let refusal = gatekeeper.judge(&visit, on: &connection, rulebook, registry, at: now)
    let (outcome, change) = refusal.map { (.refused($0), nil) } ?? carryOut(visit, at: now.world)
    return ChannelVerdict(
      home: visit.home, operation: visit.operation, asked: visit.channelID,
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
  /// The channel that the request names.
  private let asked: ChannelID?
  package let answer: ChannelAnswer
  package let change: ChannelChange?
  /// Number of the provider's key, once the token has passed.
  package let keyNumber: Int?
  /// This request's provider token is the first that passed on its connection.
  package let authorisesConnection: Bool

  /// The channel that the request made, or else was about.
  package var channelID: ChannelID? { answer.channelID ?? asked }

  init(
    home: ChannelHome, operation: ChannelOperation?, asked: ChannelID?, answer: ChannelAnswer, change: ChannelChange?,
    keyNumber: Int?, authorisesConnection: Bool
  ) {
    self.home = home
    self.operation = operation
    self.asked = asked
    self.answer = answer
    self.change = change
    self.keyNumber = keyNumber
    self.authorisesConnection = authorisesConnection
  }
}

/// What a management request has changed.
package enum ChannelChange: Hashable, Sendable {
  case created(Channel, ChannelHome)
  case deleted(Channel, ChannelHome)
}
