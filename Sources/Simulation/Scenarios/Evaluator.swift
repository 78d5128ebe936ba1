import APNs
import Devices
import Timeline

/// Evaluates one expectation: the counts and, for a failure, the nearest match.
package struct Evaluator {
  /// Number of pushes that a failure shows.
  private static let shown = 5

  let index: Int
  let expectation: Scenario.Expectation
  let world: World
  let pushLog: PushLog
  let began: Instant
  let now: Instant
  let passed: Duration

  /// - Parameter passed: the time since the beginning, for the verdict.
  package init(
    _ observer: Observer, _ index: Int, _ world: World, _ pushLog: PushLog, at now: Instant, passed: Duration
  ) {
    self.index = index
    expectation = observer.expectations[index]
    began = observer.began
    self.world = world
    self.pushLog = pushLog
    self.now = now
    self.passed = passed
  }

  var apps: [String] { world.partition.fleet.plan.apps.map(\.bundleID) }

  /// Evaluates the expectation; later events no longer count for it.
  package func verdict(_ observer: inout Observer) -> Scenario.Verdict {
    let counted = observer.close(index)
    switch expectation.question {
    case .pushes(let filter, let claim):
      return evaluate(filter, claim, meant: counted.meant, met: counted.met, isSeen: counted.isSeen, observer)
    case .events(let filter, let claim):
      return evaluate(filter, claim, count: counted.events, reached: counted.reached, observer)
    case .screens(let selection, let shape, let claim): return evaluate(selection, shape, claim)
    case .reports(let filter, let claim): return evaluate(filter, claim, observer.reports(index))
    case .findings(let kind, let range): return evaluate(kind, range, observer.findings(index))
    case .connections(let filter, let range): return evaluate(filter.environment, range, observer.connections(index))
    case .converged(let selection, let app):
      return evaluate(converged: selection, app: app, observer.expectedScreens ?? ExpectedScreens(), observer.tokens)
    case .delay(let question): return evaluate(observer.delay(index) ?? DelayTally(question, apps: [], steps: []))
    case .broadcasts(let question): return evaluate(question, observer.closeBroadcasts(index))
    }
  }

  func verdict(_ requirement: Requirement, _ figures: Figures) -> Scenario.Verdict {
    let (passes, found) = requirement.judge(figures)
    var verdict = Scenario.Verdict(name: expectation.name, place: expectation.place, at: passed, passed: passes)
    verdict.found = found
    verdict.isSometimes = requirement.kind == .sometimes || requirement.kind == .someDelays
    verdict.figures = figures
    verdict.requirement = requirement
    return verdict
  }

  // MARK: - Pushes

  private func evaluate(
    _ filter: Filter, _ claim: Claim, meant: Int, met: Int, isSeen: Bool, _ observer: Observer
  ) -> Scenario.Verdict {
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
    if !verdict.passed { explain(&verdict, filter, claim, observer) }
    return verdict
  }

  /// Searches the push log for the pushes that caused the failure, and the nearest match.
  private func explain(
    _ verdict: inout Scenario.Verdict, _ filter: Filter, _ claim: Claim, _ observer: Observer
  ) {
    let condition = claim.condition
    let (means, meets) = observer.matchers(filter, condition)
    var blamed: [ObservedPush] = []
    var nearest: (push: ObservedPush, count: Int)?
    let records = pushLog.list(.init(), before: nil, limit: PushLog.mostPushes).pushes
    for record in records.reversed() where expectation.includes(record.at.world, since: began) {
      var push = observer.observed(record)
      let meant = means.mismatches(&push)
      let met = meets.mismatches(&push)
      switch claim {
      case .count: if meant == 0 { blamed.append(push) }
      case .all: if meant == 0, met > 0 { blamed.append(push) }
      case .none: if meant == 0, met == 0 { blamed.append(push) }
      case .sometimes: break
      }
      // A push that the filter selects is nearer than any other.
      let distance = 100 * meant + met
      if distance > 0, nearest.map({ distance < $0.count }) ?? true { nearest = (push, distance) }
    }
    verdict.pushes = blamed.prefix(Self.shown).map { words($0) }
    if blamed.count > Self.shown { verdict.pushes.append("and \(blamed.count - Self.shown) more") }
    if pushLog.total > UInt64(pushLog.count) {
      verdict.pushes.append(
        "searched the last \(pushLog.count) of \(pushLog.total) pushes;"
          + " settings: {ledger: {pushes: \(pushLog.total)}} keeps all")
    }
    if case .none = claim { return }
    guard var nearest else {
      if records.isEmpty { verdict.nearest = "there was no push by then" }
      return
    }
    let differences = filter.differences(&nearest.push, means) + condition.differences(&nearest.push, meets)
    verdict.nearest = "\(words(nearest.push)); \(differences.joined(separator: ", "))"
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
    _ filter: Filter, _ claim: Scenario.EventRequirement, count: Int, reached: Int, _ observer: Observer
  ) -> Scenario.Verdict {
    let which = filter.words(.event)
    var figures = Figures(meant: count, met: count)
    figures.reached = reached
    var verdict: Scenario.Verdict
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

  // MARK: - Screens

  private func evaluate(
    _ selection: Selection, _ shape: ScreenPattern, _ claim: Scenario.ScreenRequirement
  ) -> Scenario.Verdict {
    var met = 0
    var meant = 0
    var nearest: (device: DeviceID, differences: [String])?
    var first: DeviceID?
    var selection = selection
    while true {
      let page = world.devices(of: selection)
      for device in page.devices {
        meant += 1
        let differences = shape.differences(world.screen(of: device, at: now))
        if differences.isEmpty {
          met += 1
          if first == nil { first = device }
        } else if nearest.map({ differences.count < $0.differences.count }) ?? true {
          nearest = (device, differences)
        }
      }
      guard let next = page.next else { break }
      selection.start = next
    }
    let figures = Figures(meant: meant, met: met)
    var verdict: Scenario.Verdict
    switch claim {
    case .all:
      verdict = self.verdict(
        Requirement(kind: .all, nothing: "no such device, so nothing was tested"), figures)
      verdict.wanted = "all screens to show \(shape.words)"
    case .count(let range):
      verdict = self.verdict(Requirement(kind: .metCount, range: range), figures)
      verdict.wanted = "\(range.counting("screen")) to show \(shape.words)"
    }
    guard !verdict.passed else { return verdict }
    if let nearest {
      verdict.nearest = "\(nearest.device.text): \(nearest.differences.joined(separator: ", "))"
    } else if let first {
      verdict.nearest = "\(first.text) shows it"
    }
    let device = nearest?.device ?? first
    var filter = Filter()
    filter.devices = device.map { [$0] }
    if device != nil {
      let last = pushLog.list(filter, before: nil, limit: Self.shown).pushes
      verdict.pushes = last.reversed().map { words(ObservedPush($0, step: nil, name: nil)) }
      if nearest != nil, let push = last.first, !push.fate.causes.isEmpty {
        let fate = outcome(ObservedPush(push, step: nil, name: nil))
        verdict.nearest? += "; the fate of the last push to it: \(fate)"
      }
    }
    return verdict
  }
}
