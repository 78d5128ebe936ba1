import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// Reads what goes wrong: `then` of a fault.
package enum ConsequenceOrder {
  /// Each consequence by name, and what it may be told beside.
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

  /// Every member that `then` may have.
  package static let members: [String] = {
    var all = names
    for entry in table { for detail in entry.details where !all.contains(detail) { all.append(detail) } }
    return all
  }()

  static func read(_ value: JSONValue) throws(AdminProblem) -> Fault.Consequence {
    let form = try Form(value, named: "then", allowed: members)
    let named = table.filter { form[$0.name] != nil }
    guard let entry = named.first, named.count == 1 else {
      throw AdminProblem(
        422,
        named.isEmpty
          ? "then says what goes wrong: one of \(Words.list(names, "or"))."
          : "then says one thing; this says \(Words.list(named.map(\.name))).", field: "then")
    }
    let name = entry.name
    try form.takesOnly([name] + entry.details, because: name)
    switch name {
    case "devices": return try devices(form)
    case "prompts": return .prompts(try prompts(form))
    case "reports": return .reports(try reports(form))
    case "listener": return .listener(try listener(form))
    default:
      if let fault = try push(name, form) { return .push(fault) }
      return .connection(try connection(name, form))
    }
  }

  // MARK: - Pushes

  private static func push(_ name: String, _ form: Form) throws(AdminProblem) -> PushFault? {
    switch name {
    case "answer":
      try refuseStatus(form, name)
      let reason = try form.neededChoice(name, RejectionReason.allCases.map { ($0.rawValue, $0) })
      let age = try duration(form, "age")
      guard age == nil || reason.status == 410 else {
        throw AdminProblem(
          422, "age is how long ago a token died: only Unregistered and ExpiredToken say it.", field: "age")
      }
      return .refuse(
        reason, retryAfter: try form.whole("retryAfter").map { Int($0) }, age: age, pieces: try pieces(form))
    case "delay": return .delay(try delay(form))
    case "silence":
      try isSaid(form, name)
      return .silence
    case "lose":
      try isSaid(form, name)
      return .lose
    case "loseAnswer":
      if case .bool(true)? = form[name] { return .loseAnswer(code: nil) }
      return .loseAnswer(code: try code(form, name))
    case "reset": return .reset(code: try code(form, name))
    case "malformed":
      let status = try form.whole("status") ?? 400
      guard let status = Int(exactly: status), PushFault.statuses.contains(status) else {
        throw AdminProblem(422, "status is from 200 to 599.", field: "status")
      }
      return .malformed(status: status, body: Array((try form.text(name) ?? "").utf8), pieces: try pieces(form))
    case "withoutId":
      try isSaid(form, name)
      return .withoutID
    default: return nil
    }
  }

  /// A status stands for several reasons, of which the answer names one.
  private static func refuseStatus(_ form: Form, _ name: String) throws(AdminProblem) {
    guard let value = form[name], let status = value.integer ?? value.string.flatMap({ Int64($0) }) else { return }
    let reasons = RejectionReason.allCases.filter { Int64($0.status) == status }.map(\.rawValue)
    let which =
      reasons.isEmpty ? "APNs has none of that status." : "status \(status) is \(Words.list(reasons, "or"))."
    throw AdminProblem(422, "\(name) is a reason such as TooManyRequests, not a status; \(which)", field: name)
  }

  /// What is either so or is not said at all.
  private static func isSaid(_ form: Form, _ name: String) throws(AdminProblem) {
    guard try form.truth(name) == true else {
      throw AdminProblem(422, "\(name) is true; a fault that is not to be is taken back with DELETE.", field: name)
    }
  }

  private static func pieces(_ form: Form) throws(AdminProblem) -> FaultPieces? {
    guard let value = form["split"] else {
      for name in ["pause", "ends"] where form[name] != nil {
        throw AdminProblem(
          422, "\(name) is about the pieces of a split body: say split too, such as [5, 3].", field: name)
      }
      return nil
    }
    var sizes: [Int] = []
    for element in value.elements ?? [] {
      guard let size = element.integer.flatMap({ Int(exactly: $0) }), FaultPieces.lengths.contains(size) else {
        throw noSizes
      }
      sizes.append(size)
    }
    guard FaultPieces.counts.contains(sizes.count) else { throw noSizes }
    let ends = try form.choice("ends", FaultPieces.End.allCases.map { ($0.rawValue, $0) })
    return FaultPieces(sizes: sizes, end: ends ?? .last, pause: try duration(form, "pause"))
  }

  private static let noSizes = AdminProblem(
    422, "split is a list of 1 to 100 sizes in bytes, such as [5, 3]; what they leave of the body is one more piece.",
    field: "split")

  private static func delay(_ form: Form) throws(AdminProblem) -> AnswerDelay {
    if let value = form["delay"], value.members != nil {
      let shape = try Form(value, named: "delay", allowed: ["median", "p99", "from", "to"])
      if let median = shape["median"] {
        try shape.takesOnly(["median", "p99"], because: "median")
        guard let p99 = shape["p99"] else { throw AdminProblem(422, "p99 is needed beside median.", field: "p99") }
        return .lognormal(
          median: try FaultOrder.duration(median, "median"), p99: try FaultOrder.duration(p99, "p99"))
      }
      let low = try FaultOrder.duration(shape["from"] ?? 0, "from")
      let high = try FaultOrder.duration(shape["to"] ?? shape["from"] ?? 0, "to")
      guard low <= high else { throw AdminProblem(422, "from is at most to.", field: "from") }
      return .between(low...high)
    }
    let wait = try FaultOrder.duration(form["delay"] ?? 0, "delay")
    return .between(wait...wait)
  }

  static func duration(_ form: Form, _ name: String) throws(AdminProblem) -> Duration? {
    guard let value = form[name] else { return nil }
    return try FaultOrder.duration(value, name)
  }

  /// RFC 9113, section 7: by name.
  private static func code(_ form: Form, _ name: String) throws(AdminProblem) -> UInt32 {
    try form.neededChoice(name, HTTP2ErrorName.all.enumerated().map { ($1, UInt32($0)) })
  }

  // MARK: - Connections

  private static func connection(_ name: String, _ form: Form) throws(AdminProblem) -> ConnectionFault {
    switch name {
    case "goAway": return .goAway(try goAway(form))
    case "streams":
      let back = try back(form)
      let open = try form.choice("open", [("refuse", ConnectionFault.OpenStreams.refuse), ("finish", .finish)])
      return .streams(
        try number(form, name, ConnectionFault.streamCounts), open: open ?? .refuse, surplus: try surplus(form),
        back: back,
        after: try after(form, back))
    case "window":
      let back = try back(form)
      return .window(
        try number(form, name, ConnectionFault.windows), withheld: try form.truth("withheld") ?? false, back: back,
        after: try after(form, back))
    case "freeze":
      try isSaid(form, name)
      return .freeze(answersPings: try form.truth("pings") ?? false)
    case "close":
      try isSaid(form, name)
      return .close
    case "halfClose":
      try isSaid(form, name)
      return .halfClose(saysGoodbye: try form.truth("goodbye") ?? true)
    case "abort":
      try isSaid(form, name)
      return .abort
    case "answerAll": return .sticks(try form.neededChoice(name, RejectionReason.allCases.map { ($0.rawValue, $0) }))
    case "readSlowly": return .readsSlowly(bytesPerSecond: try number(form, name, ConnectionFault.rates))
    default: return .skew(try offset(form, "skew", of: "APNs"))
    }
  }

  private static func number(_ form: Form, _ name: String, _ range: ClosedRange<Int>) throws(AdminProblem) -> Int {
    guard let number = form[name]?.integer.flatMap({ Int(exactly: $0) }), range.contains(number) else {
      throw AdminProblem(422, "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound).", field: name)
    }
    return number
  }

  private static func back(_ form: Form) throws(AdminProblem) -> Int? {
    form["back"] == nil ? nil : try number(form, "back", ConnectionFault.windows)
  }

  private static func after(_ form: Form, _ back: Int?) throws(AdminProblem) -> Duration {
    guard let after = try duration(form, "after") else { return .seconds(1) }
    guard back != nil else {
      throw AdminProblem(422, "after is when the number goes back: say back too, such as 1000.", field: "after")
    }
    return after
  }

  private static func surplus(_ form: Form) throws(AdminProblem) -> SurplusGoAway? {
    guard form["surplus"] != nil else {
      guard form["debug"] == nil else {
        throw AdminProblem(
          422, "debug belongs to the GOAWAY for surplus streams: say surplus too, such as REFUSED_STREAM.",
          field: "debug")
      }
      return nil
    }
    return SurplusGoAway(code: try code(form, "surplus"), debug: Array((try form.text("debug") ?? "").utf8))
  }

  private static func goAway(_ form: Form) throws(AdminProblem) -> FaultGoAway {
    var goAway = FaultGoAway()
    goAway.code = try code(form, "goAway")
    goAway.debug = Array((try form.text("debug") ?? "").utf8)
    goAway.isTwice = try form.truth("twice") ?? false
    goAway.isLast = try form.truth("last") ?? false
    goAway.closes = try form.truth("closes") ?? !goAway.isLast
    goAway.answersPings = try form.truth("pings") ?? false
    if goAway.isLast, goAway.closes || goAway.isTwice {
      throw AdminProblem(
        422, "last says that nothing follows this GOAWAY: neither a second one nor the end of the connection.",
        field: "last")
    }
    if form["pings"] != nil, !goAway.isLast {
      throw AdminProblem(422, "pings is about the silence after the GOAWAY: say last too.", field: "pings")
    }
    if let value = form["before"] {
      guard let number = value.integer.flatMap({ Int(exactly: $0) }), FaultGoAway.reach.contains(number) else {
        throw AdminProblem(
          422, "before is how many streams before this one are the last served, from 0; -1 serves none.",
          field: "before")
      }
      goAway.before = number
    }
    return goAway
  }

  /// A duration that may lie in the past: `-90m`.
  private static func offset(_ form: Form, _ name: String, of what: String) throws(AdminProblem) -> Duration {
    if let text = form[name]?.string, let first = text.first, first == "-" || first == "+",
      let length = DurationText.parse(String(text.dropFirst()))
    {
      return first == "-" ? .zero - length : length
    }
    guard let value = form[name], let offset = try? FaultOrder.duration(value, name) else {
      throw AdminProblem(
        422, "\(name) is by how much the clock of \(what) is ahead, such as 90m, or behind: -90m.", field: name)
    }
    return offset
  }

  // MARK: - Devices, apps and listeners

  private static func devices(_ form: Form) throws(AdminProblem) -> Fault.Consequence {
    func action(_ name: String) throws(AdminProblem) -> DeviceAction? {
      guard let value = form[name] else { return nil }
      return try ActionOrder.read(Form(value, named: name, allowed: ActionOrder.members))
    }
    guard let done = try action("devices") else {
      throw AdminProblem(422, "devices is an action such as {\"do\":\"goOffline\"}.", field: "devices")
    }
    return .devices(done, heal: try action("heal") ?? done.opposite)
  }

  private static func prompts(_ form: Form) throws(AdminProblem) -> PromptFault {
    guard let value = form["prompts"] else { return PromptFault() }
    let shape = try Form(value, named: "prompts", allowed: ["answer", "after"])
    let answer = try shape.choice("answer", PromptHabits.Answer.allCases.map { ($0.rawValue, $0) })
    let after = try duration(shape, "after")
    guard answer != nil || after != nil else {
      throw AdminProblem(
        422, "prompts says how people answer: answer (allow, deny or ignore), after (such as 10m), or both.",
        field: "prompts")
    }
    return PromptFault(answer: answer, after: after)
  }

  private static func reports(_ form: Form) throws(AdminProblem) -> ReportFault {
    guard let value = form["reports"], value.members != nil else {
      return try form.neededChoice("reports", ReportFault.simple)
    }
    let shape = try Form(value, named: "reports", allowed: ["delay", "clock"])
    switch (shape["delay"] != nil, shape["clock"] != nil) {
    case (true, false): return .delay(try delay(shape))
    case (false, true): return .clock(try offset(shape, "clock", of: "the phone"))
    default:
      throw AdminProblem(
        422, "reports is a word such as lose, or {\"delay\": \"30s\"}, or {\"clock\": \"-90m\"}.", field: "reports")
    }
  }

  private static func listener(_ form: Form) throws(AdminProblem) -> ListenerFault {
    var choices: [(name: String, value: ListenerFault)] = [
      ("refuse", .refuse), ("failHandshake", .failHandshake), ("hang", .hang),
    ]
    choices.append(("slowHandshake", .slowHandshake(try duration(form, "after") ?? .seconds(5))))
    choices += ListenerFault.Certificate.allCases.map { ($0.rawValue, .certificate($0)) }
    let fault = try form.neededChoice("listener", choices)
    if form["after"] != nil, form["listener"] != "slowHandshake" {
      throw AdminProblem(
        422, "after is how long a slowHandshake waits; this listener does something else.", field: "after")
    }
    return fault
  }
}
