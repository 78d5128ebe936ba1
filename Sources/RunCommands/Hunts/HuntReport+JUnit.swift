import Hunting
import ScenarioFiles
import Scenarios

extension HuntReport {
  /// A case for each find and each known failure mode. What was not judged is skipped, with the word of the other
  /// reports.
  package func junit(in folder: String) -> String {
    var cases = hunt.finds.map { find in
      JUnit.Case(find.group.title, .failed(find.sentence, details: lines(of: find, in: folder)))
    }
    cases += hunt.plainFailures.map { JUnit.Case("without any trouble", .failed($0.sentence)) }
    if let refusal { cases.append(JUnit.Case("the story can be hunted with", .failed(refusal))) }
    // A mode that failed has the case of its find, or of what was not examined.
    for (end, titles) in modes where end != .failed {
      cases += titles.map { JUnit.Case($0, end == .survived ? .passed : .skipped(end.rawValue.lowercased())) }
    }
    cases += hunt.tally.unsteady.map { JUnit.Case($0.title, .skipped(Self.unsteady)) }
    if isInterrupted { cases.append(JUnit.Case("the hunt was played to its end", .skipped(Self.interrupted))) }
    cases += hunt.unexamined.map { JUnit.Case($0.title, .skipped("not examined, \(Self.unexamined)")) }
    let name = "pushpit hunt \(story.file.scenario.name)"
    return JUnit.text([JUnit.Suite(name, className: name, cases: cases, time: passed)])
  }
}
