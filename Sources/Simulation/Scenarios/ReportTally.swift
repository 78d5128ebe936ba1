import Devices

/// What an expectation about reports has seen.
struct ReportTally: Sendable {
  var meant = 0
  var met = 0
  /// Those that a failure would show.
  private(set) var blamed = Shown<CallEnd>()
  /// The one that came nearest to what is wanted, and how many things differ.
  private(set) var nearest: (end: CallEnd, differences: [String])?

  mutating func note(_ end: CallEnd, _ filter: ReportFilter, _ claim: Claim<ReportFilter>) {
    var report = SeenReport(end)
    let outside = filter.differences(&report)
    let inside = claim.condition.differences(&report)
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
    // One that is meant is nearer than any that is not.
    let distance = 100 * outside.count + inside.count
    if nearest == nil || distance < self.distance { (nearest, self.distance) = ((end, differences), distance) }
  }

  private var distance = Int.max
}
