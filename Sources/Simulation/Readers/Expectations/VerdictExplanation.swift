import APNs
import Timeline

/// Searches the push log, from the oldest push on and in portions, for the pushes that caused a failure and for the
/// nearest match.
struct VerdictExplanation: Sendable {
  private let filter: Filter
  private let claim: Claim
  private let means: Matcher
  private let meets: Matcher
  /// Number of the last push that was looked at, and of the last one that is.
  private var seen: UInt64 = 0
  private let last: UInt64
  private var blamed = FailureSample<ObservedPush>()
  private var nearest: (push: ObservedPush, distance: Int)?

  init(_ filter: Filter, claim: Claim, observer: Observer, pushLog: PushLog) {
    self.filter = filter
    self.claim = claim
    (means, meets) = observer.matchers(filter, claim.condition)
    last = pushLog.record(aged: 0)?.sequence ?? 0
  }

  /// - Parameter work: number of pushes that may be looked at; those that were are subtracted.
  /// - Returns: whether all were looked at.
  mutating func look(_ evaluator: Evaluator, observer: Observer, work: inout Int) -> Bool {
    let pushLog = evaluator.pushLog
    // The log may have grown since, and may have dropped its oldest pushes.
    for age in (0..<pushLog.age(before: seen + 1)).reversed() {
      guard let record = pushLog.record(aged: age), record.sequence <= last else { return true }
      guard work > 0 else { return false }
      work -= 1
      seen = record.sequence
      if evaluator.expectation.includes(record.at.world, since: evaluator.began) { look(at: observer.observed(record)) }
    }
    return true
  }

  private mutating func look(at push: ObservedPush) {
    var push = push
    let meant = means.mismatches(&push)
    let met = meets.mismatches(&push)
    switch claim {
    case .count: if meant == 0 { blamed.add(push) }
    case .all: if meant == 0, met > 0 { blamed.add(push) }
    case .none: if meant == 0, met == 0 { blamed.add(push) }
    case .sometimes: break
    }
    // A push that the filter selects is nearer than any other.
    let distance = 100 * meant + met
    if distance > 0, nearest.map({ distance < $0.distance }) ?? true { nearest = (push, distance) }
  }

  func explain(_ verdict: inout Verdict, _ evaluator: Evaluator) {
    let pushLog = evaluator.pushLog
    verdict.pushes = blamed.lines(evaluator.words)
    if pushLog.total > UInt64(pushLog.count) {
      verdict.pushes.append(
        "searched the last \(pushLog.count) of \(pushLog.total) pushes;"
          + " settings: {ledger: {pushes: \(pushLog.total)}} keeps all")
    }
    if case .none = claim { return }
    guard var nearest else {
      if pushLog.count == 0 { verdict.nearest = "there was no push by then" }
      return
    }
    let differences =
      filter.differences(&nearest.push, means) + claim.condition.differences(&nearest.push, meets)
    verdict.nearest = "\(evaluator.words(nearest.push)); \(differences.joined(separator: ", "))"
  }
}
