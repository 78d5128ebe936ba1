import Simulation
import Timeline
import WireFormats

/// The report of a cell as JSON, for the client that merges.
extension ScenarioReport {
  package var part: JSONValue {
    [
      "name": .string(head.name), "file": .string(head.file), "seed": .string("\(head.seed)"),
      "devices": .integer(Int64(head.devices)), "length": .string(DurationText.exact(head.length)),
      "pushes": .integer(Int64(clamping: head.pushes)), "events": .integer(Int64(clamping: head.events)),
      "expectations": .array(verdicts.map(\.partJSON)),
      "findings": .array(allFindings.map(\.json)),
    ]
  }

  /// Nil if the JSON is not such a report.
  package init?(part: JSONValue) {
    guard let name = part["name"]?.string, let file = part["file"]?.string,
      let seed = part["seed"]?.string.flatMap({ UInt64($0) }),
      let devices = part["devices"]?.integer.flatMap({ UInt32(exactly: $0) }),
      let length = part["length"]?.string.flatMap(DurationText.parse),
      let pushes = part["pushes"]?.integer.flatMap({ UInt64(exactly: $0) }),
      let events = part["events"]?.integer.flatMap({ UInt64(exactly: $0) }),
      let verdicts = part["expectations"]?.elements?.map(Verdict.init(part:)),
      let findings = part["findings"]?.elements?.map(Finding.init)
    else { return nil }
    let (readVerdicts, readFindings) = (verdicts.compactMap(\.self), findings.compactMap(\.self))
    guard readVerdicts.count == verdicts.count, readFindings.count == findings.count else { return nil }
    self.init(
      Head(
        name: name, file: file, seed: seed, devices: devices, length: length, pushes: pushes, events: events),
      verdicts: readVerdicts, findings: readFindings, from: .cell)
  }
}

extension ScenarioReport.Finding {
  fileprivate var json: JSONValue {
    [
      "place": .string(place), "at": .string(DurationText.exact(at)), "sentence": .string(sentence),
      "failed": .bool(isFailure), "needsAllCells": .bool(needsAllCells), "hidden": .bool(isHidden),
      "counts": .bool(hasCount),
    ]
  }

  fileprivate init?(_ json: JSONValue) {
    guard let place = json["place"]?.string, let at = json["at"]?.string.flatMap(DurationText.parse),
      let sentence = json["sentence"]?.string, let isFailure = json["failed"]?.truth,
      let needsAllCells = json["needsAllCells"]?.truth, let isHidden = json["hidden"]?.truth,
      let hasCount = json["counts"]?.truth
    else { return nil }
    self.init(
      place: place, at: at, sentence: sentence, isFailure: isFailure, needsAllCells: needsAllCells,
      isHidden: isHidden, hasCount: hasCount)
  }
}
