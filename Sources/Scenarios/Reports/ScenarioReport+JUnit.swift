import Simulation
import Timeline

extension ScenarioReport {
  /// A case for each expectation, and one for each step that failed.
  package var suite: JUnit.Suite {
    let steps = findings.filter(\.isFailure).map { finding in
      JUnit.Case(
        "step at \(DurationText.write(finding.at))", .failed(finding.sentence, details: [finding.place]))
    }
    let expectations = verdicts.map { verdict in
      JUnit.Case(
        verdict.name,
        verdict.passed
          ? .passed
          : .failed(
            "wanted \(verdict.wanted), found \(verdict.found)",
            details: [verdict.place] + verdict.details + ways))
    }
    // The scenario's time, so that the same seed gives the same file.
    return JUnit.Suite(
      "\(head.name) (seed \(head.seed))", className: head.name, cases: steps + expectations, time: head.length)
  }
}
