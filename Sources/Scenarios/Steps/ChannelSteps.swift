import APNs
import Devices
import Grammar
import Orders
import Simulation
import Timeline
import WireFormats

/// A step about a broadcast channel.
protocol ChannelAction: StepActionKind {
  var order: ChannelStep { get }
}

extension ChannelAction {
  var channels: [String] { [order.channel] }

  func begin(_ turn: StepTurn, in director: inout ScenarioDirector, _ simulator: inout Simulator) -> MomentRest? {
    if let why = director.provider.perform(order, round: turn.round, on: &simulator.world, at: turn.now) {
      director.find(turn.step, why, isFailure: false)
    }
    return nil
  }
}

struct CreateChannelStep: ChannelAction {
  static let key = "createChannel"
  static let type = content.meaning("Creates a broadcast channel.")
  private static let content = ValueType.members(
    FilterReader.members(
      ["name", "app", "environment", "storage"],
      [
        "name": .text().meaning("The name by which other steps and expectations refer to the channel."),
        "storage": storage.type.meaning("Which of its broadcasts APNs stores. Default: none."),
      ]))
  private static let storage = FieldForm<StoragePolicy>.choice([("none", .none), ("mostRecent", .mostRecent)])

  let order: ChannelStep

  static func read(_ node: SourceNode, of step: Fields, _ names: ScenarioNames) throws(InputProblem) -> (Self, String) {
    let fields = try Fields(node, key, known: content.keys)
    guard let name = try fields.text("name"), isName(name) else {
      throw fields.problem(
        fields.has("name") ? "name" : nil,
        "createChannel needs a name of letters, digits, - and _ by which other steps refer to the channel, such as"
          + " match.")
    }
    let app = try names.app(fields) ?? 0
    let environment =
      try fields.choice("environment", Environment.choices)
      ?? (names.plan.apps[app].build == .production ? .production : .sandbox)
    let policy = try storage.read(fields, "storage") ?? StoragePolicy.none
    return (
      CreateChannelStep(order: .init(name, .create(policy, app: app, environment))),
      "the channel \(name) of \(names.plan.apps[app].bundleID) is created"
    )
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" || $0 == "_" }
  }
}

struct BroadcastStep: ChannelAction {
  static let key = "broadcast"
  static let type = content.meaning("A push to everybody who subscribes to a channel.")
  private static let content = ValueType.members(
    FilterReader.members(
      ["channel", "priority", "expiration", "headers", "payload", "raw"],
      [
        "channel": .text().meaning("The name of a channel that a step creates."),
        "priority": .text().meaning("Default: 10."), "expiration": .text().meaning("Default: 0."),
        "headers": .object.meaning("Headers by their lower-case names; null leaves a header out."),
        "raw": .text().meaning("The body as text, which need not be JSON; instead of the payload."),
      ]))

  let order: ChannelStep

  var channels: [String] {
    guard case .broadcast(let content) = order.order else { return [order.channel] }
    return [order.channel] + content.channels
  }

  static func read(_ node: SourceNode, of step: Fields, _ names: ScenarioNames) throws(InputProblem) -> (Self, String) {
    let fields = try Fields(node, key, known: Self.content.keys)
    guard let channel = try fields.text("channel"), !channel.isEmpty else {
      throw fields.problem(
        fields.has("channel") ? "channel" : nil, "broadcast needs a channel: the name of one that a step creates.")
    }
    var content = try fields.body(of: key)
    content.headers = try fields.headers([
      ("apns-push-type", PushType.liveactivity.rawValue), ("apns-priority", "10"),
      ("apns-expiration", try fields.spelling("expiration") ?? "0"),
    ])
    return (
      BroadcastStep(order: .init(channel, .broadcast(content))), "a broadcast to the channel \(channel)"
    )
  }
}

struct DeleteChannelStep: ChannelAction {
  static let key = "deleteChannel"
  static let type = ValueType.text().meaning("The name of a channel that is deleted; a step has created it.")

  let order: ChannelStep

  static func read(_ node: SourceNode, of fields: Fields, _ names: ScenarioNames) throws(InputProblem) -> (Self, String)
  {
    guard let name = try fields.text(key), !name.isEmpty else {
      throw fields.problem(key, "deleteChannel must be the name of a channel that a step creates.")
    }
    return (DeleteChannelStep(order: .init(name, .delete)), "the channel \(name) is deleted")
  }
}
