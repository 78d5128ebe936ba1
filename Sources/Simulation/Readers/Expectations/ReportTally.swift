import Reporting

/// The state of an expectation about reports.
struct ReportTally: Sendable {
  var meant = 0
  var met = 0
  /// The reports that a failure would show.
  private(set) var blamed = FailureSample<CallEnd>()
  /// The nearest match, and what differs.
  private(set) var nearest: (end: CallEnd, differences: [String])?

  mutating func count(_ end: CallEnd, _ question: ReportQuestion) {
    var report = CallSubject(end)
    let claim = question.claim
    let outside = question.filter.differences(&report, question.means)
    let inside = claim.condition.differences(&report, question.meets)
    if outside.isEmpty {
      meant += 1
      if inside.isEmpty { met += 1 }
      switch claim {
      case .count: blamed.add(end)
      case .all where !inside.isEmpty: blamed.add(end)
      case .none where inside.isEmpty: blamed.add(end)
      case .all, .none, .sometimes: break
      }
    }
    let differences = outside + inside
    guard !differences.isEmpty else { return }
    // A report that the filter selects is nearer than any other.
    let distance = 100 * outside.count + inside.count
    if nearest == nil || distance < self.distance { (nearest, self.distance) = ((end, differences), distance) }
  }

  private var distance = Int.max
}

/// The filters of an expectation about reports.
struct ReportQuestion: Sendable {
  let filter: Filter
  let claim: Claim
  let means: Matcher
  let meets: Matcher

  init(_ filter: Filter, _ claim: Claim, apps: [String]) {
    self.filter = filter
    self.claim = claim
    means = Matcher(filter, apps: apps)
    meets = Matcher(claim.condition, apps: apps)
  }
}
