import APNs
import Devices
import Timeline

/// The evaluation of one expectation, in portions, because it may look at every phone, and because a failure is
/// explained from the whole push log.
package struct ExpectationSearch: Sendable {
  enum Step: Sendable {
    case begins
    case screens(ScreenSearch)
    case converged(ConvergenceSearch)
    case explaining(Verdict, VerdictExplanation)
    /// Looks for the last pushes to a device.
    case listing(Verdict, PushLog.Search, tellsFate: Bool)
    case done(Verdict)
  }

  /// Costs of parts of the work, compared with checking one push: a verdict's sentences, and a screen.
  static let verdict = 40
  static let screen = 20

  private var step = Step.begins
  private let explains: Bool

  /// - Parameter explains: whether a failure is explained.
  package init(explains: Bool) { self.explains = explains }

  /// - Parameter work: how much may be done; what was done is subtracted.
  /// - Returns: the result; nil if work is left.
  package mutating func go(_ evaluator: Evaluator, observer: Observer, work: inout Int) -> Verdict? {
    while work > 0 {
      switch step {
      case .begins:
        work -= Self.verdict
        step = evaluator.begin(observer)
      case .screens(var search):
        step = .begins
        step = search.look(evaluator, &work) ? evaluator.result(of: search) : .screens(search)
      case .converged(var search):
        step = .begins
        step =
          search.look(evaluator, observer: observer, work: &work)
          ? .done(evaluator.result(of: search)) : .converged(search)
      case .explaining(var verdict, var explanation):
        let isDone = !explains || explanation.look(evaluator, observer: observer, work: &work)
        if isDone, explains { explanation.explain(&verdict, evaluator) }
        step = isDone ? .done(verdict) : .explaining(verdict, explanation)
      case .listing(var verdict, var search, let tellsFate):
        if explains { work -= search.look(in: evaluator.pushLog, most: work) }
        let isDone = !explains || search.isDone
        if isDone, explains { evaluator.list(search.pushes, tellsFate: tellsFate, in: &verdict) }
        step = isDone ? .done(verdict) : .listing(verdict, search, tellsFate: tellsFate)
      case .done(let verdict): return verdict
      }
    }
    if case .done(let verdict) = step { return verdict }
    return nil
  }
}

/// The results of a list of expectations, in portions.
struct VerdictRound: Sendable {
  private let now: Instant
  private let passed: Duration
  private let explains: Bool
  /// The next one at the end.
  private var left: [Int]
  private var found: [Verdict?]
  private var search: ExpectationSearch
  /// The expectation that was not met, if failures are not explained: the round ends with it.
  private(set) var failure: Int?

  /// - Parameters:
  ///   - first: the expectation that is evaluated before the others.
  ///   - explains: whether failures are explained, and all expectations evaluated.
  ///   - passed: the time since the beginning, for the verdicts.
  init(of observer: Observer, first: Int? = nil, explains: Bool, at now: Instant, passed: Duration) {
    self.now = now
    self.passed = passed
    self.explains = explains
    left = observer.expectations.indices.reversed().filter { $0 != first } + (first.map { [$0] } ?? [])
    found = Array(repeating: nil, count: left.count)
    search = ExpectationSearch(explains: explains)
  }

  /// The results, in the order of the expectations.
  var verdicts: [Verdict] { found.compactMap(\.self) }

  /// - Parameter work: how much may be done; what was done is subtracted.
  /// - Returns: whether the round is over.
  mutating func go(_ observer: Observer, world: World, pushLog: PushLog, work: inout Int) -> Bool {
    while let index = left.last, failure == nil {
      let evaluator = Evaluator(observer, index: index, world: world, pushLog: pushLog, at: now, passed: passed)
      guard let verdict = search.go(evaluator, observer: observer, work: &work) else { return false }
      left.removeLast()
      search = ExpectationSearch(explains: explains)
      found[index] = verdict
      if !explains, !verdict.passed { failure = index }
    }
    return true
  }
}
