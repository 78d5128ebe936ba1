import APNs
import Devices
import Timeline

/// Expectations that only count: findings and connections.
extension Evaluator {
  func evaluate(
    _ kind: AuditFinding.Kind?, range: ClosedRange<Int>, found: FailureSample<AuditFinding>, audit: Auditor?
  ) -> Verdict {
    var verdict = self.verdict(Requirement(kind: .count, range: range), Figures(meant: found.count))
    if let note = audit?.counts.note { verdict.found += ". " + note }
    let which = kind.map { " of the kind \($0.rawValue)" } ?? ""
    verdict.wanted = range == 0...0 ? "no findings\(which)" : range.counting("finding") + which
    guard !verdict.passed else { return verdict }
    if found.count == 0 { verdict.nearest = "the auditor found nothing\(which) by then" }
    verdict.findings = found.lines { finding in
      let device = finding.device.map { " to \($0.text)" } ?? ""
      let push = finding.push.map { " (apns-id \($0.text))" } ?? ""
      return "\(finding.kind.rawValue)\(device) at \(DurationText.write(began.duration(to: finding.at)))\(push): "
        + finding.sentence
    }
    return verdict
  }

  func evaluate(_ environment: Environment?, range: ClosedRange<Int>, found: Observer.SeenConnections)
    -> Verdict
  {
    var verdict = self.verdict(Requirement(kind: .count, range: range), found.figures)
    let found = found.sample
    let which = environment.map { " to \($0.rawValue)" } ?? ""
    verdict.wanted = range.counting("connection") + which
    guard !verdict.passed else { return verdict }
    verdict.nearest =
      found.count == 0
      ? "there were no connections\(which) by then" : "connections: " + found.lines(\.self).joined(separator: "; ")
    return verdict
  }
}

/// The calls of apps to their backends.
extension Evaluator {
  func evaluate(_ filter: Filter, claim: Claim, tally: ReportTally) -> Verdict {
    let filtered = filter.isEmpty ? "" : " (\(filter.words(.report)))"
    let which = "calls" + filtered
    let condition = claim.condition.words(.report)
    var verdict = verdict(Requirement(claim, "call"), Figures(meant: tally.meant, met: tally.met))
    verdict.wanted =
      switch claim {
      case .count(let range): range.counting("call") + filtered
      case .all: "all \(which) to have \(condition)"
      case .none: "none of the \(which) to have \(condition)"
      case .sometimes: "at least one of the \(which)\(condition.isEmpty ? "" : " to have " + condition)"
      }
    guard !verdict.passed else { return verdict }
    verdict.calls = tally.blamed.lines(words)
    if case .none = claim { return verdict }
    verdict.nearest =
      tally.nearest.map { "\(words($0.end)); \($0.differences.joined(separator: ", "))" }
      ?? (tally.meant == 0 ? "no app had called its backend by then" : nil)
    return verdict
  }

  func words(_ end: CallEnd) -> String {
    let at = DurationText.write(began.duration(to: end.at))
    return "call \(end.number) of \(end.device.text) at \(at): \(end.sentence)"
  }
}
