import Timeline
import WireFormats

/// The result of an expectation.
package struct Verdict: Hashable, Sendable {
  package let name: String
  package let place: String
  /// Time of the evaluation, relative to the scenario's beginning.
  package let at: Duration
  package var passed: Bool
  /// True if the expectation only requires that something happened at least once.
  package var isSometimes = false
  /// False if the run ended before it could be evaluated.
  package var wasEvaluated = true
  package var wanted = ""
  package var found = ""
  /// The numbers by which it was judged, and what was required of them; nil if it was not evaluated.
  package var figures: Figures?
  package var requirement: Requirement?
  /// Findings of each cell, if the cells' verdicts were merged.
  package var parts: String?
  /// The nearest match, and what differs.
  package var nearest: String?
  /// The pushes involved, with their fates.
  package var pushes: [String] = []
  /// The calls of apps involved.
  package var calls: [String] = []
  /// The auditor's findings.
  package var findings: [String] = []

  package init(name: String, place: String, at: Duration, passed: Bool) {
    self.name = name
    self.place = place
    self.at = at
    self.passed = passed
  }
}

extension Verdict {
  package var time: String { DurationText.write(at) }

  package var title: String { passed ? name : "\(place) at \(time): \(name)" }

  /// The details of a failure, line by line.
  package var details: [String] {
    var lines = ["wanted   \(wanted)", "found    \(found)"]
    if let nearest { lines.append("nearest  \(nearest)") }
    for (name, list) in [("pushes   ", pushes), ("calls    ", calls), ("findings ", findings)] {
      for (index, line) in list.enumerated() { lines.append((index == 0 ? name : "         ") + line) }
    }
    return lines
  }
}
