import Simulation
import Timeline

/// Reports as JUnit XML for build servers: a suite for each scenario, a case for each expectation.
package enum JUnit {
  package static func text(_ reports: [ScenarioReport]) -> String {
    let time = reports.reduce(Duration.zero) { $0 + $1.head.length }
    var text = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n<testsuites"
    text +=
      numbers(
        tests: reports.reduce(0) { $0 + $1.cases }, failures: reports.reduce(0) { $0 + $1.failures.count }, time: time)
      + ">\n"
    for report in reports { text += suite(report) }
    return text + "</testsuites>\n"
  }

  private static func suite(_ report: ScenarioReport) -> String {
    var text =
      #"  <testsuite name="\#(escaped(report.head.name)) (seed \#(report.head.seed))""#
      + numbers(tests: report.cases, failures: report.failures.count, time: report.head.length) + ">\n"
    for finding in report.findings where finding.isFailure {
      text += testCase(
        "step at \(DurationText.write(finding.at))", in: report, failure: finding.sentence, details: [finding.place])
    }
    for verdict in report.verdicts {
      text += testCase(
        verdict.name, in: report, failure: verdict.passed ? nil : "wanted \(verdict.wanted), found \(verdict.found)",
        details: [verdict.place] + verdict.details + report.ways)
    }
    return text + "  </testsuite>\n"
  }

  /// - Parameter time: the scenario's time, so that the same seed gives the same file.
  private static func numbers(tests: Int, failures: Int, time: Duration) -> String {
    let milliseconds = time.wholeNanoseconds / 1_000_000
    let fraction = String(milliseconds % 1000 + 1000).dropFirst()
    return #" tests="\#(tests)" failures="\#(failures)" errors="0" time="\#(milliseconds / 1000).\#(fraction)""#
  }

  private static func testCase(
    _ name: String, in report: ScenarioReport, failure: String?, details: [String]
  ) -> String {
    let open = #"    <testcase classname="\#(escaped(report.head.name))" name="\#(escaped(name))""#
    guard let failure else { return open + "/>\n" }
    return open + ">\n" + #"      <failure message="\#(escaped(failure))">"#
      + escaped(details.joined(separator: "\n")) + "</failure>\n    </testcase>\n"
  }

  /// XML 1.0 does not allow control characters, not even escaped.
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
