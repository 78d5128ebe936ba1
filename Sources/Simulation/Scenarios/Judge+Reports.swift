import APNs
import Devices
import Timeline

/// What apps have told their backends.
extension Judge {
  func judge(_ filter: ReportFilter, _ claim: Claim<ReportFilter>, _ tally: ReportTally) -> Scenario.Verdict {
    let filtered = filter == ReportFilter() ? "" : " (\(filter.words(apps)))"
    let which = "reports" + filtered
    let condition = claim.condition.words(apps)
    var verdict: Scenario.Verdict
    switch claim {
    case .count(let range):
      verdict = self.verdict(range.contains(tally.meant))
      verdict.wanted = range.counting("report") + filtered
      verdict.found = "\(tally.meant)"
    case .all:
      verdict = self.verdict(tally.meant > 0 && tally.met == tally.meant)
      verdict.wanted = "all \(which) to have \(condition)"
      verdict.found = tally.meant == 0 ? "no such report, so nothing was tested" : "\(tally.met) of \(tally.meant)"
    case .none:
      verdict = self.verdict(tally.met == 0)
      verdict.wanted = "none of the \(which) to have \(condition)"
      verdict.found = "\(tally.met) of \(tally.meant)"
    case .sometimes:
      verdict = self.verdict(tally.met > 0)
      verdict.isSometimes = true
      verdict.wanted = "at least one of the \(which)\(condition.isEmpty ? "" : " to have " + condition)"
      verdict.found = "none of \(tally.meant)"
    }
    guard !verdict.passed else { return verdict }
    verdict.reports = tally.blamed.lines(words)
    if case .none = claim { return verdict }
    verdict.nearest =
      tally.nearest.map { "\(words($0.end)); \($0.differences.joined(separator: ", "))" }
      ?? (tally.meant == 0 ? "no app has told its backend anything by then" : nil)
    return verdict
  }

  func words(_ end: CallEnd) -> String {
    let at = DurationText.write(began.duration(to: end.at))
    return "report \(end.number) of \(end.device.text) at \(at): \(end.sentence)"
  }
}
