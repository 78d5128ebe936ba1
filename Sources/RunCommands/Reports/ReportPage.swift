import APNs
import Scenarios
import Simulation
import Timeline

/// The report of a run as one HTML file: no script, nothing from a network, plots as inline SVG.
struct ReportPage {
  let report: RunReport
  var tally: RunTally { report.tally }

  init(_ report: RunReport) { self.report = report }

  var text: String { ReportStyle.page(title, main).text }

  private var title: String {
    if let scenario = report.scenario { return scenario.head.name }
    let began = tally.firstPush.map { ", \(ReportTimes.date($0)) \(ReportTimes.clock($0).prefix(5))" } ?? ""
    let devices = NumberWords.counted(UInt64(report.origin.devices), "phone", plural: "phones")
    return "\(report.origin.command)\(began), \(devices)"
  }

  private var main: Markup {
    let notes: [Markup] = report.notes.map { "<section class=\"warning\" role=\"note\"><p>\($0)</p></section>\n" }
    let numbers: [Markup] =
      report.isEmpty
      ? [] : [tiles, limit, rates, latencies, fanOuts, answers, fates, throttling, retries, connections, phones]
    return """
      <h1>\(verdict)\(title)</h1>
      \(notes)\(run)\(scenario)\(numbers)\(findings)\(footer)
      """
  }

  // MARK: - The run

  private var verdict: Markup {
    guard let passed = report.scenario?.passed else { return "" }
    return passed ? "<span class=\"mark good\">PASS</span> " : "<span class=\"mark bad\">FAIL</span> "
  }

  private var run: Markup {
    let origin = report.origin
    var facts: [(String, String)] = [
      ("Run", origin.command), ("Pushpit", origin.program),
      ("Fleet", "\(NumberWords.counted(UInt64(origin.devices), "device", plural: "devices")), seed \(origin.seed)"),
      ("Apps", origin.apps.joined(separator: ", ")),
    ]
    if let first = tally.firstPush, let last = tally.lastPush, !origin.isVirtual {
      facts.append(("Pushes", ReportTimes.span(first, last)))
    }
    if let reached = tally.worldReached {
      let passed = origin.began.duration(to: reached)
      facts.append(("Simulated time", "\(ReportTimes.span(origin.began, reached)), \(Self.time(passed))"))
    }
    facts.append(("Events", NumberWords.count(tally.events)))
    let rows: [Markup] = facts.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" }
    return "<section><h2>What was run</h2><dl>\(rows)</dl></section>\n"
  }

  /// At most six, which fit into one row.
  private var tiles: Markup {
    let throttled = tally.count(.throttled)
    var tiles: [(String, String)] = [
      (NumberWords.count(tally.pushes), "pushes"),
      (NumberWords.share(report.accepted, of: tally.pushes), "accepted"),
      (NumberWords.count(tally.series.peak), "pushes in the busiest second"),
    ]
    let latency = tally.latency.whole.isEmpty ? tally.latency.showing : tally.latency.whole
    let from = tally.latency.whole.isEmpty ? "APNs" : "event"
    if let median = latency.number(at: 0.5), let most = latency.number(at: 0.99) {
      tiles.append((NumberWords.time(median), "half of them: \(from) to screen"))
      tiles.append((NumberWords.time(most), "99 %: \(from) to screen"))
    }
    if throttled > 0 {
      tiles.append((NumberWords.count(throttled), "answered 429"))
    } else if report.fanOuts.count > 0 {
      tiles.append((NumberWords.count(report.fanOuts.count), "fan-outs"))
    }
    let parts: [Markup] = tiles.map { "<div class=\"tile\"><b>\($0.0)</b><span>\($0.1)</span></div>" }
    return "<div class=\"tiles\">\(parts)</div>\n"
  }

  private var limit: Markup {
    """
    <section><h2>The limit: \(report.limit.name)</h2><p>\(report.limit.sentence)</p>
    <details><summary>How that is decided</summary><p>\(LoadLimit.rule)</p></details></section>

    """
  }

  private var rates: Markup {
    let processors = report.processors.map { ReportCharts.processors(tally.series, $0) } ?? ""
    return """
      <section><h2>Pushes a second</h2>\(ReportCharts.rates(tally.series))\(processors)
      <p class="note">\(ReportText.pushes(report)). One column is \(tally.series.width) s. \
      \(clock)\
      </p></section>

      """
  }

  private var clock: String {
    guard report.isBySimulatedClock else { return "Times are those of this machine's clock." }
    let took = tally.machineLength.map { " It took \(Self.time($0)) of this machine's time." } ?? ""
    return "Times are those of the scenario.\(took)"
  }

  private var footer: Markup {
    """
    <footer><p>Percentiles come from histograms with 128 buckets for each power of two: a time is never too low, and \
    at most 0.8 % too high. What the numbers mean: docs/report.md of Pushpit.</p></footer>

    """
  }

  // MARK: - Verdicts

  private var scenario: Markup {
    guard let scenario = report.scenario else { return "" }
    let steps: [Markup] = scenario.findings.map { finding in
      let name = finding.isFailure ? "FAIL" : "note"
      return """
        <tr><td><span class="mark \(finding.isFailure ? "bad" : "")">\(name)</span></td>\
        <td class="name">\(finding.place) at \(DurationText.write(finding.at)): \(finding.sentence)</td></tr>
        """
    }
    let verdicts: [Markup] = scenario.verdicts.filter(\.wasEvaluated).map { verdict in
      let details = Self.details(verdict)
      return """
        <tr><td><span class="mark \(verdict.passed ? "good" : "bad")">\(verdict.passed ? "ok" : "FAIL")</span></td>\
        <td class="name">\(verdict.title)\(details)</td></tr>
        """
    }
    let unevaluated: Markup =
      scenario.unevaluated.map {
        "<tr><td><span class=\"mark bad\">FAIL</span></td><td class=\"name\">\($0)</td></tr>"
      } ?? ""
    let again: Markup = "<p class=\"note\">Again: <code>\(scenario.again)</code></p>"
    return """
      <section><h2>Verdicts</h2><div class="wide" tabindex="0"><table>\(steps)\(verdicts)\(unevaluated)</table>\
      </div>\(again)</section>

      """
  }

  private var findings: Markup {
    guard !report.findings.isEmpty else {
      return report.isEmpty ? "" : "<section><h2>Findings</h2><p>No mistakes of the sender were found.</p></section>\n"
    }
    let rows: [Markup] = report.findings.map { finding in
      let device = finding.latest?.device.map { "\($0.text): " } ?? ""
      return """
        <tr><td>\(finding.kind.rawValue)</td><td class="n">\(NumberWords.count(finding.count))</td>\
        <td class="name">\(device)\(finding.latest?.sentence ?? "")</td></tr>
        """
    }
    return """
      <section><h2>Findings</h2><p class="note">Mistakes of the sender, each with its latest case.</p>\
      <div class="wide" tabindex="0"><table><tr><th>finding</th><th class="n">times</th><th>the latest</th>\
      </tr>\(rows)</table></div>\
      </section>

      """
  }
}
