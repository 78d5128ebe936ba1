import Simulation
import Timeline

extension ScenarioReport {
  /// The report of a whole fleet, from those of its cells.
  ///
  /// - Parameters:
  ///   - parts: with the number of each cell, in their order; at least one.
  ///   - command: what plays it again.
  package static func merged(_ parts: [(cell: Int, report: ScenarioReport)], command: String) -> ScenarioReport {
    var head = parts[0].report.head
    head.pushes = parts.reduce(0) { $0 &+ $1.report.head.pushes }
    head.events = parts.reduce(0) { $0 &+ $1.report.head.events }
    let verdicts = parts[0].report.verdicts.indices.map { index in
      merged(
        parts.compactMap { part in
          part.report.verdicts.indices.contains(index) ? (part.cell, part.report.verdicts[index]) : nil
        })
    }
    return ScenarioReport(
      head, verdicts: verdicts, findings: mergedFindings(parts), from: .cells(parts.count, command: command))
  }

  private static func merged(_ parts: [(cell: Int, verdict: Verdict)]) -> Verdict {
    let first = parts[0].verdict
    let figures = parts.compactMap(\.verdict.figures)
    var verdict = Verdict(name: first.name, place: first.place, at: first.at, passed: false)
    verdict.wanted = first.wanted
    verdict.isSometimes = first.isSometimes
    guard let requirement = first.requirement, figures.count == parts.count else {
      verdict.found = "a cell has not evaluated it"
      return verdict
    }
    let whole = Figures.merged(figures)
    (verdict.passed, verdict.found) = requirement.judge(whole)
    verdict.figures = whole
    verdict.requirement = requirement
    verdict.parts = "\(requirement.part(whole)) (\(figures.map(requirement.part).joined(separator: " + ")))"
    guard !verdict.passed else { return verdict }
    func told(_ lines: (Verdict) -> [String]) -> [String] {
      let all = parts.flatMap { part in lines(part.verdict).map { "cell \(part.cell): \($0)" } }
      return Array(all.prefix(shown))
    }
    verdict.nearest = told { $0.nearest.map { [$0] } ?? [] }.first
    verdict.pushes = told(\.pushes)
    verdict.calls = told(\.calls)
    verdict.findings = told(\.findings)
    return verdict
  }

  /// Lines of each kind that a failure shows.
  private static var shown: Int { 5 }

  /// The place and the time of a finding.
  private struct Spot: Hashable {
    let place: String
    let at: Duration
  }

  private static func mergedFindings(_ parts: [(cell: Int, report: ScenarioReport)]) -> [Finding] {
    var spots: [Spot] = []
    var found: [Spot: [(cell: Int, finding: Finding)]] = [:]
    for part in parts {
      for finding in part.report.allFindings {
        let spot = Spot(place: finding.place, at: finding.at)
        if found[spot] == nil { spots.append(spot) }
        found[spot, default: []].append((part.cell, finding))
      }
    }
    return spots.flatMap { merged(found[$0] ?? [], of: parts.count) }
  }

  private static func merged(_ found: [(cell: Int, finding: Finding)], of cells: Int) -> [Finding] {
    let partial = found.filter(\.finding.needsAllCells)
    var findings: [Finding] = []
    if partial.count == cells, let first = partial.first?.finding {
      // A cell that refused the step says more than the hidden findings of cells without anything to do.
      let told = partial.contains { !$0.finding.isHidden } ? partial.filter { !$0.finding.isHidden } : partial
      findings.append(finding(first, told, of: cells, isFailure: first.isFailure))
    } else {
      // Other cells have performed the step, so the finding is only a note.
      for one in partial where one.finding.isFailure && !one.finding.isHidden {
        findings.append(finding(one.finding, [one], of: cells, isFailure: false))
      }
    }
    let own = found.filter { !$0.finding.needsAllCells }
    guard let first = own.first?.finding else { return findings }
    return findings + [finding(first, own, of: cells, isFailure: own.contains(where: \.finding.isFailure))]
  }

  /// Merges the findings of several cells at one place. A sentence that all cells report appears once, unless it has
  /// counts of each cell.
  private static func finding(
    _ first: Finding, _ found: [(cell: Int, finding: Finding)], of cells: Int, isFailure: Bool
  ) -> Finding {
    let isOfAll =
      found.count == cells && !first.hasCount && found.allSatisfy { $0.finding.sentence == first.sentence }
    let sentence =
      isOfAll
      ? first.sentence : found.map { "cell \($0.cell): \($0.finding.sentence)" }.joined(separator: " ")
    return Finding(
      place: first.place, at: first.at, sentence: sentence, isFailure: isFailure, isOfCells: !isOfAll)
  }
}
