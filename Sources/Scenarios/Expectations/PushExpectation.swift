import APNs
import Grammar
import Orders
import Simulation
import WireFormats

/// Pushes that a filter selects.
enum PushExpectation: FilteredExpectationKind {
  static let subject = "pushes"
  static let title = "Count pushes, or check what they have"
  static let meaning = "Pushes that match every condition; all pushes without conditions."
  static let filter = ValueType.defined("pushes") { content }
  static let content = ValueType.members(
    FilterReader.members(
      [
        "status", "sent", "reason", "fate", "cause", "outcome", "device", "devices", "app", "pushType", "priority",
        "tokenKind", "step", "event", "headers", "payload", "fault", "connection", "environment", "apnsId",
      ],
      [
        "step": .text().meaning("The name of the step that sent it."),
        "event": event.type.meaning("The event of a Live Activity."),
        "headers": .object.meaning("Headers with their values; null for a header that must be absent."),
        "fault": .text().meaning("The name of a fault that struck it."),
      ])
  ).named("PushFilter", "Conditions for pushes.")
  private static let event = FieldForm<String>.word(among: ["start", "update", "end"])

  static func question(_ filter: Filter, _ claim: Claim) -> Question { .pushes(filter, claim) }

  static func check(_ fields: Fields, _ key: String, by reader: ExpectationReader) throws(InputProblem) {
    guard reader.isPushing else {
      throw fields.problem(key, "this can never be evaluated: no step of this scenario sends pushes.")
    }
  }

  static func filter(_ outer: Fields, _ key: String, by reader: ExpectationReader) throws(InputProblem) -> Filter {
    var filter = Filter()
    guard let fields = try outer.inner(key, of: content) else { return filter }
    try reader.scenarioNames.read(fields, into: &filter)
    filter.step = try reader.step(fields, of: "sends no pushes") { $0 is PushStep }
    filter.event = try event.read(fields, "event")
    filter.headers = try headers(fields)
    filter.fault = try fault(fields, by: reader)
    try checkSense(filter, fields)
    return filter
  }

  /// A contradictory filter never matches.
  private static func checkSense(_ filter: Filter, _ fields: Fields) throws(InputProblem) {
    try filter.checkStatus(fields)
    let refused = filter.reason != nil || filter.status.map { $0 != 200 } ?? false
    if refused, filter.outcome != nil || filter.cause != nil || filter.fate.map({ $0 != "Refused by APNs" }) ?? false {
      throw fields.problem(
        nil, "this contradicts itself: a rejected push reaches no phone, so it has no cause, outcome or other fate.")
    }
  }

  /// Headers with their values; null for a header that must be absent.
  private static func headers(_ fields: Fields) throws(InputProblem) -> [Filter.Header] {
    guard let node = fields["headers"] else { return [] }
    guard let mapping = node.pairs, !mapping.isEmpty else {
      throw fields.problem(
        "headers", "headers must have names and values, such as apns-priority: 5; null means absent.")
    }
    var headers: [Filter.Header] = []
    for (key, value) in mapping {
      let name = try key.headerName()
      if name.hasPrefix("apns-"), !knownHeaders.contains(name) {
        let near = SpellingSuggestion.nearest(to: name, among: knownHeaders).map { "did you mean \($0)?" }
        throw InputProblem(
          key.place,
          "APNs does not know the header \(name); \(near ?? "it knows \(Wording.list(knownHeaders)).")")
      }
      guard value.isNull || value.spelling != nil else {
        throw InputProblem("\(name) must be a single value.", field: name, at: value.place, code: .wrongType)
      }
      headers.append(.init(name, value.isNull ? nil : value.spelling))
    }
    return headers
  }

  private static let knownHeaders = [
    "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id", "apns-id",
    "apns-channel-id", "apns-request-id",
  ]

  /// The name of a fault that the scenario sets.
  private static func fault(_ fields: Fields, by reader: ExpectationReader) throws(InputProblem) -> String? {
    guard let name = try fields.text("fault") else { return nil }
    let names = reader.steps.compactMap { $0.fault?.name }
    // Without steps, faults are set by the admin API.
    if names.contains(name) || reader.steps.isEmpty && !reader.isAlone { return name }
    let near = SpellingSuggestion.nearest(to: name, among: names).map { "did you mean \($0)?" }
    let known = names.isEmpty ? "it sets no faults." : "the faults are \(Wording.list(names))."
    throw fields.problem(
      "fault", "this can never be evaluated: the scenario sets no fault \(name); \(near ?? known)")
  }
}
