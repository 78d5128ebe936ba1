import Timeline
import WireFormats

/// Creates, reads and deletes broadcast channels for providers, and receives their broadcasts.
///
/// The rules about the provider are those of the validator passed in, with its keys and token changes, which pushes
/// share.
package struct ChannelService: Sendable {
  package let rulebook: ChannelRulebook
  package private(set) var registry: ChannelRegistry

  package init(seed: UInt64, rulebook: ChannelRulebook) {
    self.rulebook = rulebook
    registry = ChannelRegistry(seed: seed, perHome: rulebook.channelsPerApp)
  }

  /// Checks a request on a push connection whose path addresses a broadcast; see `BroadcastRequest.isAddressed(by:)`.
  package mutating func admitBroadcast(
    _ request: HTTPRequest, on connection: inout ProviderConnection, through validator: inout RequestValidator,
    at now: Now
  ) -> BroadcastVerdict {
    var validation = ChannelValidation(request, [.publish], in: connection.environment)
    let wasAuthorized = connection.isAuthorised
    let outcome: Result<BroadcastRequest, ChannelRejection>
    if let rejection = validator.validate(&validation, on: &connection, rules: rulebook, channels: registry, at: now) {
      outcome = .failure(rejection)
    } else if let broadcast = validation.broadcast {
      let (policy, burst) = (broadcast.channel.policy, validator.rulebook.tokenBurst)
      let limit = rulebook.broadcastRate.limit(policy, burst: burst)
      let rate = ChannelRule.broadcastRate
      outcome =
        registry.admit(broadcast.channel, in: broadcast.home, limit, at: now.world)
        ? .success(broadcast) : .failure(ChannelRejection(rate.reason, by: .channel(rate)))
    } else {
      // Unreachable once the rules are checked.
      outcome = .failure(ChannelRejection(.internalServerError, by: nil))
    }
    return BroadcastVerdict(
      home: validation.home, requestID: validation.requestID, channelID: validation.channelID, outcome: outcome,
      keyNumber: validation.keyNumber,
      authorizesConnection: connection.isAuthorised && !wasAuthorized)
  }

  /// Checks one request on a management connection.
  package func check(
    _ request: HTTPRequest, on connection: inout ProviderConnection, through validator: inout RequestValidator,
    at now: Now
  ) -> CheckedChannelRequest {
    var validation = ChannelValidation(
      request, ChannelOperation.managing, in: connection.environment, listsAtBothPaths: rulebook.listsAtBothPaths)
    let wasAuthorized = connection.isAuthorised
    let rejection = validator.validate(&validation, on: &connection, rules: rulebook, channels: registry, at: now)
    return CheckedChannelRequest(
      validation: validation, rejection: rejection, authorizesConnection: connection.isAuthorised && !wasAuthorized)
  }

  /// Answers a checked request, and carries it out unless it is refused. The answer's request id is `drawn` unless the
  /// client sent one.
  ///
  /// - Parameter rejection: why it is rejected although it passed every rule.
  package mutating func answer(
    _ checked: CheckedChannelRequest, but rejection: ChannelRejection? = nil, drawing drawn: NotificationID,
    at now: Instant
  ) -> ChannelVerdict {
    let refused = (checked.rejection ?? rejection).map { (ChannelAnswer.Outcome.refused($0), ChannelChange?.none) }
    let (outcome, change) = refused ?? carryOut(checked.validation, at: now)
    return ChannelVerdict(
      checked.validation, answer: ChannelAnswer(requestID: checked.validation.requestID ?? drawn, outcome: outcome),
      change: change,
      authorizesConnection: checked.authorizesConnection)
  }

  /// Checks and answers a request.
  package mutating func answer(
    _ request: HTTPRequest, on connection: inout ProviderConnection, through validator: inout RequestValidator,
    drawing drawn: NotificationID, at now: Now
  ) -> ChannelVerdict {
    answer(check(request, on: &connection, through: &validator, at: now), drawing: drawn, at: now.world)
  }

  /// Carries out a request that passed all rules.
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
    // Unreachable once the rules are checked.
    return (.refused(ChannelRejection(.internalServerError, by: nil)), nil)
  }
}

/// A management request after the rules, before it is carried out.
package struct CheckedChannelRequest {
  let validation: ChannelValidation
  /// Nil if it passed every rule.
  package let rejection: ChannelRejection?
  package let authorizesConnection: Bool

  package var home: ChannelOwner { validation.home }
  package var operation: ChannelOperation? { validation.operation }
  package var channelID: ChannelID? { validation.channelID }
  package var keyNumber: Int? { validation.keyNumber }
}

/// The channel service's verdict on a management request.
package struct ChannelVerdict: Sendable {
  /// The app in the path and the connection's environment. The app's name is empty if the path has none.
  package let home: ChannelOwner
  /// The requested operation, if path and method identify one.
  package let operation: ChannelOperation?
  /// The channel id in the request.
  private let asked: ChannelID?
  package let answer: ChannelAnswer
  package let change: ChannelChange?
  /// Number of the provider's key, once the token has been accepted.
  package let keyNumber: Int?
  /// True if this request's provider token is the first one accepted on its connection.
  package let authorizesConnection: Bool

  /// The channel that the request created, or otherwise the channel it named.
  package var channelID: ChannelID? { answer.channelID ?? asked }

  init(
    _ validation: ChannelValidation, answer: ChannelAnswer, change: ChannelChange?, authorizesConnection: Bool
  ) {
    home = validation.home
    operation = validation.operation
    asked = validation.channelID
    self.answer = answer
    self.change = change
    keyNumber = validation.keyNumber
    self.authorizesConnection = authorizesConnection
  }
}

/// A change made by a management request.
package enum ChannelChange: Hashable, Sendable {
  case created(Channel, ChannelOwner)
  case deleted(Channel, ChannelOwner)
}
