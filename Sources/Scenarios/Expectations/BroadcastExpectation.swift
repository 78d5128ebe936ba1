import APNs
import Grammar
import Orders
import Simulation
import WireFormats

/// Broadcasts and requests about channels.
enum BroadcastExpectation: BroadcastExpectationKind {
  static let subject = "broadcasts"
  static let title = "Count broadcasts, or check what they have"
  static let meaning = "Broadcasts that match every condition; with `operation`, requests about channels of that kind."
  static let isAboutArrivals = false
  static let filter = ValueType.defined("broadcasts") { content }
  static let content = ValueType.members(
    members(["operation", "channel", "app", "environment", "status", "reason", "step"])
  ).named("BroadcastFilter", "Conditions for broadcasts and requests about channels.")
}

/// Arrivals of broadcasts on the activities that subscribe.
enum ArrivalExpectation: BroadcastExpectationKind {
  static let subject = "arrivals"
  static let title = "Count arrivals of broadcasts, or check what they have"
  static let meaning = "Each broadcast on each activity that subscribes, if it matches every condition."
  static let isAboutArrivals = true
  static let filter = ValueType.defined("arrivals") { content }
  static let content = ValueType.members(
    members(["channel", "app", "environment", "step", "device", "devices", "fate", "cause", "outcome"])
  ).named("ArrivalFilter", "Conditions for arrivals of broadcasts.")
}

protocol BroadcastExpectationKind: FilteredExpectationKind {
  static var isAboutArrivals: Bool { get }
  static var content: ValueType { get }
}

extension BroadcastExpectationKind {
  fileprivate static func members(_ names: [String]) -> [ExpectationMember] {
    FilterReader.members(
      names,
      [
        "operation": operation.type.meaning("The kind of the request. Default: publish."),
        "channel": .text().meaning("The name of a channel that a step creates, or a channel's id."),
        "step": .text().meaning("The name of the step that sent it."),
      ])
  }

  private static var operation: FieldForm<ChannelOperation> { .word() }

  static func question(_ filter: Filter, _ claim: Claim) -> Question {
    .broadcasts(BroadcastQuestion(filter, claim, isAboutArrivals: isAboutArrivals))
  }

  static func check(_ fields: Fields, _ key: String, by reader: ExpectationReader) throws(InputProblem) {
    guard !reader.isAlone || reader.steps.contains(where: { $0.action is any ChannelAction }) else {
      throw fields.problem(key, "this can never be evaluated: no step of this scenario creates a channel.")
    }
  }

  static func filter(_ outer: Fields, _ key: String, by reader: ExpectationReader) throws(InputProblem) -> Filter {
    var filter = Filter()
    guard let fields = try outer.inner(key, of: content) else { return filter }
    try reader.scenarioNames.read(fields, into: &filter)
    filter.operation = try operation.read(fields, "operation")
    filter.channel = try channel(fields, reader.steps)
    filter.step = try reader.step(fields, of: "is not about a channel") { $0 is any ChannelAction }
    try filter.checkStatus(fields)
    return filter
  }

  /// The name of a channel that the scenario creates, or a channel's id.
  private static func channel(_ fields: Fields, _ steps: [Scenario.Step]) throws(InputProblem) -> String? {
    guard let name = try fields.text("channel") else { return nil }
    let names = steps.compactMap(\.createdChannel)
    if names.contains(name) || ChannelID(name) != nil { return name }
    let near = SpellingSuggestion.nearest(to: name, among: names).map { "did you mean \($0)?" }
    let known = names.isEmpty ? "give the channel's id." : "the channels are \(Wording.list(names))."
    throw fields.problem("channel", "this can never be evaluated: there is no channel \(name); \(near ?? known)")
  }
}
