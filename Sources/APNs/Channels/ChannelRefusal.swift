/// What APNs answers to a broadcast or to a management request that it does not take, and by which rule.
package struct ChannelRefusal: Error, Hashable, Sendable {
  package let reason: RejectionReason
  /// The rule that was broken; nil when none was, which only an order of rules that leaves some out leads to.
  package let rule: BrokenRule?

  package init(_ reason: RejectionReason, by rule: BrokenRule?) {
    self.reason = reason
    self.rule = rule
  }
}

/// A rule of one of the two tables: those about the provider hold for pushes and channels alike.
package enum BrokenRule: Hashable, Sendable {
  case provider(Rule)
  case channel(ChannelRule)

  package var name: String {
    switch self {
    case .provider(let rule): rule.rawValue
    case .channel(let rule): rule.rawValue
    }
  }

  package var sentence: String {
    switch self {
    case .provider(let rule): rule.sentence
    case .channel(let rule): rule.sentence
    }
  }

  package var evidence: Evidence {
    switch self {
    case .provider(let rule): rule.evidence
    case .channel(let rule): rule.evidence
    }
  }
}
