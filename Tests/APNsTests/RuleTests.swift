import APNs
import Testing

@Suite("A rule")
struct RuleTests {
  @Test("says what it demands in a sentence, and how we know it", arguments: Rule.allCases)
  func speaks(rule: Rule) {
    #expect(rule.sentence.count > 15 && rule.sentence.hasSuffix("."))
    #expect(rule.evidence.source.count > 10)
  }

  @Test("no two rules say the same")
  func sentencesDiffer() {
    #expect(Set(Rule.allCases.map(\.sentence)).count == Rule.allCases.count)
  }

  @Test("the standard order names every rule once")
  func standardOrderIsWhole() {
    #expect(Rule.standardOrder.count == Rule.allCases.count)
    #expect(Set(Rule.standardOrder) == Set(Rule.allCases))
  }

  @Test("the standard order is that of docs/behavior/requests.md#order-of-refusal")
  func standardOrderIsTheReferences() {
    var reasons: [RejectionReason] = []
    for reason in Rule.standardOrder.map({ $0.reason(Rulebook()) }) where reason != reasons.last {
      reasons.append(reason)
    }
    #expect(
      reasons == [
        .duplicateHeaders, .badPath, .methodNotAllowed, .badCertificate, .badCertificateEnvironment,
        .missingProviderToken, .invalidProviderToken, .tooManyProviderTokenUpdates, .invalidProviderToken,
        .expiredProviderToken, .badEnvironmentKeyInToken, .unrelatedKeyIDInToken, .missingTopic, .badTopic,
        .topicDisallowed, .badMessageID, .invalidPushType, .badTopic, .badPriority, .badExpirationDate,
        .badCollapseID, .missingDeviceToken, .payloadEmpty, .payloadTooLarge, .badDeviceToken, .expiredToken,
        .unregistered, .deviceTokenNotForTopic, .tooManyRequests,
      ])
  }

  @Test("the rulebook chooses the reasons that are disputed")
  func disputedReasons() {
    var rulebook = Rulebook()
    rulebook.suffixMismatch = .topicDisallowed
    rulebook.unknownTokenIsNotFound = true
    #expect(Rule.topicSuffixMatchesPushType.reason(rulebook) == .topicDisallowed)
    #expect(Rule.deviceTokenKnown.reason(rulebook) == .badPath)
  }
}
