import Timeline

/// What APNs answers to a push it does not take, and by which rule.
package struct Refusal: Error, Hashable, Sendable {
  package let reason: RejectionReason
  /// The rule that was broken; nil when the refusal was ordered by a test.
  package let rule: Rule?
  /// When the token died. Documented: only a 410 carries it, in milliseconds.
  package let since: Instant?

  package init(_ reason: RejectionReason, by rule: Rule?, since: Instant? = nil) {
    self.reason = reason
    self.rule = rule
    self.since = since
  }
}
