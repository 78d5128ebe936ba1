/// The filters of an expectation about pushes. A class because copying them for each push would retain their parts.
final class PushQuestion: Sendable {
  /// The way in which a push counts: not selected, selected, or selected and satisfied.
  enum Judged: Sendable {
    case foreign
    case meant
    case met
  }

  let means: Matcher
  let meets: Matcher
  /// Name of the step that sends the pushes; nil for any.
  let step: String?
  /// True if later changes of a push's fate can change how the push counts.
  let looksAtLater: Bool
  /// True if a single satisfied push is enough.
  let isSometimes: Bool
  /// Number of the expectation.
  let index: Int

  init(_ filter: Filter, _ claim: Claim, of index: Int, apps: [String], steps: [String?]) {
    means = Matcher(filter, apps: apps, steps: steps)
    meets = Matcher(claim.condition, apps: apps, steps: steps)
    isSometimes = if case .sometimes = claim { true } else { false }
    step = filter.step
    looksAtLater = means.looksAtLater || meets.looksAtLater
    self.index = index
  }

  func evaluate(_ push: inout ObservedPush) -> Judged {
    guard means.matches(&push) else { return .foreign }
    return meets.matches(&push) ? .met : .meant
  }
}
