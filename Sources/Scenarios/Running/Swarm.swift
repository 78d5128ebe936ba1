import Simulation
import WireFormats

/// The reports of one scenario played with many seeds.
package struct Swarm: Sendable {
  package private(set) var reports: [ScenarioReport] = []

  package init() {}

  package mutating func add(_ report: ScenarioReport) { reports.append(report) }

  /// The reports with expectations of the kind `sometimes` evaluated over all seeds together.
  package var judged: [ScenarioReport] {
    guard let first = reports.first else { return [] }
    let seen = first.verdicts.indices.filter { index in
      first.verdicts[index].isSometimes && reports.contains { $0.verdicts[index].passed }
    }
    return reports.map { report in
      var copy = report
      for index in seen { copy.verdicts[index].passed = true }
      return copy
    }
  }

  package var passed: Bool { judged.allSatisfy(\.passed) }

  /// The failing seeds with their reports, and the number that passed.
  package var text: String {
    let all = judged
    let failing = all.filter { !$0.passed }
    let name = all.first?.head.name ?? ""
    guard !failing.isEmpty else { return "PASS  \(name): all \(all.count) seeds" }
    let seeds = failing.map { "\($0.head.seed)" }.joined(separator: ", ")
    return failing.map(\.text).joined(separator: "\n")
      + "\nFAIL  \(name): \(failing.count) of \(all.count) seeds: \(seeds)"
  }
}
