import Simulation
import Timeline
import WireFormats

/// The result of playing a scenario. The same scenario gives the same report, byte for byte.
package struct ScenarioReport: Hashable, Sendable {
  /// A note about a step for the scenario's author.
  package struct Finding: Hashable, Sendable {
    package let place: String
    package let at: Duration
    package let sentence: String
    /// True if the step could not be performed at all.
    package let isFailure: Bool
    /// True if the finding applies to the whole fleet only if every cell reports it, such as that nothing was done.
    var needsAllCells = false
    /// True if the report of a single cell omits the finding.
    var isHidden = false
    /// True if the sentence counts devices or pushes, of which each cell has its own.
    var hasCount = false
    /// True if the sentence lists the findings of single cells; that of one process would differ.
    var isOfCells = false
  }

  /// The beginning of a report: the scenario and the size of its run.
  package struct Head: Hashable, Sendable {
    package var name: String
    package var file: String
    package var seed: UInt64
    package var devices: UInt32
    package var length: Duration
    package var pushes: UInt64
    /// The number of events of pushes and phones.
    package var events: UInt64
  }

  /// The run or the cells from which a report comes.
  enum Origin: Hashable, Sendable {
    /// A run in one process, whose command had these flags.
    case played(isLive: Bool, flags: [String])
    case cell
    /// As many cells, whose reports were merged; the command plays them again.
    case cells(Int, command: String)
  }

  package let head: Head
  package internal(set) var verdicts: [Verdict]
  package var findings: [Finding] { allFindings.filter { !$0.isHidden } }
  /// With those that only the merged report of all cells may show.
  let allFindings: [Finding]
  private let origin: Origin
  /// The path of a tape of the run: with a real backend, only a tape can reproduce the same run.
  package var tape: String?

  init(_ head: Head, verdicts: [Verdict], findings: [Finding], from origin: Origin) {
    self.head = head
    self.verdicts = verdicts
    allFindings = findings
    self.origin = origin
  }

  private var isLive: Bool { if case .played(let isLive, _) = origin { isLive } else { true } }

  /// Names of failed expectations, and places of steps that could not be performed.
  package var failures: [String] {
    verdicts.filter { !$0.passed }.map(\.name) + findings.filter(\.isFailure).map(\.place)
  }

  /// Number of results: the expectations, and the steps that could not be performed.
  var cases: Int { verdicts.count + findings.count(where: \.isFailure) }

  package var passed: Bool { verdicts.allSatisfy(\.passed) && !findings.contains(where: \.isFailure) }

  /// The command that reproduces the same events, if one exists.
  package var replay: String? { isLive ? tape.map { "pushpit replay " + Self.quoted($0) } : again }

  /// The command that plays it again: identically in virtual time, or with the real backend as it behaves then.
  package var again: String {
    switch origin {
    case .cells(_, let command): command
    case .cell: words([])
    case .played(_, let flags): words(flags)
    }
  }

  private func words(_ flags: [String]) -> String {
    "pushpit \(isLive ? "run" : "simulate") \(Self.quoted(head.file)) --seed \(head.seed)"
      + flags.map { " " + Self.quoted($0) }.joined()
  }

  private static func quoted(_ path: String) -> String {
    let isPlain = path.allSatisfy { $0.isLetter || $0.isNumber || "/._,-".contains($0) }
    return isPlain && !path.isEmpty
      ? path
      : "'"
        + path.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: #"'\''"#) + "'"
  }

  // MARK: - Text

  package var text: String {
    var size = "seed \(head.seed), \(head.devices) devices, \(DurationText.write(head.length))"
    if case .cells(let count, _) = origin { size += ", \(count) cells" }
    let numbers = "\(head.pushes) pushes, \(head.events) events"
    var lines = ["\(passed ? "PASS" : "FAIL")  \(head.name) (\(size)): \(numbers)"]
    for finding in findings {
      let place = "\(finding.place) at \(DurationText.write(finding.at))"
      lines.append("  \(finding.isFailure ? "FAIL" : "note")  \(place): \(finding.sentence)")
    }
    for verdict in verdicts where verdict.wasEvaluated {
      lines.append("  \(verdict.passed ? "ok  " : "FAIL")  \(verdict.title)\(verdict.parts.map { ": \($0)" } ?? "")")
      if !verdict.passed { lines += verdict.details.map { "          " + $0 } }
    }
    if let unevaluated { lines.append("  FAIL  \(unevaluated)") }
    if !passed { lines += ways.map { "  " + $0 } }
    return lines.joined(separator: "\n")
  }

  /// A sentence about the expectations that were not evaluated, because the run ended early.
  package var unevaluated: String? {
    let left = verdicts.filter { !$0.wasEvaluated }
    guard let at = left.first?.time else { return nil }
    let many = left.count == 1 ? "1 expectation was" : "\(left.count) expectations were"
    return "\(many) not evaluated, because the run ended at \(at)."
  }

  /// Sentences on how to reproduce a failure.
  var ways: [String] {
    let replayed = isLive ? replay.map { ["replay with: \($0)"] } ?? [] : []
    return replayed + ["rerun with: \(again)"]
  }

  // MARK: - JSON

  package var json: JSONValue {
    [
      "name": .string(head.name), "file": .string(head.file), "passed": .bool(passed),
      "seed": .integer(Int64(bitPattern: head.seed)), "devices": .integer(Int64(head.devices)),
      "seconds": .double(Double(head.length.wholeNanoseconds) / 1e9),
      "pushes": .integer(Int64(clamping: head.pushes)), "events": .integer(Int64(clamping: head.events)),
      "replay": JSONValue(replay), "again": .string(again), "tape": JSONValue(tape),
      "expectations": .array(verdicts.map(\.json)),
      "findings": .array(
        findings.map { finding in
          [
            "place": .string(finding.place), "at": .string(DurationText.write(finding.at)),
            "sentence": .string(finding.sentence), "failed": .bool(finding.isFailure),
          ]
        }),
    ]
  }
}

extension ScenarioReport.Head {
  init(_ scenario: Scenario, pushes: UInt64, events: UInt64) {
    self.init(
      name: scenario.name, file: scenario.file, seed: scenario.seed, devices: scenario.plan.devices,
      length: scenario.length, pushes: pushes, events: events)
  }
}
