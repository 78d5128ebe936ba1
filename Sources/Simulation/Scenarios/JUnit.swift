import Timeline

/// Reports as JUnit XML, which build servers read: a suite for each scenario played, a case for each expectation.
package enum JUnit {
  package static func text(_ reports: [ScenarioReport]) -> String {
    var text = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n<testsuites>\n"
    for report in reports { text += suite(report) }
    return text + "</testsuites>\n"
  }

  private static func suite(_ report: ScenarioReport) -> String {
    let failed = report.findings.filter(\.isFailure)
    let failures = failed.count + report.verdicts.count { !$0.passed }
    let count = failed.count + report.verdicts.count
    var text =
      #"  <testsuite name="\#(escaped(report.name)) (seed \#(report.seed))" tests="\#(count)" "#
      + #"failures="\#(failures)" errors="0">"# + "\n"
    for finding in failed {
      text += testCase("step at \(DurationText.write(finding.at))", report, failure: finding.sentence, [finding.place])
    }
    for verdict in report.verdicts {
      text += testCase(
        verdict.name, report, failure: verdict.passed ? nil : "wanted \(verdict.wanted), found \(verdict.found)",
        [verdict.place] + verdict.details + report.ways)
    }
    return text + "  </testsuite>\n"
  }

  private static func testCase(
    _ name: String, _ report: ScenarioReport, failure: String?, _ details: [String]
  ) -> String {
    let open = #"    <testcase classname="\#(escaped(report.name))" name="\#(escaped(name))""#
    guard let failure else { return open + "/>\n" }
    return open + ">\n" + #"      <failure message="\#(escaped(failure))">"#
      + escaped(details.joined(separator: "\n")) + "</failure>\n    </testcase>\n"
  }

  /// XML 1.0 has no place for control characters, not even escaped.
  private static func escaped(_ text: String) -> String {
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
