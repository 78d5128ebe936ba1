import APNs
import Devices
import Grammar
import Orders
import Reporting
import Simulation
import WireFormats

/// Calls of apps to their backends.
enum CallExpectation: FilteredExpectationKind {
  static let subject = "calls"
  static let title = "Count calls of apps, or check what they have"
  static let meaning = "Calls of apps to their backend that match every condition; all calls without conditions."
  static let filter = ValueType.defined("calls") { content }
  static let content = ValueType.members(
    FilterReader.members(
      ["event", "app", "device", "devices", "status", "failure", "body"],
      [
        "event": .text().meaning(
          "The event at which the app calls, such as activityToken; `launch` includes launch.cold.")
      ])
  ).named("CallFilter", "Conditions for calls of apps.")

  static func question(_ filter: Filter, _ claim: Claim) -> Question { .reports(filter, claim) }

  /// Rejects expectations about calls if no app makes any, because there is no profile or no backend.
  static func check(_ fields: Fields, _ key: String, by reader: ExpectationReader) throws(InputProblem) {
    guard reader.scenarioNames.reports.contains(where: { $0 != nil }) else {
      throw fields.problem(
        key,
        "this can never be evaluated: no app of this fleet calls a backend; give one a profile, as in"
          + " settings: {fleet: {apps: [{profile: sightscreen}]}}.")
    }
    guard reader.scenarioNames.hasBackend else {
      throw fields.problem(
        key,
        "this can never be evaluated: the apps have no backend to call; name one, as in"
          + " settings: {reports: {backend: \"http://127.0.0.1:8080\"}}.")
    }
  }

  static func filter(_ outer: Fields, _ key: String, by reader: ExpectationReader) throws(InputProblem) -> Filter {
    var filter = Filter()
    guard let fields = try outer.inner(key, of: content) else { return filter }
    try reader.scenarioNames.read(fields, into: &filter)
    filter.event = try event(fields, reader.scenarioNames)
    if filter.status != nil, filter.failure != nil {
      throw fields.problem(
        "failure", "this contradicts itself: a call that was answered with a status has not failed.")
    }
    return filter
  }

  /// The name of an event at which an app calls its backend.
  private static func event(_ fields: Fields, _ names: ScenarioNames) throws(InputProblem) -> String? {
    guard let name = try fields.text("event") else { return nil }
    let app = try names.app(fields)
    var known: [String] = []
    for (number, plan) in names.reports.enumerated() where app ?? number == number {
      for entry in plan?.entries ?? [] where !known.contains(entry.event.name) { known.append(entry.event.name) }
    }
    // The profile may use the general event and the call the specific one, or the other way round.
    let isKnown = known.contains { Filter.event($0, covers: name) || Filter.event(name, covers: $0) }
    let isWord = (try? ReportEvent(name)) != nil || ReportEvent.known.contains { Filter.event(name, covers: $0) }
    guard isKnown, isWord else {
      let near = SpellingSuggestion.nearest(to: name, among: known).map { "did you mean \($0)?" }
      let list = known.isEmpty ? "there are no calls." : "calls are made at \(Wording.list(known))."
      throw fields.problem("event", "this can never be evaluated: no app calls its backend at \(name); \(near ?? list)")
    }
    return name
  }
}
