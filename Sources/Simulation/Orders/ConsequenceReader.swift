import APNs
import Devices
import Grammar
import Timeline
import WireFormats

/// Reads `then` of a fault: what goes wrong.
package enum ConsequenceReader {
  /// Each consequence by name, with its further keys.
  package static let table: [(name: String, details: [String])] = [
    ("answer", ["retryAfter", "age", "split", "pause", "ends"]), ("delay", []), ("silence", []), ("lose", []),
    ("loseAnswer", []), ("reset", []), ("malformed", ["status", "split", "pause", "ends"]), ("withoutId", []),
    ("goAway", ["debug", "closes", "before", "twice", "last", "pings"]),
    ("streams", ["open", "surplus", "debug", "back", "after"]), ("window", ["withheld", "back", "after"]),
    ("freeze", ["pings"]), ("close", []), ("halfClose", ["goodbye"]), ("abort", []), ("answerAll", []),
    ("readSlowly", []), ("skew", []), ("devices", ["heal"]), ("prompts", []), ("reports", []),
    ("listener", ["after"]),
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
    switch name {
    case "devices": return try devices(fields)
    case "prompts": return .prompts(try prompts(fields))
    case "reports": return .reports(try reports(fields))
    case "listener": return .listener(try listener(fields))
    default:
      if let fault = try push(name, fields) { return .push(fault) }
      return .connection(try connection(name, fields))
    }
  }

  // MARK: - Pushes

  private static func push(_ name: String, _ fields: Fields) throws(InputProblem) -> PushFault? {
    switch name {
    case "answer":
      try refuseStatus(fields, name)
      let reason = try fields.neededChoice(name, RejectionReason.allCases.map { ($0.rawValue, $0) })
      let age = try fields.duration("age")
      guard age == nil || reason.status == 410 else {
        throw fields.problem(
          "age", "age, how long ago the token died, is valid only for Unregistered and ExpiredToken.")
      }
      return .refuse(
        reason, retryAfter: try fields.whole("retryAfter").map { Int($0) }, age: age, pieces: try pieces(fields))
    case "delay": return .delay(try delay(fields))
    case "silence":
      try isSaid(fields, name)
      return .silence
    case "lose":
      try isSaid(fields, name)
      return .lose
    case "loseAnswer":
      if case .bool(true)? = fields.json(name) { return .loseAnswer(code: nil) }
      return .loseAnswer(code: try code(fields, name))
    case "reset": return .reset(code: try code(fields, name))
    case "malformed":
      let status = try fields.whole("status") ?? 400
      guard let status = Int(exactly: status), PushFault.statuses.contains(status) else {
        throw fields.problem("status", "status must be from 200 to 599.")
      }
      return .malformed(status: status, body: Array((try fields.text(name) ?? "").utf8), pieces: try pieces(fields))
    case "withoutId":
      try isSaid(fields, name)
      return .withoutID
    default: return nil
    }
  }

  /// A status stands for several reasons; the answer needs one of them.
  private static func refuseStatus(_ fields: Fields, _ name: String) throws(InputProblem) {
    guard let value = fields.json(name), let status = value.integer ?? value.string.flatMap({ Int64($0) }) else {
      return
    }
    let reasons = RejectionReason.allCases.filter { Int64($0.status) == status }.map(\.rawValue)
    let which =
      reasons.isEmpty ? "APNs has no reason with that status." : "status \(status) is \(Wording.list(reasons, "or"))."
    throw fields.problem(name, "\(name) must be a reason such as TooManyRequests, not a status; \(which)")
  }

  /// A flag that is either true or missing.
  static func isSaid(_ fields: Fields, _ name: String) throws(InputProblem) {
    guard try fields.truth(name) == true else {
      throw fields.problem(name, "\(name) must be true; to remove the fault, use DELETE.")
    }
  }

  private static func pieces(_ fields: Fields) throws(InputProblem) -> FaultBodySplit? {
    guard let value = fields.json("split") else {
      for name in ["pause", "ends"] where fields.has(name) {
        throw fields.problem(name, "\(name) is about the pieces of a split body; it needs split, such as [5, 3].")
      }
      return nil
    }
    var sizes: [Int] = []
    for element in value.elements ?? [] {
      guard let size = element.integer.flatMap({ Int(exactly: $0) }), FaultBodySplit.lengths.contains(size) else {
        throw noSizes(fields)
      }
      sizes.append(size)
    }
    guard FaultBodySplit.counts.contains(sizes.count) else { throw noSizes(fields) }
    let ends = try fields.choice("ends", FaultBodySplit.End.allCases.map { ($0.rawValue, $0) })
    return FaultBodySplit(sizes: sizes, end: ends ?? .last, pause: try fields.duration("pause"))
  }

  private static func noSizes(_ fields: Fields) -> InputProblem {
    fields.problem(
      "split",
      "split must be a list of 1 to 100 sizes in bytes, such as [5, 3]; the rest of the body is one more piece.")
  }

  private static func delay(_ fields: Fields) throws(InputProblem) -> AnswerDelay {
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

  /// By name (RFC 9113, section 7).
  static func code(_ fields: Fields, _ name: String) throws(InputProblem) -> UInt32 {
    try fields.neededChoice(name, HTTP2ErrorName.all.enumerated().map { ($1, UInt32($0)) })
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

  private static func reports(_ fields: Fields) throws(InputProblem) -> ReportFault {
    guard let node = fields["reports"], node.entries != nil else {
      return try fields.neededChoice("reports", ReportFault.simple)
    }
    let shape = try Fields(node, "reports", known: ["delay", "clock"])
    switch (shape.has("delay"), shape.has("clock")) {
    case (true, false): return .delay(try delay(shape))
    case (false, true): return .clock(try offset(shape, "clock", of: "the phone"))
    default:
      throw fields.problem(
        "reports", "reports must be a word such as lose, or {\"delay\": \"30s\"}, or {\"clock\": \"-90m\"}.")
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
