import APNs
import Devices
import Grammar
import Orders
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Reads expectations, and rejects those that can never be evaluated.
struct ExpectationReader {
  static let subjects = [
    "pushes", "screens", "events", "calls", "findings", "connections", "delay", "converged",
    "broadcasts", "arrivals",
  ]
  static let claims = ["count", "all", "none", "sometimes", "ordered"]
  static let keys = ["name", "at", "within", "of"] + subjects + claims + ["show", "on"]
  static let pushKeys = [
    "status", "sent", "reason", "fate", "cause", "outcome", "device", "devices", "app", "pushType", "priority",
    "tokenKind", "step", "event", "headers", "payload", "fault", "connection", "environment", "apnsId",
  ]
  static let callKeys = ["event", "app", "device", "devices", "status", "failure", "body"]
  static let shapeKeys = ["cards", "card", "notifications", "notification", "badge"]
  static let eventKeys = ["event", "device", "devices", "app"]

  let scenarioNames: ScenarioNames
  let steps: [Scenario.Step]
  let isAlone: Bool

  /// - Parameter isAlone: whether only the scenario's own steps send pushes.
  init(_ scenarioNames: ScenarioNames, _ steps: [Scenario.Step], isAlone: Bool) {
    self.scenarioNames = scenarioNames
    self.isAlone = isAlone
    self.steps = steps
  }

  func read(_ node: SourceNode?) throws(InputProblem) -> [Expectation] {
    guard let node else { return [] }
    guard let sequence = node.elements else {
      throw InputProblem(node.place, "expect must be a list, each entry beginning with a dash.")
    }
    guard sequence.count <= Scenario.mostExpectations else {
      throw InputProblem(
        sequence[Scenario.mostExpectations].place, "expect must have at most \(Scenario.mostExpectations) expectations."
      )
    }
    var list: [Expectation] = []
    for element in sequence { list.append(try one(element)) }
    return list
  }

  func one(_ node: SourceNode) throws(InputProblem) -> Expectation {
    let fields = try Fields(node, "an expectation", known: Self.keys)
    let subjects = fields.those(of: Self.subjects)
    guard let subject = subjects.first, subjects.count == 1 else {
      throw fields.problem(nil, "an expectation must be about one of \(Wording.list(Self.subjects, "or")).")
    }
    let (question, words): (Question, String) =
      switch subject {
      case "pushes": try pushes(fields)
      case "screens": try screens(fields)
      case "calls": try calls(fields)
      case "findings": try findings(fields)
      case "connections": try connections(fields)
      case "delay": try delay(fields)
      case "converged": try converged(fields)
      case "broadcasts", "arrivals": try broadcasts(fields, subject)
      default: try events(fields)
      }
    let (at, window) = try time(fields)
    return Expectation(
      name: try fields.spelling("name") ?? words, place: fields.place(), at: at, window: window, question: question)
  }

  // MARK: - Times

  private func time(
    _ fields: Fields
  ) throws(InputProblem) -> (at: Duration?, window: ClosedRange<Duration>?) {
    let at = try fields.duration("at")
    guard let within = try fields.duration("within") else {
      if fields.has("of") {
        throw fields.problem("of", "of names the step that within counts from; it needs within.")
      }
      return (at, nil)
    }
    guard at == nil else {
      throw fields.problem("at", "at and within cannot be combined.")
    }
    guard let name = try fields.text("of") else { return (within, .zero...within) }
    let (first, last) = try span(of: name, fields, "of")
    return (last + within, first...(last + within))
  }

  /// The first and last time of a step.
  private func span(
    of name: String, _ fields: Fields, _ key: String
  ) throws(InputProblem) -> (Duration, Duration) {
    let found = steps.filter { $0.name == name }
    guard let first = found.map(\.first).min(), let last = found.map(\.last).max() else {
      throw unknownStep(name, fields: fields, key: key)
    }
    return (first, last)
  }

  func unknownStep(_ name: String, fields: Fields, key: String) -> InputProblem {
    let names = steps.compactMap(\.name)
    let near = SpellingSuggestion.nearest(to: name, among: names).map { "did you mean \($0)?" }
    let known =
      names.isEmpty ? "no step of this scenario has a name." : "the ones with a name are \(Wording.list(names))."
    return fields.problem(key, "this can never be evaluated: no step is called \(name); \(near ?? known)")
  }

  // MARK: - Pushes

  /// True if anything sends pushes: a step, or a backend.
  var isPushing: Bool {
    !isAlone || steps.contains { if case .push = $0.stepAction { true } else { false } }
  }

  func checkPushing(_ fields: Fields, _ key: String) throws(InputProblem) {
    guard isPushing else {
      throw fields.problem(key, "this can never be evaluated: no step of this scenario sends pushes.")
    }
  }

  private func pushes(_ fields: Fields) throws(InputProblem) -> (Question, String) {
    try checkPushing(fields, "pushes")
    let filter = try filter(fields, "pushes")
    let claim = try claim(fields, takes: ["count", "all", "none", "sometimes"])
    let which = "pushes" + summary(fields, "pushes")
    switch claim {
    case "count":
      return (
        .pushes(filter, .count(try fields.count("count") ?? 0...0)), "\(try fields.spelling("count") ?? "") \(which)"
      )
    case "all":
      return (.pushes(filter, .all(try condition(fields, claim))), "all \(which): \(summary(fields, claim))")
    case "none":
      if try isTrue(fields, claim) { return (.pushes(filter, .count(0...0)), "no \(which)") }
      return (.pushes(filter, .none(try condition(fields, claim))), "none of the \(which): \(summary(fields, claim))")
    default:
      if try isTrue(fields, claim) { return (.pushes(filter, .sometimes(Filter())), "sometimes \(which)") }
      return (
        .pushes(filter, .sometimes(try condition(fields, claim))), "sometimes \(which): \(summary(fields, claim))"
      )
    }
  }

  private func condition(_ fields: Fields, _ key: String) throws(InputProblem) -> Filter {
    let filter = try filter(fields, key)
    guard !filter.isEmpty else {
      throw fields.problem(key, "\(key) must say what these pushes have, such as {status: 200}.")
    }
    return filter
  }

  func filter(_ outer: Fields, _ key: String) throws(InputProblem) -> Filter {
    var filter = Filter()
    guard let node = outer[key], !node.isNull else { return filter }
    let fields = try Fields(node, key, known: Self.pushKeys)
    try scenarioNames.read(fields, into: &filter)
    if let name = try fields.text("step") {
      guard let step = steps.first(where: { $0.name == name }) else {
        throw unknownStep(name, fields: fields, key: "step")
      }
      guard case .push = step.stepAction else {
        throw fields.problem("step", "this can never be evaluated: the step \(name) sends no pushes.")
      }
      filter.step = name
    }
    filter.event = try fields.word("event", among: ["start", "update", "end"])
    filter.headers = try headers(fields)
    filter.fault = try fault(fields)
    try check(filter, fields)
    return filter
  }

  func checkStatus(_ filter: Filter, _ fields: Fields) throws(InputProblem) {
    if let status = filter.status, let reason = filter.reason, reason.status != status {
      throw fields.problem(
        "status", "this contradicts itself: \(reason.rawValue) has status \(reason.status), not \(status).")
    }
  }

  /// A contradictory filter never matches.
  private func check(_ filter: Filter, _ fields: Fields) throws(InputProblem) {
    try checkStatus(filter, fields)
    let refused = filter.reason != nil || filter.status.map { $0 != 200 } ?? false
    if refused, filter.outcome != nil || filter.cause != nil || filter.fate.map({ $0 != "Refused by APNs" }) ?? false {
      throw fields.problem(
        nil, "this contradicts itself: a rejected push reaches no phone, so it has no cause, outcome or other fate.")
    }
  }

  // MARK: - Screens

  private func screens(_ fields: Fields) throws(InputProblem) -> (Question, String) {
    for key in fields.those(of: Self.claims) {
      throw InputProblem(
        fields.placeOfKey(key), "screens need show (what they show) and may have on (all, none, or how many).")
    }
    var selection = Selection()
    if let node = fields["screens"], !node.isNull {
      selection = try scenarioNames.selection(
        try Fields(node, "screens", known: SelectionReader.members), SelectionReader.members)
    }
    guard let node = fields["show"] else {
      throw fields.problem(nil, "show is required: what the screens show, such as {cards: 1}.")
    }
    let shape = try shape(try Fields(node, "show", known: Self.shapeKeys))
    let on = try fields.spelling("on") ?? "all"
    let claim: ScreenRequirement
    switch on {
    case "all": claim = .all
    case "none": claim = .count(0...0)
    default:
      guard let range = Values.count(on) else {
        throw fields.problem("on", "on must be all, none, a number or a range such as 10..20, not \"\(on)\".")
      }
      claim = .count(range)
    }
    return (.screens(selection, shape, claim), "\(on) screens\(summary(fields, "screens")) showing \(shape.words)")
  }

  private func shape(_ fields: Fields) throws(InputProblem) -> ScreenPattern {
    var shape = ScreenPattern()
    shape.cards = try fields.count("cards")
    shape.notifications = try fields.count("notifications")
    shape.card = try members(fields, key: "card", known: ScreenPattern.cardMembers)
    shape.notification = try members(fields, key: "notification", known: ScreenPattern.notificationMembers)
    shape.badge = try fields.whole("badge", 0...1_000_000)
    guard shape != ScreenPattern() else {
      throw fields.problem(nil, "show must have at least one of \(Wording.list(Self.shapeKeys)).")
    }
    if shape.cards == 0...0, shape.card != nil {
      throw fields.problem("card", "this contradicts itself: no cards, and a card that shows something.")
    }
    if let state = shape.card?["state"] {
      let states = LiveActivity.State.allCases.map(\.rawValue)
      guard let word = state.string, states.contains(word) else {
        let near = state.string.flatMap { SpellingSuggestion.nearest(to: $0, among: states) }.map {
          "did you mean \($0)?"
        }
        throw fields.problem(
          "card",
          "a card's state cannot be \(state.text); \(near ?? "valid states are \(Wording.list(states, "and")).")")
      }
    }
    return shape
  }

  private func members(
    _ fields: Fields, key: String, known: [String]
  ) throws(InputProblem) -> JSONValue? {
    guard let node = fields[key] else { return nil }
    let inner = try Fields(node, key, known: known)
    _ = try scenarioNames.app(inner)
    return node.json
  }

  // MARK: - Events

  func eventFilter(_ outer: Fields) throws(InputProblem) -> Filter {
    var filter = Filter()
    guard let node = outer["events"], !node.isNull else { return filter }
    let fields = try Fields(node, "events", known: Self.eventKeys)
    try scenarioNames.read(fields, into: &filter)
    filter.event = try fields.word("event", among: DeviceEvent.names)
    return filter
  }

  private func events(_ fields: Fields) throws(InputProblem) -> (Question, String) {
    let filter = try eventFilter(fields)
    let which = "events" + summary(fields, "events")
    switch try claim(fields, takes: ["count", "sometimes", "ordered"]) {
    case "count":
      return (
        .events(filter, .count(try fields.count("count") ?? 0...0)), "\(try fields.spelling("count") ?? "") \(which)"
      )
    case "ordered":
      guard filter.event == nil else {
        throw fields.problem("ordered", "ordered names the events; leave event out of events.")
      }
      let names = try fields.texts("ordered") ?? []
      guard names.count > 1 else { throw fields.problem("ordered", "ordered must name two or more events.") }
      for name in names where !DeviceEvent.names.contains(name) {
        let near = SpellingSuggestion.nearest(to: name, among: DeviceEvent.names).map { "did you mean \($0)?" }
        throw fields.problem(
          "ordered", "there is no event \(name); \(near ?? "the events are \(Wording.list(DeviceEvent.names)).")")
      }
      return (.events(filter, .ordered(names)), names.joined(separator: ", then ") + ": \(which)")
    default:
      guard try isTrue(fields, "sometimes") else {
        throw fields.problem("sometimes", "sometimes must be true for events.")
      }
      return (.events(filter, .sometimes), "sometimes \(which)")
    }
  }

  // MARK: - Details

  /// - Parameter beside: claims that may be given together with the one that is returned.
  func claim(_ fields: Fields, takes: [String], beside: [String] = []) throws(InputProblem) -> String {
    for key in fields.those(of: ["show", "on"]) {
      throw InputProblem(fields.placeOfKey(key), "\(key) is valid only with screens.")
    }
    let claims = fields.those(of: Self.claims.filter { !beside.contains($0) })
    guard let claim = claims.first, claims.count == 1, takes.contains(claim) else {
      throw fields.problem(nil, "this expectation has no claim; it needs one of \(Wording.list(takes, "or")).")
    }
    return claim
  }

  func isTrue(_ fields: Fields, _ key: String) throws(InputProblem) -> Bool {
    guard let node = fields[key], node.isScalar else { return false }
    guard try fields.spelling(key) == "true" else {
      throw fields.problem(key, "\(key) must be true, or what to look for.")
    }
    return true
  }

  /// A summary of a subject or a claim as written, for the name of an expectation without one.
  func summary(_ fields: Fields, _ key: String) -> String {
    guard let node = fields[key], let members = node.json.members else { return "" }
    let words = members.map { "\($0.key) \($0.value.string ?? $0.value.text)" }.joined(separator: ", ")
    return Self.subjects.contains(key) && !words.isEmpty ? " (\(words))" : words
  }
}
