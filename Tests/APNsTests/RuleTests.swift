import APNs
import Testing

@Suite("A rule")
struct RuleTests {
  @Test("a rule states its requirement and its source", arguments: Rule.allCases)
  func speaks(rule: Rule) {
    #expect(rule.sentence.count > 15 && rule.sentence.hasSuffix("."))
    #expect(rule.evidence.source.count > 10)
  }

  @Test("a rule has a separate sentence, different from those of all others")
  func sentencesDiffer() {
    #expect(Set(Rule.allCases.map(\.sentence)).count == Rule.allCases.count)
  }

  @Test("the order is that of docs/behavior/requests.md#order-of-refusal")
  func orderIsTheReferences() {
    var reasons: [RejectionReason] = []
    for reason in Rule.allCases.map({ $0.reason(Rulebook()) }) where reason != reasons.last {
      reasons.append(reason)
    }
    #expect(
      reasons == [
        .duplicateHeaders, .badPath, .methodNotAllowed, .badCertificate, .badCertificateEnvironment,
        .missingProviderToken, .invalidProviderToken, .tooManyProviderTokenUpdates, .invalidProviderToken,
        .expiredProviderToken, .badEnvironmentKeyInToken, .unrelatedKeyIDInToken, .missingTopic, .badTopic,
        .topicDisallowed, .badMessageID, .invalidPushType, .badPriority, .badExpirationDate,
        .badCollapseID, .missingDeviceToken, .payloadEmpty, .payloadTooLarge, .badDeviceToken, .expiredToken,
        .unregistered, .deviceTokenNotForTopic, .invalidPushType, .tooManyRequests,
      ])
  }

  @Test("the rulebook selects the disputed reasons")
  func disputedReasons() {
    var rulebook = Rulebook()
    rulebook.suffixMismatch = .topicDisallowed
    rulebook.unknownTokenIsNotFound = true
    #expect(Rule.topicSuffixMatchesPushType.reason(rulebook) == .topicDisallowed)
    #expect(Rule.deviceTokenKnown.reason(rulebook) == .badPath)
  }
}
