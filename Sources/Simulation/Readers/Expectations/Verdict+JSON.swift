import Grammar
import Timeline
import WireFormats

extension Verdict {
  package static let shape = Shape<Verdict>(members: [
    .init("name", .string) { .string($0.name) },
    .init("place", .string, meaning: "Its place in the list, such as `expect[0]`.") { .string($0.place) },
    .init("at", .string, meaning: "How long the session had been open at the evaluation.") { .string($0.time) },
    .init("passed", .truth) { .bool($0.passed) }, .init("wanted", .string) { .string($0.wanted) },
    .init("found", .string) { .string($0.found) },
    .init("nearest", .string.orNull, meaning: "The nearest match, and how it differs.") { JSONValue($0.nearest) },
    .init("pushes", .list(of: .string), meaning: "The pushes that caused a failure.") {
      .array($0.pushes.map { .string($0) })
    },
    .init("calls", .list(of: .string), meaning: "The calls that caused a failure.") {
      .array($0.calls.map { .string($0) })
    },
    .init("findings", .list(of: .string), meaning: "The findings that caused a failure.") {
      .array($0.findings.map { .string($0) })
    },
  ])

  /// For programs.
  package var json: JSONValue { Self.shape.json(self) }

  /// With what merging needs, for the client that merges.
  package var partJSON: JSONValue {
    var members = Self.shape.written(self)
    if let figures { members.append(.init("figures", figures.json)) }
    if let requirement { members.append(.init("requirement", requirement.json)) }
    return .object(members)
  }
}

extension Verdict {
  package init?(part: JSONValue) {
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
