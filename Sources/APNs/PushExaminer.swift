import Timeline
import WireFormats

/// The rules that need neither a phone nor what other connections have sent. Nothing in it changes, so each connection
/// examines its pushes by itself.
package final class PushExaminer: Sendable {
  package let rulebook: Rulebook
  package let keyRing: KeyRing
  private let order: RuleOrder
  /// The same without the rules that hold for a token which has passed before.
  let shortOrder: RuleOrder

  init(rulebook: Rulebook, keyRing: KeyRing) {
    self.rulebook = rulebook
    self.keyRing = keyRing
    order = RuleOrder(rulebook.order)
    shortOrder = RuleOrder(
      rulebook.order.filter { rule in
        !rule.isAboutProvider || rule == .providerTokenNotFromFuture || rule == .providerTokenFresh
      })
  }

  /// A provider token that has passed on the connection before leaves two rules of its eleven to look at.
  func order(for admission: Admission) -> RuleOrder { admission.isPassedBefore ? shortOrder : order }

  /// Applies the rules up to the first that asks a phone, to a push with the provider token that passed last on its
  /// connection.
  ///
  /// - Parameters:
  ///   - tokens: finds where device tokens lead that were made from the seed.
  /// - Returns: nil for any other request. That one changes what is known of the connection, and waits for its turn.
  package func examine(
    _ request: HTTPRequest, on connection: inout ProviderConnection, _ tokens: SealedTokens, at wall: Instant
  ) -> SettledExamination? {
    guard shortOrder.asksOnlyPhones else { return nil }
    let push = ExaminedPush(request, in: connection.environment)
    guard push.tokenRange != nil else { return nil }
    var admission = Admission(push)
    admission.recognise(on: connection)
    guard admission.isPassedBefore else { return nil }
    var refusal: Refusal?
    for rule in shortOrder.examined {
      refusal = judge(rule, &admission, &connection, wall)
      if refusal != nil { break }
    }
    let address = refusal == nil ? push.deviceToken.flatMap { tokens.address(of: $0) } : nil
    return SettledExamination(admission, refusal, address, self)
  }

  @inline(__always)
  func judge(
    _ rule: Rule, _ admission: inout Admission, _ connection: inout ProviderConnection, _ wall: Instant
  ) -> Refusal? {
    let holds: Bool
    switch rule {
    case .noDuplicateHeaders, .knownPath, .methodIsPost, .messageID, .pushTypeKnown, .priority, .expiration,
      .collapseID, .deviceTokenPresent, .payloadPresent, .payloadSize, .topicPresent:
      holds = admission.holds(rule)
    case .topicSuffixMatchesPushType:
      admission.resolveTopic(&connection, keyRing)
      holds = admission.holds(rule)
    case .providerTokenPresent, .providerTokenWellFormed, .providerTokenUpdates, .providerKeyKnown,
      .providerTeamMatchesKey, .providerSignature, .oneTeamPerConnection, .providerTokenNotFromFuture,
      .providerTokenFresh, .keyOfThisEnvironment, .keyRelatedToConnection:
      // What is not settled by the same token having passed before.
      holds = admission.isTimely(rule, wall)
    case .topicWellFormed, .topicAllowed:
      admission.resolveTopic(&connection, keyRing)
      let isWellFormed = admission.topic != nil || admission.push.headers.topic == nil
      holds = rule == .topicWellFormed ? isWellFormed : admission.topicIsAllowed
    case .deviceTokenKnown, .deviceTokenNotExpired, .deviceTokenRegistered, .deviceTokenForTopic, .requestRate:
      // These ask a phone.
      return nil
    }
    return holds ? nil : Refusal(rule.reason(rulebook), by: rule)
  }
}
