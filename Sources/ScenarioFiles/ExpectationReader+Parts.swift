import APNs
import Devices
import Grammar
import Orders
import Reporting
import Scenarios
import Simulation
import WireFormats

/// Reads the parts about headers, faults, reports, findings and connections.
extension ExpectationReader {
  /// Headers with their values; null for a header that must be absent.
  func headers(_ fields: Fields) throws(InputProblem) -> [Filter.Header] {
    guard let node = fields["headers"] else { return [] }
    guard let mapping = node.pairs, !mapping.isEmpty else {
      throw fields.problem(
        "headers", "headers must have names and values, such as apns-priority: 5; null means absent.")
    }
    var headers: [Filter.Header] = []
    for (key, value) in mapping {
      guard let name = key.text, !name.isEmpty, name == name.lowercased() else {
        throw InputProblem(key.place, "a header name must be in lower case, such as apns-priority.")
      }
      if name.hasPrefix("apns-"), !Self.knownHeaders.contains(name) {
        let near = SpellingSuggestion.nearest(to: name, among: Self.knownHeaders).map { "did you mean \($0)?" }
        throw InputProblem(
          key.place,
          "APNs does not know the header \(name); \(near ?? "it knows \(Wording.list(Self.knownHeaders)).")")
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
  func fault(_ fields: Fields) throws(InputProblem) -> String? {
    guard let name = try fields.text("fault") else { return nil }
    let names = steps.compactMap { if case .fault(let fault) = $0.stepAction { fault.name } else { nil } }
    // Without steps, faults are set by the admin API.
    if names.contains(name) || steps.isEmpty && !isAlone { return name }
    let near = SpellingSuggestion.nearest(to: name, among: names).map { "did you mean \($0)?" }
    let known = names.isEmpty ? "it sets no faults." : "the faults are \(Wording.list(names))."
    throw fields.problem(
      "fault", "this can never be evaluated: the scenario sets no fault \(name); \(near ?? known)")
  }

  // MARK: - Calls of apps

  func calls(_ fields: Fields) throws(InputProblem) -> (Question, String) {
    try checkReporting(fields, "calls")
    let filter = try callFilter(fields, "calls")
    let claim = try claim(fields, takes: ["count", "all", "none", "sometimes"])
    let which = "calls" + summary(fields, "calls")
    switch claim {
    case "count":
      return (
        .reports(filter, .count(try fields.count("count") ?? 0...0)), "\(try fields.spelling("count") ?? "") \(which)"
      )
    case "all":
      return (.reports(filter, .all(try callCondition(fields, claim))), "all \(which): \(summary(fields, claim))")
    case "none":
      if try isTrue(fields, claim) { return (.reports(filter, .count(0...0)), "no \(which)") }
      return (
        .reports(filter, .none(try callCondition(fields, claim))), "none of the \(which): \(summary(fields, claim))"
      )
    default:
      if try isTrue(fields, claim) { return (.reports(filter, .sometimes(Filter())), "sometimes \(which)") }
      return (
        .reports(filter, .sometimes(try callCondition(fields, claim))),
        "sometimes \(which): \(summary(fields, claim))"
      )
    }
  }

  /// Rejects expectations about calls if no app makes any, because there is no profile or no backend.
  func checkReporting(_ fields: Fields, _ key: String) throws(InputProblem) {
    guard scenarioNames.reports.contains(where: { $0 != nil }) else {
      throw fields.problem(
        key,
        "this can never be evaluated: no app of this fleet calls a backend; give one a profile, as in"
          + " settings: {fleet: {apps: [{profile: sightscreen}]}}.")
    }
    guard scenarioNames.hasBackend else {
      throw fields.problem(
        key,
        "this can never be evaluated: the apps have no backend to call; name one, as in"
          + " settings: {reports: {backend: \"http://127.0.0.1:8080\"}}.")
    }
  }

  private func callCondition(
    _ fields: Fields, _ key: String
  ) throws(InputProblem) -> Filter {
    let filter = try callFilter(fields, key)
    guard !filter.isEmpty else {
      throw fields.problem(key, "\(key) must say what these calls have, such as {status: 200}.")
    }
    return filter
  }

  func callFilter(_ outer: Fields, _ key: String) throws(InputProblem) -> Filter {
    var filter = Filter()
    guard let node = outer[key], !node.isNull else { return filter }
    let fields = try Fields(node, key, known: Self.callKeys)
    try scenarioNames.read(fields, into: &filter)
    filter.event = try callEvent(fields, try scenarioNames.app(fields))
    if filter.status != nil, filter.failure != nil {
      throw fields.problem(
        "failure", "this contradicts itself: a call that was answered with a status has not failed.")
    }
    return filter
  }

  /// The name of an event at which an app calls its backend.
  private func callEvent(_ fields: Fields, _ app: Int?) throws(InputProblem) -> String? {
    guard let name = try fields.text("event") else { return nil }
    var known: [String] = []
    for (number, plan) in scenarioNames.reports.enumerated() where app ?? number == number {
      for entry in plan?.entries ?? [] where !known.contains(entry.event.name) { known.append(entry.event.name) }
    }
    // The profile may use the general event and the call the specific one, or the other way round.
    let isKnown = known.contains { Filter.event($0, covers: name) || Filter.event(name, covers: $0) }
    let isWord = name.hasPrefix("action.") || ReportEvent.known.contains { Filter.event(name, covers: $0) }
    guard isKnown, isWord else {
      let near = SpellingSuggestion.nearest(to: name, among: known).map { "did you mean \($0)?" }
      let list = known.isEmpty ? "there are no calls." : "calls are made at \(Wording.list(known))."
      throw fields.problem("event", "this can never be evaluated: no app calls its backend at \(name); \(near ?? list)")
    }
    return name
  }

  // MARK: - Findings and connections

  func findings(_ fields: Fields) throws(InputProblem) -> (Question, String) {
    var kind: AuditFinding.Kind?
    if let node = fields["findings"], !node.isNull {
      let inner = try Fields(node, "findings", known: ["kind"])
      kind = try inner.choice("kind", AuditFinding.Kind.allCases.map { ($0.rawValue, $0) })
    }
    let which = "findings" + summary(fields, "findings")
    guard try claim(fields, takes: ["count", "none"]) == "none" else {
      return (.findings(kind, try fields.count("count") ?? 0...0), "\(try fields.spelling("count") ?? "") \(which)")
    }
    guard try isTrue(fields, "none") else { throw fields.problem("none", "none must be true for findings.") }
    return (.findings(kind, 0...0), "no \(which)")
  }

  func connections(_ fields: Fields) throws(InputProblem) -> (Question, String) {
    if fields.has("of") {
      throw fields.problem("of", "connections are counted from the beginning; leave of out, or use at.")
    }
    var filter = Filter()
    if let node = fields["connections"], !node.isNull {
      try FilterReader.read(try Fields(node, "connections", known: ["environment"]), into: &filter)
    }
    _ = try claim(fields, takes: ["count"])
    let which = "connections" + summary(fields, "connections")
    return (
      .connections(filter, try fields.count("count") ?? 0...0), "\(try fields.spelling("count") ?? "") \(which)"
    )
  }
}
