/// The filters of an expectation. A class because copying two filters for each push cost more than the push.
final class PushQuestion: Sendable {
  let filter: PushFilter
  let condition: PushFilter
  /// Number of the expectation.
  let index: Int
  /// Whether one push that satisfies it is enough.
  let isSometimes: Bool
  /// Whether what becomes of a push after its answer matters.
  let looksAtLater: Bool

  init(_ filter: PushFilter, _ claim: Claim<PushFilter>, of index: Int) {
    self.filter = filter
    condition = claim.condition
    self.index = index
    isSometimes = if case .sometimes = claim { true } else { false }
    looksAtLater =
      filter.looksAtFate || condition.looksAtFate || filter.sent != nil || condition.sent != nil
  }

  func evaluate(_ push: inout ObservedPush) -> (isMeant: Bool, isMet: Bool) {
    guard filter.matches(&push) else { return (false, false) }
    return (true, condition.matches(&push))
  }
}
