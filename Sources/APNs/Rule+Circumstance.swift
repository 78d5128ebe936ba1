extension Rule {
  /// A property of a rejected request for which the evidence differs from that of the rule.
  package enum Circumstance: CaseIterable, Hashable, Sendable {
    /// Accepted unless `rules.strictProviderTokens` is set.
    case looseProviderToken
    /// A topic with two suffixes.
    case doubledSuffix
    /// Accepted unless `rules.strictHeaders` is set.
    case backgroundPriority
    case emptyCollapseID
    /// A Live Activity of priority 1.
    case activityPriority
    /// A type and a topic that do not agree, of other services than VoIP.
    case otherService
    /// A token of another cell.
    case otherCell
    /// An update or end to a push-to-start token; accepted unless `rules.startTokenMisuse` is set.
    case startTokenMisuse
    case endedActivity
    case replacedUpdateToken
    case replacedStartToken

    package var rule: Rule {
      switch self {
      case .looseProviderToken: .providerTokenWellFormed
      case .doubledSuffix: .topicAllowed
      case .backgroundPriority, .activityPriority: .priority
      case .emptyCollapseID: .collapseID
      case .otherService: .topicSuffixMatchesPushType
      case .otherCell: .deviceTokenKnown
      case .startTokenMisuse: .deviceTokenForTopic
      case .endedActivity, .replacedUpdateToken, .replacedStartToken: .deviceTokenRegistered
      }
    }

    package var evidence: Evidence {
      let section =
        switch self {
        case .endedActivity: "tokens.md#after-the-end"
        case .replacedUpdateToken: "tokens.md#a-replaced-update-token"
        case .replacedStartToken: "tokens.md#a-replaced-start-token"
        default: rule.section
        }
      return source.told(in: section)
    }

    private var source: Evidence {
      switch self {
      case .looseProviderToken:
        .disputed("RFC 7515 and one project against libraries whose tokens are accepted, such as a2")
      case .doubledSuffix: .disputed("dotAPNS issue 90 saw DeviceTokenNotForTopic")
      case .backgroundPriority:
        .disputed("an error according to Apple, accepted according to forum thread 745345; assumed: the reason")
      case .emptyCollapseID: .disputed("nobody has said how it is answered; relays may send one")
      case .activityPriority: .assumed("the reason; Apple documents that a Live Activity takes 5 or 10")
      case .otherService: .assumed("the same reason as for VoIP")
      case .otherCell: .assumed("the same answer as for an unknown token; Apple has no cells")
      case .startTokenMisuse:
        .disputed("one source claims this answer; an end sent to such a token was accepted and changed nothing")
      case .endedActivity:
        .disputed("200 forever according to one project, 410 according to an Apple engineer in forum thread 806522")
      case .replacedUpdateToken: .assumed("Apple tells servers to discard the old token, but not how it is answered")
      case .replacedStartToken:
        .disputed("200 for weeks according to luka-ios pull request 146; Sightscreen's guide expects a refusal")
      }
    }
  }
}
