import APNs
import Grammar
import Scenarios
import Simulation
import WireFormats

/// Reads expectations about broadcasts and their arrivals on phones.
extension ExpectationReader {
  static let broadcastKeys = ["operation", "channel", "app", "environment", "status", "reason", "step"]
  static let arrivalKeys = ["channel", "app", "environment", "step", "device", "devices", "fate", "cause", "outcome"]

  /// - Parameter subject: `broadcasts` or `arrivals`.
  func broadcasts(_ fields: Fields, _ subject: String) throws(InputProblem) -> (Question, String) {
    let isCreating = steps.contains { if case .channel = $0.stepAction { true } else { false } }
    guard !isAlone || isCreating else {
      throw fields.problem(subject, "this can never be evaluated: no step of this scenario creates a channel.")
    }
    let isAboutArrivals = subject == "arrivals"
    let filter = try broadcastFilter(fields, key: subject, isAboutArrivals: isAboutArrivals)
    let which = subject + summary(fields, subject)
    func asked(_ claim: Claim) -> Question {
      .broadcasts(BroadcastQuestion(filter, claim, isAboutArrivals: isAboutArrivals))
    }
    let key = try claim(fields, takes: ["count", "all", "none", "sometimes"])
    if key == "count" {
      return (asked(.count(try fields.count("count") ?? 0...0)), "\(try fields.spelling("count") ?? "") \(which)")
    }
    if key != "all", try isTrue(fields, key) {
      return key == "none"
        ? (asked(.count(0...0)), "no \(which)") : (asked(.sometimes(Filter())), "sometimes \(which)")
    }
    let condition = try broadcastFilter(fields, key: key, isAboutArrivals: isAboutArrivals)
    guard !condition.isEmpty else {
      throw fields.problem(key, "\(key) must say what these \(subject) have, such as {status: 200}.")
    }
    let said = summary(fields, key)
    switch key {
    case "all": return (asked(.all(condition)), "all \(which): \(said)")
    case "none": return (asked(.none(condition)), "none of the \(which): \(said)")
    default: return (asked(.sometimes(condition)), "sometimes \(which): \(said)")
    }
  }

  private func broadcastFilter(
    _ outer: Fields, key: String, isAboutArrivals: Bool
  ) throws(InputProblem) -> Filter {
    var filter = Filter()
    guard let node = outer[key], !node.isNull else { return filter }
    let fields = try Fields(node, key, known: isAboutArrivals ? Self.arrivalKeys : Self.broadcastKeys)
    try scenarioNames.read(fields, into: &filter)
    filter.operation = try fields.choice("operation", ChannelOperation.allCases.map { ($0.rawValue, $0) })
    filter.channel = try channel(fields)
    if let name = try fields.text("step") {
      guard let step = steps.first(where: { $0.name == name }) else {
        throw unknownStep(name, fields: fields, key: "step")
      }
      guard case .channel = step.stepAction else {
        throw fields.problem("step", "this can never be evaluated: the step \(name) is not about a channel.")
      }
      filter.step = name
    }
    try checkStatus(filter, fields)
    return filter
  }

  /// The name of a channel that the scenario creates, or a channel's id.
  private func channel(_ fields: Fields) throws(InputProblem) -> String? {
    guard let name = try fields.text("channel") else { return nil }
    let names = steps.compactMap(\.createdChannel)
    if names.contains(name) || ChannelID(name) != nil { return name }
    let near = SpellingSuggestion.nearest(to: name, among: names).map { "did you mean \($0)?" }
    let known = names.isEmpty ? "give the channel's id." : "the channels are \(Wording.list(names))."
    throw fields.problem("channel", "this can never be evaluated: there is no channel \(name); \(near ?? known)")
  }
}
