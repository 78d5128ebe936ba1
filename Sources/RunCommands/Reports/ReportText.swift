import APNs
import Scenarios
import Simulation
import Timeline

/// The report of a run in some twenty lines, for a terminal.
enum ReportText {
  static func summary(_ report: RunReport) -> String {
    var lines = [
      "Report of \(clean(report.origin.command)):"
        + " \(NumberWords.counted(UInt64(report.origin.devices), "device", plural: "devices")),"
        + " seed \(report.origin.seed)"
    ]
    for note in report.notes { lines.append(row("note", note)) }
    if !report.isEmpty { lines += numbers(report) }
    if let scenario = report.scenario {
      let passed = scenario.verdicts.count(where: \.passed)
      lines.append(
        row("scenario", "\(scenario.passed ? "PASS" : "FAIL"), \(passed) of \(scenario.verdicts.count) expectations"))
    }
    return lines.joined(separator: "\n")
  }

  private static func numbers(_ report: RunReport) -> [String] {
    let tally = report.tally
    var lines = [row("pushes", pushes(report))]
    lines.append(
      row("answers", list(report.answers.map { "\(NumberWords.count($0.count)) \(answer($0.status, $0.reason))" })))
    if !tally.otherAnswers.isEmpty {
      let all = tally.otherAnswers.sorted { $0.key < $1.key }
      lines.append(row("sent", list(all.map { "\(NumberWords.count($0.value)) \($0.key)" })))
    }
    lines.append(row("fates", list(report.fates.map { "\(NumberWords.count($0.count)) \(words($0.fate))" })))
    lines.append(row("latency", "event to screen: " + percentiles(tally.latency.whole)))
    lines.append(row("", "APNs to screen:  " + percentiles(tally.latency.showing)))
    lines.append(row("fan-outs", fanOuts(report)))
    lines.append(row("throttled", throttled(report)))
    lines.append(row("retries", retries(tally.retries)))
    lines.append(row("connections", connections(report)))
    lines.append(row("limit", "\(report.limit.name). \(report.limit.sentence)"))
    if let worst = report.worstPhones.first {
      lines.append(
        row(
          "worst phone",
          "\(worst.device.text): \(NumberWords.counted(worst.phone.total, "push", plural: "pushes")) went wrong; the"
            + " last: \(worst.phone.latest.last?.words ?? "")"))
    }
    let findings = report.findings.map { "\($0.kind.rawValue) \(NumberWords.count($0.count))" }
    lines.append(row("findings", findings.isEmpty ? "none" : list(findings)))
    return lines
  }

  private static func row(_ name: String, _ words: String) -> String {
    "  " + name + String(repeating: " ", count: max(1, 13 - name.count)) + clean(words)
  }

  /// Replaces control characters, so that what a client sent does not move the cursor of a terminal.
  private static func clean(_ words: String) -> String {
    String(
      words.map { letter -> Character in
        if letter == "\n" { return " " }
        return letter.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "\u{FFFD}" : letter
      })
  }

  private static func list(_ words: [String]) -> String {
    let shown = words.prefix(6).joined(separator: ", ")
    return words.isEmpty ? "none" : words.count > 6 ? shown + ", and \(words.count - 6) more" : shown
  }

  static func answer(_ status: Int, _ reason: String?) -> String { reason.map { "\(status) \($0)" } ?? "\(status)" }

  static func words(_ fate: PushFate) -> String {
    let words = [fate.outcome, fate.cause].compactMap(\.self).joined(separator: ", ")
    return words.isEmpty ? fate.status.words : "\(fate.status.words) (\(words))"
  }

  private static func throttled(_ report: RunReport) -> String {
    let tally = report.tally
    guard tally.count(.throttled) > 0 else { return "none" }
    let limited = tally.throttledByLimits == 0 ? "none by limits" : NumberWords.count(tally.throttledByLimits)
    let most = report.throttledTokens.first.map { most in
      ", most: \(RunReport.name(most.address, apps: report.origin.apps)) (\(NumberWords.count(most.count)))"
    }
    let faults = tally.throttledByFaults == 0 ? "" : "; \(NumberWords.count(tally.throttledByFaults)) by faults"
    return limited + (most ?? "") + faults
  }

  static func pushes(_ report: RunReport) -> String {
    let tally = report.tally
    let rate = report.rate.map { "\(NumberWords.rate($0)) a second on average" } ?? "too short for a rate"
    let second = report.isBySimulatedClock ? "the busiest second of the scenario" : "the busiest second"
    return "\(NumberWords.count(tally.pushes)) in"
      + " \(NumberWords.time(UInt64(clamping: tally.length.wholeNanoseconds))): \(rate),"
      + " \(NumberWords.count(tally.series.peak)) in \(second)"
  }

  static func percentiles(_ histogram: Histogram) -> String {
    guard let greatest = histogram.greatest else { return "nothing measured" }
    let parts = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)].map { name, share in
      "\(name) \(NumberWords.time(histogram.number(at: share) ?? 0))"
    }
    return parts.joined(separator: ", ") + ", max \(NumberWords.time(greatest)) (\(NumberWords.count(histogram.count)))"
  }

  static func fanOuts(_ report: RunReport) -> String {
    let found = report.fanOuts
    guard found.count > 0, let least = found.sizes.least, let greatest = found.sizes.greatest else { return "none" }
    let sizes =
      least == greatest ? NumberWords.count(least) : "\(NumberWords.count(least)) to \(NumberWords.count(greatest))"
    return "\(NumberWords.count(found.count)) of \(sizes) pushes; first to last phone: \(percentiles(found.showing))"
  }

  static func retries(_ retries: RetryTally) -> String {
    guard retries.failures > 0 else { return "none needed: no push was answered 429 or 5xx" }
    return "\(NumberWords.counted(retries.failures, "push", plural: "pushes")) failed;"
      + " \(NumberWords.counted(retries.retries, "retry", plural: "retries")),"
      + " \(NumberWords.count(retries.recovered)) accepted,"
      + " \(NumberWords.count(retries.hastyRetries)) within a second;"
      + " \(NumberWords.count(retries.overtaken)) overtaken by a newer push,"
      + " \(NumberWords.count(retries.abandoned)) never sent again"
  }

  static func connections(_ report: RunReport) -> String {
    let connections = report.tally.connections
    let all = connections.pushesPerConnection
    var text =
      "\(NumberWords.count(connections.opened)), at most \(connections.mostOpen) at a time; pushes on one:"
      + " p50 \(NumberWords.count(all.number(at: 0.5) ?? 0)), max \(NumberWords.count(all.greatest ?? 0))"
    if !report.origin.isVirtual, let streams = connections.reads.greatest {
      text += "; at least \(NumberWords.counted(streams, "stream", plural: "streams")) at once"
    }
    return text
  }
}
