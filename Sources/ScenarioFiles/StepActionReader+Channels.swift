import APNs
import Devices
import Grammar
import Scenarios
import Simulation
import WireFormats

/// Reads the steps about broadcast channels.
extension StepActionReader {
  static let creationKeys = ["name", "app", "environment", "storage"]
  static let storagePolicies: [(name: String, value: StoragePolicy)] = [("none", .none), ("mostRecent", .mostRecent)]
  static let broadcastKeys = ["channel", "priority", "expiration", "headers", "payload", "raw"]

  /// Nil if the step is about something else.
  func channel(_ fields: Fields) throws(InputProblem) -> (stepAction: Scenario.StepAction, words: String)? {
    if let node = fields["createChannel"] { return try creation(node) }
    if let node = fields["broadcast"] { return try broadcast(node) }
    guard fields.has("deleteChannel") else { return nil }
    guard let name = try fields.text("deleteChannel"), !name.isEmpty else {
      throw fields.problem("deleteChannel", "deleteChannel must be the name of a channel that a step creates.")
    }
    return (.channel(.init(name, .delete)), "the channel \(name) is deleted")
  }

  private func creation(_ node: SourceNode) throws(InputProblem) -> (stepAction: Scenario.StepAction, words: String) {
    let fields = try Fields(node, "createChannel", known: Self.creationKeys)
    guard let name = try fields.text("name"), Self.isName(name) else {
      throw fields.problem(
        fields.has("name") ? "name" : nil,
        "createChannel needs a name of letters, digits, - and _ by which other steps refer to the channel, such as"
          + " match.")
    }
    let app = try scenarioNames.app(fields) ?? 0
    let environment =
      try fields.choice("environment", Environment.allCases.map { ($0.rawValue, $0) })
      ?? (scenarioNames.plan.apps[app].build == .production ? .production : .sandbox)
    let policy = try fields.choice("storage", Self.storagePolicies) ?? StoragePolicy.none
    return (
      .channel(.init(name, .create(policy, app: app, environment))),
      "the channel \(name) of \(scenarioNames.plan.apps[app].bundleID) is created"
    )
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" || $0 == "_" }
  }

  private func broadcast(_ node: SourceNode) throws(InputProblem) -> (stepAction: Scenario.StepAction, words: String) {
    let fields = try Fields(node, "broadcast", known: Self.broadcastKeys)
    guard let channel = try fields.text("channel"), !channel.isEmpty else {
      throw fields.problem(
        fields.has("channel") ? "channel" : nil, "broadcast needs a channel: the name of one that a step creates.")
    }
    var step = try body(fields, "broadcast")
    step.headers = try headers(
      fields,
      [
        ("apns-push-type", PushType.liveactivity.rawValue), ("apns-priority", "10"),
        ("apns-expiration", try fields.spelling("expiration") ?? "0"),
      ])
    return (.channel(.init(channel, .broadcast(step))), "a broadcast to the channel \(channel)")
  }
}

extension StepListReader {
  /// Rejects a step that names a channel which the scenario never creates, or creates one twice.
  func checkChannels() throws(InputProblem) {
    var places: [String: String] = [:]
    for step in steps {
      guard let name = step.createdChannel else { continue }
      if let place = places[name], place != step.place {
        throw InputProblem(step.place, "there is already a channel \(name); names must be unique.")
      }
      places[name] = step.place
    }
    for step in steps {
      for name in Self.channels(of: step.stepAction) where places[name] == nil {
        let known = places.keys.sorted()
        let near = SpellingSuggestion.nearest(to: name, among: known).map { "did you mean \($0)?" }
        let all = known.isEmpty ? "createChannel creates one." : "it creates \(Wording.list(known))."
        throw InputProblem(step.place, "this scenario creates no channel \(name); \(near ?? all)")
      }
    }
  }

  /// The names of the channels that a step needs.
  private static func channels(of action: Scenario.StepAction) -> [String] {
    switch action {
    case .push(let push): return channels(in: push)
    case .channel(let step):
      guard case .broadcast(let content) = step.order else { return [step.channel] }
      return [step.channel] + channels(in: content)
    case .device(_, let action), .devices(_, let action):
      return action.channel.flatMap { try? ScenarioText($0) }?.channels ?? []
    default: return []
    }
  }

  private static func channels(in step: ProviderStep) -> [String] {
    step.payload.channels + (step.raw?.channels ?? []) + step.headers.flatMap(\.value.channels)
  }
}
