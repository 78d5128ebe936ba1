import Timeline
import WireFormats

/// Makes, shows and deletes broadcast channels for providers, and takes their broadcasts.
///
/// The validator that it is lent knows the provider rules; its tokens, changes and keys count for pushes and channels
/// alike.
package struct ChannelService: Sendable {
  package let rulebook: ChannelRulebook
  package private(set) var registry: ChannelRegistry

  package init(seed: UInt64, rulebook: ChannelRulebook) {
    self.rulebook = rulebook
    registry = ChannelRegistry(seed: seed, perHome: rulebook.channelsPerApp)
  }

  /// Applies the rules of broadcasts to a request on a connection for pushes whose path is one's; see
  /// `BroadcastRequest.isAddressed(by:)`.
  package func admitBroadcast(
    _ request: HTTPRequest, on connection: inout ProviderConnection, through validator: inout RequestValidator,
    at now: Now
  ) -> BroadcastVerdict {
    var validation = ChannelValidation(request, [.publish], in: connection.environment)
    let wasAuthorised = connection.isAuthorised
    let outcome: Result<BroadcastRequest, ChannelRejection>
    if let rejection = validator.validate(&validation, on: &connection, rulebook, registry, at: now) {
      outcome = .failure(rejection)
    } else if let broadcast = validation.broadcast {
      outcome = .success(broadcast)
    } else {
      // The rules have made sure that nothing leads here.
      outcome = .failure(ChannelRejection(.internalServerError, by: nil))
    }
    return BroadcastVerdict(
      home: validation.home, requestID: validation.requestID, channelID: validation.channelID, outcome: outcome,
      keyNumber: validation.validation.provider?.keyNumber,
      authorisesConnection: connection.isAuthorised && !wasAuthorised)
  }

  /// Answers one request on a management connection; `drawn` is the answer's request id unless the client sent one.
  package mutating func answer(
    _ request: HTTPRequest, on connection: inout ProviderConnection, through validator: inout RequestValidator,
    drawing drawn: NotificationID, at now: Now
  ) -> ChannelVerdict {
    var validation = ChannelValidation(request, ChannelOperation.managing, in: connection.environment)
    let wasAuthorised = connection.isAuthorised
    let rejection = validator.validate(&validation, on: &connection, rulebook, registry, at: now)
    let (outcome, change) = rejection.map { (.refused($0), nil) } ?? carryOut(validation, at: now.world)
    return ChannelVerdict(
      home: validation.home, operation: validation.operation, asked: validation.channelID,
      answer: ChannelAnswer(requestID: validation.requestID ?? drawn, outcome: outcome), change: change,
      keyNumber: validation.validation.provider?.keyNumber,
      authorisesConnection: connection.isAuthorised && !wasAuthorised)
  }

  /// Does what a request asks for that no rule forbids.
  private mutating func carryOut(_ validation: ChannelValidation, at now: Instant) -> (
    ChannelAnswer.Outcome, ChannelChange?
  ) {
    let home = validation.home
    switch validation.operation {
    case .create:
      guard let policy = validation.order?.policy, let channel = registry.create(policy, in: home, at: now) else {
        break
      }
      return (.created(channel.id), .created(channel, home))
    case .read:
      guard let channel = validation.status.channel else { break }
      return (.described(channel.policy), nil)
    case .delete:
      guard let id = validation.channelID, let channel = registry.delete(id, in: home) else { break }
      return (.deleted, .deleted(channel, home))
    case .list: return (.listed(registry.channels(in: home).map(\.id)), nil)
    case .publish, nil: break
    }
    // The rules have made sure that nothing leads here.
    return (.refused(ChannelRejection(.internalServerError, by: nil)), nil)
  }
}

/// What became of a management request.
package struct ChannelVerdict: Sendable {
  /// The app that the path names, and the environment of the connection; an app without a name where the path has none.
  package let home: ChannelOwner
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
    home: ChannelOwner, operation: ChannelOperation?, asked: ChannelID?, answer: ChannelAnswer, change: ChannelChange?,
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
  case created(Channel, ChannelOwner)
  case deleted(Channel, ChannelOwner)
}
