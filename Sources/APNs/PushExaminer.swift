import Timeline
import WireFormats

/// Checks the rules that need neither a phone nor the state of other connections. It is immutable, so each connection
/// examines its pushes independently.
package final class PushExaminer: Sendable {
  package let rulebook: Rulebook
  package let keyRing: KeyRing
  /// Counts the changes of keys and certificates: what was accepted in an earlier epoch is checked again.
  package let epoch: UInt64
  private let order: RuleOrder
  /// The same order without the rules about provider tokens.
  fileprivate let certificateOrder: RuleOrder
  /// The same order without the rules that a token accepted before on the connection cannot break.
  let shortOrder: RuleOrder

  init(rulebook: Rulebook, keyRing: KeyRing, epoch: UInt64) {
    self.epoch = epoch
    self.rulebook = rulebook
    self.keyRing = keyRing
    order = RuleOrder(rulebook.order)
    certificateOrder = RuleOrder(rulebook.order.filter { !$0.isAboutProvider || $0.isAboutCertificate })
    shortOrder = RuleOrder(
      rulebook.order.filter { rule in
        !rule.isAboutProvider || rule == .providerTokenNotFromFuture || rule == .providerTokenFresh
      })
  }

  /// If the provider token was accepted before on the connection, only two of the eleven rules are left to check; if
  /// the provider has a certificate, none of them.
  func order(for validation: borrowing RequestValidation) -> RuleOrder {
    guard validation.isPassedBefore else { return order }
    return validation.isCertified ? certificateOrder : shortOrder
  }

  /// Checks the rules up to the first one that needs a phone, for a push with the provider token that was last accepted
  /// on its connection, or for a push on a connection with a certificate.
  ///
  /// - Parameters:
  ///   - tokens: finds the addresses of device tokens that were made from the seed.
  /// - Returns: nil for any other request: it changes the connection's state and must be checked in order.
  package func examine(
    _ request: HTTPRequest, on connection: inout ProviderConnection, _ tokens: SealedTokens, at wall: Instant
  ) -> SettledExamination? {
    guard shortOrder.asksOnlyPhones else { return nil }
    let push = ExaminedPush(request, in: connection.environment)
    guard push.tokenRange != nil else { return nil }
    var validation = RequestValidation(push)
    validation.recognise(on: connection, in: epoch)
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
    case .noDuplicateHeaders, .knownPath, .methodIsPost, .messageID, .pushTypeKnown, .expiration, .deviceTokenPresent,
      .payloadPresent, .payloadSize, .topicPresent:
      holds = validation.holds(rule)
    case .priority: holds = validation.push.hasPriority(strict: rulebook.strictHeaders)
    case .collapseID: holds = validation.push.hasCollapseID(strict: rulebook.strictHeaders)
    case .topicSuffixMatchesPushType:
      validation.resolveTopic(&connection, keyRing)
      holds = validation.holds(rule)
    case .providerTokenPresent, .providerTokenWellFormed, .providerTokenUpdates, .providerKeyKnown,
      .providerTeamMatchesKey, .providerSignature, .oneTeamPerConnection, .providerTokenNotFromFuture,
      .providerTokenFresh, .keyOfThisEnvironment, .keyRelatedToConnection:
      // These rules are not settled by the earlier acceptance of the token.
      holds = validation.isTimely(rule, wall)
    case .certificateSound, .certificateOfThisEnvironment:
      holds = connection.certified?.holds(rule) ?? true
    case .topicWellFormed, .topicAllowed:
      validation.resolveTopic(&connection, keyRing)
      let isWellFormed = validation.topic != nil || validation.push.headers.topic == nil
      holds = rule == .topicWellFormed ? isWellFormed : validation.topicIsAllowed
    case .deviceTokenKnown, .deviceTokenNotExpired, .deviceTokenRegistered, .deviceTokenForTopic, .requestRate:
      // These rules need a phone.
      return nil
    }
    return holds ? nil : Rejection(rule.reason(rulebook), by: rule)
  }
}

/// The verdict on a push whose provider token is the one last accepted on its connection, or whose provider has a
/// certificate. It changes nothing on the connection, so the next push with the same headers gets the same verdict at
/// the same time.
package struct SettledExamination: Sendable {
  package let push: ExaminedPush
  /// Nil for a rejected push.
  let topic: Topic?
  let rejection: Rejection?
  /// Number of the provider's key; nil for a provider with a certificate.
  package let keyNumber: Int?
  /// See `PushRequest`.
  let isDropped: Bool
  /// The address inside the device token, if the token was made from the seed. Once the token is registered again, it
  /// leads elsewhere.
  package let address: Address?

  /// Nil if the next push may get another verdict, or if rules are left that are not about its phone.
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
