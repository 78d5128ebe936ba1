import APNs
import Devices
import Timeline

/// Evaluates one expectation: the counts and, for a failure, the nearest match.
package struct Evaluator {
  let index: Int
  let expectation: Expectation
  let world: World
  let pushLog: PushLog
  let began: Instant
  let now: Instant
  let passed: Duration

  /// - Parameter passed: the time since the beginning, for the verdict.
  package init(
    _ observer: Observer, index: Int, world: World, pushLog: PushLog, at now: Instant, passed: Duration
  ) {
    self.index = index
    expectation = observer.expectations[index]
    began = observer.began
    self.world = world
    self.pushLog = pushLog
    self.now = now
    self.passed = passed
  }

  var apps: [String] { world.fleet.plan.apps.map(\.bundleID) }

  /// Does what takes the same time whatever the size of the fleet and of the push log.
  func begin(_ observer: Observer) -> ExpectationSearch.Step {
    let counted = observer.counts(index)
    switch expectation.question {
    case .pushes(let filter, let claim):
      let verdict = evaluate(filter, claim, meant: counted.meant, met: counted.met, isSeen: counted.isSeen)
      return verdict.passed
        ? .done(verdict)
        : .explaining(verdict, VerdictExplanation(filter, claim: claim, observer: observer, pushLog: pushLog))
    case .events(let filter, let claim):
      return .done(evaluate(filter, claim: claim, count: counted.events, reached: counted.reached, observer: observer))
    case .screens(let selection, let shape, let claim):
      return .screens(ScreenSearch(selection, shape: shape, claim: claim))
    case .reports(let filter, let claim): return .done(evaluate(filter, claim: claim, tally: observer.reports(index)))
    case .findings(let kind, let range):
      return .done(evaluate(kind, range: range, found: observer.findings(index), audit: observer.auditor))
    case .connections(let filter, let range):
      return .done(evaluate(filter.environment, range: range, found: observer.connections(index)))
    case .converged(let selection, let app): return .converged(ConvergenceSearch(selection, app))
    case .delay(let question): return evaluate(observer.delay(index) ?? DelayTally(question, apps: [], steps: []))
    case .broadcasts(let question): return .done(evaluate(question, observer.broadcasts(index)))
    }
  }

  /// Searches for the last pushes to a device, to show them with the verdict.
  func listing(_ device: DeviceID?, in verdict: Verdict, tellsFate: Bool) -> ExpectationSearch.Step {
    guard let device else { return .done(verdict) }
    var filter = Filter()
    filter.devices = [device]
    let search = PushLog.Search(
      filter, before: nil, limit: FailureSample<ObservedPush>.most, asksForMore: false)
    return .listing(verdict, search, tellsFate: tellsFate)
  }

  /// - Parameter pushes: newest first.
  func list(_ pushes: [PushRecord], tellsFate: Bool, in verdict: inout Verdict) {
    verdict.pushes = pushes.reversed().map { words(ObservedPush($0, step: nil, name: nil)) }
    if tellsFate, let push = pushes.first, !push.fate.causes.isEmpty {
      let fate = outcome(ObservedPush(push, step: nil, name: nil))
      verdict.nearest? += "; the fate of the last push to it: \(fate)"
    }
  }

  func verdict(_ requirement: Requirement, _ figures: Figures) -> Verdict {
    let (passes, found) = requirement.judge(figures)
    var verdict = Verdict(name: expectation.name, place: expectation.place, at: passed, passed: passes)
    verdict.found = found
    verdict.isSometimes = requirement.kind == .sometimes || requirement.kind == .someDelays
    verdict.figures = figures
    verdict.requirement = requirement
    return verdict
  }

  // MARK: - Pushes

  private func evaluate(
    _ filter: Filter, _ claim: Claim, meant: Int, met: Int, isSeen: Bool
  ) -> Verdict {
    let filtered = filter.isEmpty ? "" : " (\(filter.words(.push)))"
    let which = "pushes" + filtered
    let condition = claim.condition.words(.push)
    var verdict = verdict(Requirement(claim, "push"), Figures(meant: meant, met: met, isSeen: isSeen))
    verdict.wanted =
      switch claim {
      case .count(let range): range.counting("push", "pushes") + filtered
      case .all: "all \(which) to have \(condition)"
      case .none: "none of the \(which) to have \(condition)"
      case .sometimes: "at least one of the \(which)\(condition.isEmpty ? "" : " to have " + condition)"
      }
    return verdict
  }

  func words(_ push: ObservedPush) -> String {
    let record = push.facts
    let device = record.address.map { " to \($0.device.text) (\($0.slot.kind.name) token)" } ?? ""
    let at = DurationText.write(began.duration(to: record.at.world))
    let answer = "\(push.status)" + (push.reason.map { " \($0.rawValue)" } ?? "")
    return "push \(record.sequence)\(device) at \(at): \(answer), \(outcome(push))"
  }

  private func outcome(_ push: ObservedPush) -> String {
    let causes = push.current.causes.isEmpty ? "" : " (\(push.current.causes.joined(separator: ", ")))"
    return push.current.words + (push.current.outcome.map { ", \($0)" } ?? "") + causes
  }

  // MARK: - Events

  private func evaluate(
    _ filter: Filter, claim: EventRequirement, count: Int, reached: Int, observer: Observer
  ) -> Verdict {
    let which = filter.words(.event)
    var figures = Figures(meant: count, met: count)
    figures.reached = reached
    var verdict: Verdict
    var looked = filter.event
    switch claim {
    case .count(let range):
      verdict = self.verdict(Requirement(kind: .count, range: range), figures)
      verdict.wanted = "\(range.counting("event")) (\(which))"
    case .sometimes:
      verdict = self.verdict(Requirement(kind: .sometimes, nothing: "none"), figures)
      verdict.wanted = "at least one event (\(which))"
    case .ordered(let names):
      verdict = self.verdict(Requirement(kind: .ordered, names: names), figures)
      verdict.wanted = "\(names.joined(separator: ", then ")) (events \(which.isEmpty ? "of all" : which))"
      looked = reached < names.count ? names[reached] : ""
    }
    if !verdict.passed, let looked {
      verdict.nearest =
        observer.sight(looked).map {
          "\(looked) happened \($0.count) times by then, first on \($0.device.text) at "
            + DurationText.write(began.duration(to: $0.at))
        } ?? "\(looked) had not happened by then"
    }
    return verdict
  }
}
