import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// Reads a fault: `name`, `when`, `odds`, `limit`, `from`, `until`, and `then`.
package enum FaultOrder {
  package static let members = ["name", "when", "odds", "limit", "from", "until", "then"]
  private static let conditions = [
    "environment", "app", "pushType", "priority", "event", "tokenKind", "devices", "os", "share", "connection", "skip",
    "every",
  ]
  private static let consequences = [
    "answer", "delay", "silence", "lose", "loseAnswer", "reset", "malformed", "withoutId", "goAway", "streams",
    "freeze", "close", "abort", "answerAll", "readSlowly", "devices", "listener",
  ]

  /// Reads a fault that stands in a file.
  ///
  /// - Parameter began: what `from` and `until` count from.
  package static func read(_ value: JSONValue, _ fleet: Fleet, at began: Instant) throws(AdminProblem) -> Fault {
    try read(Form(value, named: "a fault", allowed: members), fleet, at: began)
  }

  static func read(_ form: Form, _ fleet: Fleet, at now: Instant) throws(AdminProblem) -> Fault {
    let name = try form.needed("name", "what this fault is called, such as \"slow answers\"")
    guard !name.isEmpty, name.utf8.count <= 100 else {
      throw AdminProblem(422, "name is 1 to 100 bytes of text.", field: "name")
    }
    guard !name.contains(Fault.separator) else {
      throw AdminProblem(422, "name has no control characters.", field: "name")
    }
    guard let then = form["then"] else {
      throw AdminProblem(
        422, "then is needed: what goes wrong, one of \(Words.list(consequences, "or")).", field: "then")
    }
    var fault = Fault(name, try consequence(then))
    if let when = form["when"] { fault.condition = try condition(when, fleet) }
    if let value = form["odds"] { fault.odds = try odds(value, "odds") }
    fault.limit = try form.whole("limit").map { UInt64($0) }
    fault.from = try moment(form, "from", now)
    fault.until = try moment(form, "until", now)
    if let from = fault.from, let until = fault.until, until <= from {
      throw AdminProblem(422, "until is after from; both count from now.", field: "until")
    }
    return fault
  }

  /// A time from now, as a duration or in seconds.
  private static func moment(_ form: Form, _ name: String, _ now: Instant) throws(AdminProblem) -> Instant? {
    guard let value = form[name] else { return nil }
    return now.advanced(by: try duration(value, name))
  }

  private static func duration(_ value: JSONValue, _ name: String) throws(AdminProblem) -> Duration {
    switch value {
    case .string(let text): if let duration = DurationText.parse(text) { return duration }
    case .integer(let seconds) where (0...100_000_000).contains(seconds): return .seconds(seconds)
    default: break
    }
    throw AdminProblem(422, "\(name) is a duration such as 90s or 500ms, or a number of seconds.", field: name)
  }

  /// A number from 0 to 1, or a share such as 30%.
  private static func odds(_ value: JSONValue, _ name: String) throws(AdminProblem) -> Odds {
    var number = value.number
    if let text = value.string, text.hasSuffix("%") { number = Double(text.dropLast()).map { $0 / 100 } }
    guard let number, (0...1).contains(number) else {
      throw AdminProblem(422, "\(name) is a number from 0 to 1, or a share such as \"30%\".", field: name)
    }
    return Odds(UInt64((number * 1_000_000).rounded()), in: 1_000_000)
  }

  // MARK: - When

  private static func condition(_ value: JSONValue, _ fleet: Fleet) throws(AdminProblem) -> FaultCondition {
    let form = try Form(value, named: "when", allowed: conditions)
    var condition = FaultCondition()
    condition.environment = try form.choice("environment", Environment.allCases.map { ($0.rawValue, $0) })
    if let app = try form.text("app") {
      let apps = fleet.plan.apps.map(\.bundleID)
      guard apps.contains(app) else {
        throw AdminProblem(
          422, "There is no app \(Words.quoted(app)); the fleet has \(Words.list(apps)).", field: "app")
      }
      condition.app = app
    }
    condition.pushType = try form.choice("pushType", PushType.allCases.map { ($0.rawValue, $0) })
    if let number = try form.whole("priority") {
      guard let priority = Priority(rawValue: Int(number))
      else { throw AdminProblem(422, "priority is 10, 5 or 1.", field: "priority") }
      condition.priority = priority
    }
    condition.event = try form.choice("event", ["start", "update", "end"].map { ($0, $0) })
    condition.tokenKind = try form.choice("tokenKind", TokenKind.allCases.map { ($0.name, $0) })
    if let list = form["devices"] {
      guard let names = list.elements, names.count <= 100_000 else {
        throw AdminProblem(422, "devices is a list of ids such as [\"d17\"].", field: "devices")
      }
      var devices: Set<DeviceID> = []
      for name in names {
        guard let device = name.string.flatMap({ DeviceID($0) }), fleet.contains(device) else {
          throw AdminProblem(
            422, "devices is a list of ids from d0 to d\(fleet.plan.devices - 1).", field: "devices")
        }
        devices.insert(device)
      }
      condition.devices = devices
    }
    condition.os = try form.whole("os").map { Int($0) }
    if let share = form["share"] { condition.share = try odds(share, "share") }
    condition.connection = try form.whole("connection").map { UInt64($0) }
    condition.skip = UInt64(try form.whole("skip") ?? 0)
    condition.every = UInt64(max(1, try form.whole("every") ?? 1))
    return condition
  }

  // MARK: - Then

  private static func consequence(_ value: JSONValue) throws(AdminProblem) -> Fault.Consequence {
    let details = [
      "retryAfter", "age", "afterDelivery", "status", "debug", "closes", "before", "twice", "back", "after", "pings",
      "heal",
    ]
    let form = try Form(value, named: "then", allowed: consequences + details)
    let named = consequences.filter { form[$0] != nil }
    guard let name = named.first, named.count == 1 else {
      throw AdminProblem(
        422,
        named.isEmpty
          ? "then says what goes wrong: one of \(Words.list(consequences, "or"))."
          : "then says one thing; this says \(Words.list(named)).", field: "then")
    }
    switch name {
    case "answer":
      let reason = try form.neededChoice(name, RejectionReason.allCases.map { ($0.rawValue, $0) })
      var age: Duration?
      if let value = form["age"] { age = try duration(value, "age") }
      return .push(.refuse(reason, retryAfter: try form.whole("retryAfter").map { Int($0) }, age: age))
    case "delay": return .push(.delay(try delay(form)))
    case "silence": return .push(.silence)
    case "lose": return .push(.lose)
    case "loseAnswer":
      if case .bool? = form[name] { return .push(.loseAnswer(code: nil)) }
      return .push(.loseAnswer(code: try code(form, name)))
    case "reset": return .push(.reset(code: try code(form, name)))
    case "malformed":
      let text = try form.text(name) ?? ""
      let status = try form.whole("status") ?? 400
      guard (200...599).contains(status) else { throw AdminProblem(422, "status is from 200 to 599.", field: "status") }
      return .push(.malformed(status: Int(status), body: Array(text.utf8)))
    case "withoutId": return .push(.withoutID)
    case "goAway": return .connection(.goAway(try goAway(form)))
    case "streams":
      let after: Duration
      if let value = form["after"] { after = try duration(value, "after") } else { after = .seconds(1) }
      return .connection(
        .streams(
          Int(clamping: try form.whole(name) ?? 1), back: try form.whole("back").map { Int(clamping: $0) },
          after: after))
    case "freeze": return .connection(.freeze(answersPings: try form.truth("pings") ?? false))
    case "close": return .connection(.close)
    case "abort": return .connection(.abort)
    case "answerAll":
      return .connection(.sticks(try form.neededChoice(name, RejectionReason.allCases.map { ($0.rawValue, $0) })))
    case "readSlowly":
      return .connection(.readsSlowly(bytesPerSecond: Int(clamping: max(1, try form.whole(name) ?? 1))))
    case "devices": return try devices(form)
    default: return .listener(try listener(form))
    }
  }

  private static func delay(_ form: Form) throws(AdminProblem) -> AnswerDelay {
    if let value = form["delay"], value.members != nil {
      let shape = try Form(value, named: "delay", allowed: ["median", "p99", "from", "to"])
      if let median = shape["median"] {
        guard let p99 = shape["p99"] else { throw AdminProblem(422, "p99 is needed beside median.", field: "p99") }
        return .lognormal(median: try duration(median, "median"), p99: try duration(p99, "p99"))
      }
      let low = try duration(shape["from"] ?? 0, "from")
      let high = try duration(shape["to"] ?? shape["from"] ?? 0, "to")
      guard low <= high else { throw AdminProblem(422, "from is at most to.", field: "from") }
      return .between(low...high)
    }
    let wait = try duration(form["delay"] ?? 0, "delay")
    return .between(wait...wait)
  }

  private static let codes = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
    "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
  ]

  /// RFC 9113, section 7: by name.
  private static func code(_ form: Form, _ name: String) throws(AdminProblem) -> UInt32 {
    try form.neededChoice(name, codes.enumerated().map { ($1, UInt32($0)) })
  }

  private static func goAway(_ form: Form) throws(AdminProblem) -> FaultGoAway {
    var goAway = FaultGoAway()
    goAway.code = try code(form, "goAway")
    goAway.debug = Array((try form.text("debug") ?? "").utf8)
    goAway.closes = try form.truth("closes") ?? true
    goAway.isTwice = try form.truth("twice") ?? false
    if let value = form["before"] {
      guard let number = value.integer, (-1...1000).contains(number) else {
        throw AdminProblem(
          422, "before is how many streams before this one are the last served, from 0; -1 serves none.",
          field: "before")
      }
      goAway.before = Int(number)
    }
    return goAway
  }

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

  private static func listener(_ form: Form) throws(AdminProblem) -> ListenerFault {
    var choices: [(name: String, value: ListenerFault)] = [
      ("refuse", .refuse), ("failHandshake", .failHandshake), ("hang", .hang),
    ]
    let after: Duration
    if let value = form["after"] { after = try duration(value, "after") } else { after = .seconds(5) }
    choices.append(("slowHandshake", .slowHandshake(after)))
    choices += ListenerFault.Certificate.allCases.map { ($0.rawValue, .certificate($0)) }
    return try form.neededChoice("listener", choices)
  }
}

extension DeviceAction {
  /// What takes it back, where that is plain.
  var opposite: DeviceAction? {
    switch self {
    case .goOffline: .goOnline
    case .goOnline: .goOffline
    case .lock: .unlock
    case .unlock: .lock
    case .flip(let what, let on, let app): .flip(what, on: !on, app: app)
    case .uninstall(let app): .reinstall(app: app, opens: true)
    default: nil
    }
  }
}
