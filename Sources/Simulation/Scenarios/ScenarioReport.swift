import Timeline
import WireFormats

/// The result of playing a scenario. The same scenario gives the same report, byte for byte.
package struct ScenarioReport: Hashable, Sendable {
  /// A note about a step for the scenario's author.
  package struct Finding: Hashable, Sendable {
    package let place: String
    package let at: Duration
    package let sentence: String
    /// Whether the step could not be performed at all.
    package let isFailure: Bool
    /// Whether it says something of the whole fleet only if every cell says so: that nothing was done, for example.
    var needsAllCells = false
    /// Whether the report of a single cell leaves it out.
    var isHidden = false
  }

  package let name: String
  package let file: String
  package let seed: UInt64
  package let devices: UInt32
  package let length: Duration
  package let pushes: UInt64
  package let events: UInt64
  package internal(set) var verdicts: [Scenario.Verdict]
  package var findings: [Finding] { allFindings.filter { !$0.isHidden } }
  /// With those that only the merged report of all cells may show.
  let allFindings: [Finding]
  /// The number of cells whose reports were merged.
  private let cells: Int?
  /// The command that plays a merged report again.
  private let command: String?
  /// The path of a tape of the run: with a real backend, only a tape can reproduce the same run.
  package var tape: String?
  private let isLive: Bool
  private let flags: [String]

  init(
    _ scenario: Scenario, pushes: UInt64, events: UInt64, verdicts: [Scenario.Verdict], findings: [Finding],
    pace: ScenarioDirector.Pace, flags: [String]
  ) {
    isLive = pace == .live
    self.flags = flags
    name = scenario.name
    file = scenario.file
    seed = scenario.seed
    devices = scenario.plan.devices
    length = scenario.length
    self.pushes = pushes
    self.events = events
    self.verdicts = verdicts
    allFindings = findings
    (cells, command) = (nil, nil)
  }

  /// The report of one cell or, with their number and a command, of all.
  init(
    _ head: Head, verdicts: [Scenario.Verdict], findings: [Finding], cells: Int? = nil, command: String? = nil
  ) {
    (isLive, flags) = (true, [])
    (name, file, seed, devices) = (head.name, head.file, head.seed, head.devices)
    (length, pushes, events) = (head.length, head.pushes, head.events)
    self.verdicts = verdicts
    allFindings = findings
    self.cells = cells
    self.command = command
  }

  /// What a report begins with.
  struct Head: Hashable, Sendable {
    var name: String
    var file: String
    var seed: UInt64
    var devices: UInt32
    var length: Duration
    var pushes: UInt64
    var events: UInt64
  }

  var head: Head {
    Head(name: name, file: file, seed: seed, devices: devices, length: length, pushes: pushes, events: events)
  }

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
    command ?? "pushpit \(isLive ? "run" : "simulate") \(Self.quoted(file)) --seed \(seed)"
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
    let size =
      "seed \(seed), \(devices) devices, \(DurationText.write(length))" + (cells.map { ", \($0) cells" } ?? "")
    var lines = ["\(passed ? "PASS" : "FAIL")  \(name) (\(size)): \(pushes) pushes, \(events) events"]
    for finding in findings {
      let place = "\(finding.place) at \(DurationText.write(finding.at))"
      lines.append("  \(finding.isFailure ? "FAIL" : "note")  \(place): \(finding.sentence)")
    }
    for verdict in verdicts {
      lines.append("  \(verdict.passed ? "ok  " : "FAIL")  \(verdict.title)\(verdict.parts.map { ": \($0)" } ?? "")")
      if !verdict.passed { lines += verdict.details.map { "          " + $0 } }
    }
    if !passed { lines += ways.map { "  " + $0 } }
    return lines.joined(separator: "\n")
  }

  /// What to do after a failure.
  var ways: [String] {
    let replayed = isLive ? replay.map { ["replay with: \($0)"] } ?? [] : []
    return replayed + ["rerun with: \(again)"]
  }

  // MARK: - JSON

  package var json: JSONValue {
    [
      "name": .string(name), "file": .string(file), "passed": .bool(passed),
      "seed": .integer(Int64(bitPattern: seed)), "devices": .integer(Int64(devices)),
      "seconds": .double(Double(length.wholeNanoseconds) / 1e9), "pushes": .integer(Int64(clamping: pushes)),
      "events": .integer(Int64(clamping: events)), "replay": JSONValue(replay),
      "again": .string(again), "tape": JSONValue(tape),
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

extension Scenario.Verdict {
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
