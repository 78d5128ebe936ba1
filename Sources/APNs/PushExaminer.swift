import Timeline
import WireFormats

/// The rules that need neither a phone nor what other connections have sent. Nothing in it changes, so each connection
/// examines its pushes by itself.
package final class PushExaminer: Sendable {
  package let rulebook: Rulebook
  package let keyRing: KeyRing
  private let order: RuleOrder
  /// The same without the rules about provider tokens.
  fileprivate let certificateOrder: RuleOrder
  /// The same without the rules that hold for a token which has passed before.
  let shortOrder: RuleOrder

  init(rulebook: Rulebook, keyRing: KeyRing) {
    self.rulebook = rulebook
    self.keyRing = keyRing
    order = RuleOrder(rulebook.order)
    certificateOrder = RuleOrder(rulebook.order.filter { !$0.isAboutProvider || $0.isAboutCertificate })
    shortOrder = RuleOrder(
      rulebook.order.filter { rule in
        !rule.isAboutProvider || rule == .providerTokenNotFromFuture || rule == .providerTokenFresh
      })
  }

  /// A provider token that has passed on the connection before leaves two rules of its eleven to look at, a certificate
  /// none of them.
  func order(for validation: borrowing RequestValidation) -> RuleOrder {
    guard validation.isPassedBefore else { return order }
    return validation.isCertified ? certificateOrder : shortOrder
  }

  /// Applies the rules up to the first that asks a phone, to a push with the provider token that passed last on its
  /// connection, or on a connection with a certificate.
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
    var validation = RequestValidation(push)
    validation.recognise(on: connection)
    guard validation.isPassedBefore else { return nil }
    var rejection: Rejection?
    for rule in order(for: validation).examined {
      rejection = validate(rule, &validation, &connection, wall)
      if rejection != nil { break }
    }
    let address = rejection == nil ? push.deviceToken.flatMap { tokens.address(of: $0) } : nil
    return SettledExamination(validation, rejection, address, self)
  }

  @inline(__always)
  func validate(
    _ rule: Rule, _ validation: inout RequestValidation, _ connection: inout ProviderConnection, _ wall: Instant
  ) -> Rejection? {
    let holds: Bool
    switch rule {
    case .noDuplicateHeaders, .knownPath, .methodIsPost, .messageID, .pushTypeKnown, .priority, .expiration,
      .collapseID, .deviceTokenPresent, .payloadPresent, .payloadSize, .topicPresent:
      holds = validation.holds(rule)
    case .topicSuffixMatchesPushType:
      validation.resolveTopic(&connection, keyRing)
      holds = validation.holds(rule)
    case .providerTokenPresent, .providerTokenWellFormed, .providerTokenUpdates, .providerKeyKnown,
      .providerTeamMatchesKey, .providerSignature, .oneTeamPerConnection, .providerTokenNotFromFuture,
      .providerTokenFresh, .keyOfThisEnvironment, .keyRelatedToConnection:
      // What is not settled by the same token having passed before.
      holds = validation.isTimely(rule, wall)
    case .certificateSound, .certificateOfThisEnvironment:
      holds = connection.certified?.holds(rule) ?? true
    case .topicWellFormed, .topicAllowed:
      validation.resolveTopic(&connection, keyRing)
      let isWellFormed = validation.topic != nil || validation.push.headers.topic == nil
      holds = rule == .topicWellFormed ? isWellFormed : validation.topicIsAllowed
    case .deviceTokenKnown, .deviceTokenNotExpired, .deviceTokenRegistered, .deviceTokenForTopic, .requestRate:
      // These ask a phone.
      return nil
    }
    return holds ? nil : Rejection(rule.reason(rulebook), by: rule)
  }
}

/// What the rules say of a push whose provider token is the one that passed last on its connection, or whose provider
/// has a certificate. It changes nothing there: the next push with the same headers is found the same at the same time.
package struct SettledExamination: Sendable {
  package let push: ExaminedPush
  /// Nil for a push that is refused.
  let topic: Topic?
  let rejection: Rejection?
  /// Number of the provider's key; nil for a provider with a certificate.
  package let keyNumber: Int?
  /// As `PushRequest` has it.
  let isDropped: Bool
  /// Where the device token leads, if it was made from the seed.
  package let address: Address?

  /// Nil where the next push may be found otherwise, or where rules are left that are not about its phone.
  package init?(_ examination: borrowing Examination, by examiner: PushExaminer) {
    self.init(examination.validation, examination.rejection, nil, examiner)
  }

  init?(
    _ validation: borrowing RequestValidation, _ rejection: Rejection?, _ address: Address?, _ examiner: PushExaminer
  ) {
    guard validation.isPassedBefore, examiner.shortOrder.asksOnlyPhones, rejection != nil || validation.topic != nil
    else { return nil }
    if validation.isCertified, !examiner.certificateOrder.asksOnlyPhones { return nil }
    push = validation.push
    topic = validation.topic
    keyNumber = validation.provider?.keyNumber
    isDropped = validation.isDropped
    self.rejection = rejection
    self.address = address
  }
}
