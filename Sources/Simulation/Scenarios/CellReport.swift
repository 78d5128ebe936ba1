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
      let verdicts = part["expectations"]?.elements?.map(Scenario.Verdict.init(part:)),
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

extension Scenario.Verdict {
  fileprivate init?(part: JSONValue) {
    func texts(_ key: String) -> [String] { (part[key]?.elements ?? []).compactMap(\.string) }
    guard let name = part["name"]?.string, let place = part["place"]?.string,
      let at = part["at"]?.string.flatMap(DurationText.parse), let passed = part["passed"]?.truth,
      let wanted = part["wanted"]?.string, let found = part["found"]?.string
    else { return nil }
    self.init(name: name, place: place, at: at, passed: passed)
    (self.wanted, self.found, nearest) = (wanted, found, part["nearest"]?.string)
    (pushes, calls, findings) = (texts("pushes"), texts("calls"), texts("findings"))
    figures = part["figures"].flatMap(Figures.init)
    requirement = part["requirement"].flatMap(Requirement.init)
    isSometimes = requirement.map { $0.kind == .sometimes || $0.kind == .someDelays } ?? false
  }
}

extension Figures {
  var json: JSONValue {
    [
      "meant": JSONValue(meant), "met": JSONValue(met), "seen": .bool(isSeen), "reached": JSONValue(reached),
      "overdue": JSONValue(overdue),
      "alike": .array(
        alike.map { .array([.string("\($0.key)"), JSONValue($0.meant), JSONValue($0.met)]) }),
    ]
  }

  init?(_ json: JSONValue) {
    // Limited, so that the sum over all cells cannot overflow.
    func whole(_ value: JSONValue?) -> Int? {
      value?.integer.flatMap { (0...1 << 48).contains($0) ? Int($0) : nil }
    }
    guard let meant = whole(json["meant"]), let met = whole(json["met"]), let isSeen = json["seen"]?.truth,
      let reached = whole(json["reached"]), let overdue = whole(json["overdue"]), let list = json["alike"]?.elements
    else { return nil }
    self.init(meant: meant, met: met, isSeen: isSeen)
    (self.reached, self.overdue) = (reached, overdue)
    alike = list.compactMap { entry in
      guard let parts = entry.elements, parts.count == 3, let key = parts[0].string.flatMap({ UInt64($0) }),
        let meant = whole(parts[1]), let met = whole(parts[2])
      else { return nil }
      return Alike(key: key, meant: meant, met: met)
    }
  }
}

extension Requirement {
  var json: JSONValue {
    [
      "kind": .string(kind.rawValue),
      "range": range.map { .array([JSONValue($0.lowerBound), JSONValue($0.upperBound)]) } ?? .null,
      "nothing": JSONValue(nothing), "names": .array(names.map { .string($0) }),
    ]
  }

  init?(_ json: JSONValue) {
    guard let kind = json["kind"]?.string.flatMap(Kind.init) else { return nil }
    let bounds = (json["range"]?.elements ?? []).compactMap(\.integer).compactMap { Int(exactly: $0) }
    self.init(
      kind: kind, range: bounds.count == 2 && bounds[0] <= bounds[1] ? bounds[0]...bounds[1] : nil,
      nothing: json["nothing"]?.string, names: (json["names"]?.elements ?? []).compactMap(\.string))
  }
}
