import Timeline

/// Reports as JUnit XML for build servers: suites of cases.
package enum JUnit {
  /// The cases of one scenario, or of one hunt.
  package struct Suite: Sendable {
    let name: String
    /// The class of its cases, under which build servers list them.
    let className: String
    let cases: [Case]
    let time: Duration

    package init(_ name: String, className: String, cases: [Case], time: Duration) {
      self.name = name
      self.className = className
      self.cases = cases
      self.time = time
    }
  }

  package struct Case: Sendable {
    package enum Outcome: Sendable {
      case passed
      case failed(String, details: [String] = [])
      case skipped(String)
    }

    let name: String
    let outcome: Outcome

    package init(_ name: String, _ outcome: Outcome) {
      self.name = name
      self.outcome = outcome
    }
  }

  package static func text(_ suites: [Suite]) -> String {
    let time = suites.reduce(Duration.zero) { $0 + $1.time }
    var text = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n<testsuites"
    text += numbers(of: suites.flatMap(\.cases), time: time) + ">\n"
    for suite in suites {
      text += #"  <testsuite name="\#(escaped(suite.name))""# + numbers(of: suite.cases, time: suite.time) + ">\n"
      for one in suite.cases { text += testCase(one, className: suite.className) }
      text += "  </testsuite>\n"
    }
    return text + "</testsuites>\n"
  }

  private static func numbers(of cases: [Case], time: Duration) -> String {
    var failures = 0
    var skipped = 0
    for one in cases {
      switch one.outcome {
      case .passed: break
      case .failed: failures += 1
      case .skipped: skipped += 1
      }
    }
    let milliseconds = time.wholeNanoseconds / 1_000_000
    let fraction = String(milliseconds % 1000 + 1000).dropFirst()
    return #" tests="\#(cases.count)" failures="\#(failures)" errors="0" skipped="\#(skipped)""#
      + #" time="\#(milliseconds / 1000).\#(fraction)""#
  }

  private static func testCase(_ one: Case, className: String) -> String {
    let open = #"    <testcase classname="\#(escaped(className))" name="\#(escaped(one.name))""#
    let inner: String
    switch one.outcome {
    case .passed: return open + "/>\n"
    case .failed(let sentence, let details):
      inner =
        #"<failure message="\#(escaped(sentence))">"# + escaped(details.joined(separator: "\n")) + "</failure>"
    case .skipped(let sentence): inner = #"<skipped message="\#(escaped(sentence))"/>"#
    }
    return open + ">\n      " + inner + "\n    </testcase>\n"
  }

  /// XML 1.0 does not allow control characters, not even escaped.
  static func escaped(_ text: String) -> String {
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
