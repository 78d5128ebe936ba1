import Devices
import Grammar
import Orders
import Simulation
import WireFormats

/// Events of phones.
enum EventExpectation: ExpectationKind {
  static let subject = "events"
  static let title = "Count events of phones, or check their order"
  static let meaning = "Events of phones that match every condition; all events without conditions."
  static let type = ValueType.orNull(content)
  static let claims: [ExpectationMember] = [
    ("count", .howMany), ("sometimes", .isTrue),
    ("ordered", .list(of: name, least: 2).meaning("Events in this order; others may come between.")),
  ]
  private static let name = ValueType.words(DeviceEvent.names).named("DeviceEventName", "An event of a phone.")
  static let content = ValueType.members(
    FilterReader.members(["event", "device", "devices", "app"], ["event": name])
  ).named("EventFilter", "Conditions for events of phones.")

  static func filter(_ outer: Fields, by reader: ExpectationReader) throws(InputProblem) -> Filter {
    var filter = Filter()
    guard let fields = try outer.inner(subject, of: content) else { return filter }
    try reader.scenarioNames.read(fields, into: &filter)
    filter.event = try fields.word("event", among: DeviceEvent.names)
    return filter
  }

  static func read(_ fields: Fields, by reader: ExpectationReader) throws(InputProblem) -> (Question, String) {
    let filter = try filter(fields, by: reader)
    let which = subject + fields.summary(subject)
    switch try claim(fields) {
    case "count":
      let (count, words) = try fields.howMany(which)
      return (.events(filter, .count(count)), words)
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
      guard try fields.isTrue("sometimes") else {
        throw fields.problem("sometimes", "sometimes must be true for events.")
      }
      return (.events(filter, .sometimes), "sometimes \(which)")
    }
  }
}
