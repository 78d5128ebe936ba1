import Devices
import Grammar
import Orders
import Simulation
import WireFormats

/// The screens of phones.
enum ScreenExpectation: ExpectationKind {
  static let subject = "screens"
  static let title = "Look at screens"
  static let meaning = "The screens of the devices that match every condition; of all devices without conditions."
  static let type = ValueType.orNull(.selection)
  static let claims: [ExpectationMember] = []
  static let details: [ExpectationMember] = [
    ("show", pattern.meaning("What the screens show; only these parts are compared.")),
    (
      "on",
      .either([.words(["all", "none"]), .count]).meaning(
        "On how many of the screens: all (default), none, a number, or a range such as 10..20.")
    ),
  ]
  static let needed = ["show"]
  private static let pattern = ValueType.members([
    ("cards", .count.meaning("How many cards are on the Lock Screen, such as 1 or 1..2.")),
    (
      "card",
      .members(ScreenPattern.cardMembers.map { ($0, .any) }).meaning("Members that one of the cards must have.")
    ), ("notifications", .count.meaning("How many notifications there are, such as 1 or 1..2.")),
    (
      "notification",
      .members(ScreenPattern.notificationMembers.map { ($0, .any) })
        .meaning("Members that one of the notifications must have.")
    ), ("badge", .whole(badges).meaning("The number on the icons.")),
  ])
  private static let badges = 0...1_000_000

  static func read(_ fields: Fields, by reader: ExpectationReader) throws(InputProblem) -> (Question, String) {
    for key in fields.those(of: ExpectationReader.claims) {
      throw InputProblem(
        fields.placeOfKey(key), "screens need show (what they show) and may have on (all, none, or how many).")
    }
    var selection = Selection()
    if let inner = try fields.inner(subject, of: SelectionReader.type) {
      selection = try reader.scenarioNames.selection(inner, SelectionReader.members)
    }
    guard let node = fields["show"] else {
      throw fields.problem(nil, "show is required: what the screens show, such as {cards: 1}.")
    }
    let shape = try shape(try Fields(node, "show", known: pattern.keys), reader.scenarioNames)
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
    return (.screens(selection, shape, claim), "\(on) screens\(fields.summary(subject)) showing \(shape.words)")
  }

  private static func shape(_ fields: Fields, _ names: ScenarioNames) throws(InputProblem) -> ScreenPattern {
    var shape = ScreenPattern()
    shape.cards = try fields.count("cards")
    shape.notifications = try fields.count("notifications")
    shape.card = try members(fields, key: "card", known: ScreenPattern.cardMembers, names)
    shape.notification = try members(
      fields, key: "notification", known: ScreenPattern.notificationMembers, names)
    shape.badge = try fields.whole("badge", badges)
    guard shape != ScreenPattern() else {
      throw fields.problem(nil, "show must have at least one of \(Wording.list(pattern.keys)).")
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

  private static func members(
    _ fields: Fields, key: String, known: [String], _ names: ScenarioNames
  ) throws(InputProblem) -> JSONValue? {
    guard let node = fields[key] else { return nil }
    let inner = try Fields(node, key, known: known)
    _ = try names.app(inner)
    return node.json
  }
}
