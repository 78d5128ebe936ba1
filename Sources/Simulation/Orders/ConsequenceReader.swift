import APNs
import Devices
import Grammar
import Timeline
import WireFormats

/// Reads `then` of a fault: what goes wrong.
package enum ConsequenceReader {
  /// Each consequence by name, with its further keys.
  package static let table: [(name: String, details: [String])] =
    PushFault.words + ConnectionFault.words + [
      ("devices", ["heal"]), ("prompts", []), ("calls", []), ("listener", ["after"]),
    ]

  package static let names = table.map(\.name)

  /// Every key that `then` may have.
  package static let members: [String] = {
    var all = names
    for entry in table { for detail in entry.details where !all.contains(detail) { all.append(detail) } }
    return all
  }()

  static func read(_ node: SourceNode) throws(InputProblem) -> Fault.Consequence {
    let fields = try Fields(node, "then", known: members)
    let named = table.filter { fields.has($0.name) }
    guard let entry = named.first, named.count == 1 else {
      throw fields.problem(
        "then",
        named.isEmpty
          ? "then must name one consequence: \(Wording.list(names, "or"))."
          : "then must name only one consequence; this one names \(Wording.list(named.map(\.name))).")
    }
    let name = entry.name
    try fields.takesOnly([name] + entry.details, because: name)
    if case .isTrue? = types[name] { try isSaid(fields, name) }
    switch name {
    case "devices": return try devices(fields)
    case "prompts": return .prompts(try prompts(fields))
    case "calls": return .reports(try calls(fields))
    case "listener": return .listener(try listener(fields))
    default:
      if let fault = try PushFault(name, fields) { return .push(fault) }
      return .connection(try ConnectionFault(name, fields))
    }
  }

  // MARK: - Values

  /// A flag that is either true or missing.
  private static func isSaid(_ fields: Fields, _ name: String) throws(InputProblem) {
    guard try fields.truth(name) == true else {
      throw fields.problem(name, "\(name) must be true; to delete the fault, use DELETE.")
    }
  }

  static func delay(_ fields: Fields) throws(InputProblem) -> AnswerDelay {
    if let node = fields["delay"], node.entries != nil {
      let shape = try Fields(node, "delay", known: ["median", "p99", "from", "to"])
      if let median = try shape.duration("median") {
        try shape.takesOnly(["median", "p99"], because: "median")
        guard let p99 = try shape.duration("p99") else {
          throw shape.problem("p99", "p99 is required with median.", code: .missingKey)
        }
        return .lognormal(
          median: median, p99: p99)
      }
      let low = try shape.duration("from") ?? .zero
      let high = try shape.duration("to") ?? low
      guard low <= high else { throw fields.problem("from", "from must not be larger than to.") }
      return .between(low...high)
    }
    let wait = try fields.duration("delay") ?? .zero
    return .between(wait...wait)
  }

  /// An error code of HTTP/2, by its name (RFC 9113, section 7).
  static func code(_ fields: Fields, _ name: String) throws(InputProblem) -> UInt32 {
    try fields.neededChoice(name, HTTP2ErrorName.all.enumerated().map { ($1, UInt32($0)) })
  }

  /// A duration that may be negative: `-90m`.
  static func offset(_ fields: Fields, _ name: String, of what: String) throws(InputProblem) -> Duration {
    if let text = fields[name]?.spelling, let first = text.first, first == "-" || first == "+",
      let length = DurationText.parse(String(text.dropFirst()))
    {
      return first == "-" ? .zero - length : length
    }
    guard let offset = fields[name].flatMap(Fields.duration) else {
      throw fields.problem(name, "\(name) must be how far the clock of \(what) is ahead (90m) or behind (-90m).")
    }
    return offset
  }

  // MARK: - Devices, apps and listeners

  private static func devices(_ fields: Fields) throws(InputProblem) -> Fault.Consequence {
    func action(_ name: String) throws(InputProblem) -> DeviceAction? {
      guard let node = fields[name] else { return nil }
      return try ActionReader.read(Fields(node, name, known: ActionReader.members))
    }
    guard let done = try action("devices") else {
      throw fields.problem("devices", "devices must be an action such as {\"do\":\"goOffline\"}.")
    }
    return .devices(done, heal: try action("heal") ?? done.opposite)
  }

  private static func prompts(_ fields: Fields) throws(InputProblem) -> PromptFault {
    guard let node = fields["prompts"] else { return PromptFault() }
    let shape = try Fields(node, "prompts", known: ["answer", "after"])
    let answer = try shape.choice("answer", PromptPolicy.Answer.allCases.map { ($0.rawValue, $0) })
    let after = try shape.duration("after")
    guard answer != nil || after != nil else {
      throw fields.problem(
        "prompts", "prompts must have answer (allow, deny or ignore), after (such as 10m), or both.")
    }
    return PromptFault(answer: answer, after: after)
  }

  private static func calls(_ fields: Fields) throws(InputProblem) -> ReportFault {
    guard let node = fields["calls"], node.entries != nil else {
      return try fields.neededChoice("calls", ReportFault.simple)
    }
    let shape = try Fields(node, "calls", known: ["delay", "clock"])
    switch (shape.has("delay"), shape.has("clock")) {
    case (true, false): return .delay(try delay(shape))
    case (false, true): return .clock(try offset(shape, "clock", of: "the phone"))
    default:
      throw fields.problem(
        "calls", "calls must be a word such as lose, or {\"delay\": \"30s\"}, or {\"clock\": \"-90m\"}.")
    }
  }

  private static func listener(_ fields: Fields) throws(InputProblem) -> ListenerFault {
    var choices: [(name: String, value: ListenerFault)] = [
      ("refuse", .refuse), ("failHandshake", .failHandshake), ("hang", .hang),
    ]
    choices.append(("slowHandshake", .slowHandshake(try fields.duration("after") ?? .seconds(5))))
    choices += ListenerFault.CertificateFault.allCases.map { ($0.rawValue, .certificate($0)) }
    let fault = try fields.neededChoice("listener", choices)
    if fields.has("after"), fields.json("listener") != "slowHandshake" {
      throw fields.problem("after", "after is the delay of slowHandshake; it is not valid for this listener fault.")
    }
    return fault
  }
}

/// The types, for the published schema.
extension ConsequenceReader {
  package static let type = ValueType.members(members.compactMap { name in types[name].map { (name, $0) } })

  static let reasons = ValueType.words(RejectionReason.allCases.map(\.rawValue))
  static let codes = ValueType.words(HTTP2ErrorName.all)
  static let delays = ValueType.either([
    .duration,
    .members([("median", .duration), ("p99", .duration), ("from", .duration), ("to", .duration)]),
  ])

  private static let own: [String: ValueType] = [
    "devices": ActionReader.type, "heal": ActionReader.type,
    "prompts": .members([
      ("answer", .words(PromptPolicy.Answer.allCases.map(\.rawValue))), ("after", .duration),
    ]),
    "calls": .either([
      .words(ReportFault.simple.map(\.name)), .members([("delay", delays), ("clock", .offset)]),
    ]),
    "listener": .words(
      ["refuse", "failHandshake", "hang", "slowHandshake"]
        + ListenerFault.CertificateFault.allCases.map(\.rawValue)),
  ]

  /// A detail of several consequences has the same type in all.
  private static let types = own.merging(PushFault.types) { first, _ in first }
    .merging(ConnectionFault.types) { first, _ in first }
}
