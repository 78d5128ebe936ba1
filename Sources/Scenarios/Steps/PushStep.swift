import APNs
import Devices
import Grammar
import Orders
import Simulation
import Timeline
import WireFormats

/// Pushes to a selection of devices.
struct PushStep: StepActionKind {
  static let key = "push"
  static let type = ValueType.defined("push") { content }.meaning("A push to each of the selected devices.")
  private static let content = ValueType.members(
    FilterReader.members(
      [
        "tokenKind", "tokens", "app", "attributesType", "user", "device", "devices", "share", "os", "online",
        "pushType", "priority", "headers", "payload", "raw",
      ],
      [
        "tokenKind": recipients.type.meaning("Default: device."),
        "tokens": knowledge.type.meaning("`remembered` uses the last token, even if it is no longer valid."),
        "attributesType": .text().meaning("Of a Live Activity. Default: the app's first."), "priority": .text(),
        "headers": .object.meaning("Headers by their lower-case names; null leaves a header out."),
        "raw": .text().meaning("The body as text, which need not be JSON; instead of the payload."),
      ]))
  private static let recipients = FieldForm<ProviderStep.Recipients>.word()
  private static let knowledge = FieldForm<ProviderStep.Knowledge>.word()

  let order: ProviderStep

  var channels: [String] { order.channels }

  static func read(_ node: SourceNode, of step: Fields, _ names: ScenarioNames) throws(InputProblem) -> (Self, String) {
    let fields = try Fields(node, key, known: content.keys)
    var order = try fields.body(of: key)
    order.tokenKind = try recipients.read(fields, "tokenKind") ?? .device
    order.knowledge = try knowledge.read(fields, "tokens") ?? .current
    order.app = try names.app(fields) ?? 0
    let profile = names.plan.apps[order.app]
    order.type = try attributesType(fields, step: order, profile: profile)
    order.selection = try names.selection(fields, ["user", "device", "devices", "share", "os", "online"])
    let type =
      try fields.choice("pushType", PushType.allCases.map { ($0.rawValue, $0) })
      ?? (order.tokenKind == .device ? .alert : .liveactivity)
    order.headers = try fields.headers([
      ("apns-topic", profile.bundleID + type.suffix.text), ("apns-push-type", type.rawValue),
    ])
    let priority = try fields.spelling("priority").map { ", priority \($0)" } ?? ""
    return (
      PushStep(order: order),
      "push to the \(order.tokenKind.words) of \(profile.bundleID) (\(type.rawValue)\(priority))"
    )
  }

  private static func attributesType(
    _ fields: Fields, step: ProviderStep, profile: AppProfile
  ) throws(InputProblem) -> Int {
    guard step.tokenKind != .device else {
      guard !fields.has("attributesType") else {
        throw fields.problem("attributesType", "device tokens have no attributes type; use tokenKind: pushToStart.")
      }
      return 0
    }
    let types = profile.attributesTypes
    guard !types.isEmpty else {
      throw fields.problem(
        "tokenKind", "\(profile.bundleID) declares no attributes types, so it has no \(step.tokenKind.words).")
    }
    return try fields.choice("attributesType", types.enumerated().map { ($1, $0) }) ?? 0
  }

  func begin(_ turn: StepTurn, in director: inout ScenarioDirector, _ simulator: inout Simulator) -> MomentRest? {
    .sending(director.provider.sending(order, round: turn.round, at: turn.now))
  }
}

extension ProviderStep {
  /// The channels that its texts name.
  var channels: [String] { payload.channels + (raw?.channels ?? []) + headers.flatMap(\.value.channels) }
}

extension SourceNode {
  /// The name of a header.
  func headerName() throws(InputProblem) -> String {
    guard let name = text, !name.isEmpty, !name.hasPrefix(":"), name == name.lowercased() else {
      throw InputProblem(
        place, "a header name must be in lower case, without a colon at its beginning, such as apns-expiration.")
    }
    return name
  }
}

/// Reads the request of a push or a broadcast.
extension Fields {
  /// - Parameter what: the key of the step.
  func body(of what: String) throws(InputProblem) -> ProviderStep {
    if let raw = self["raw"] {
      guard !has("payload") else { throw problem("raw", "payload and raw cannot be combined.") }
      guard let text = raw.spelling, !raw.isNull else {
        throw problem("raw", "raw must be the body as text, such as raw: \"{\"; use payload for JSON.")
      }
      do {
        var step = ProviderStep(payload: .fixed(.null))
        step.raw = try ScenarioText(text)
        return step
      } catch {
        throw problem("raw", error.description)
      }
    }
    guard let payload = self["payload"], payload.pairs != nil else {
      throw problem(
        has("payload") ? "payload" : nil, "\(what) needs a payload, such as payload: {aps: {alert: Hello}}.")
    }
    do {
      return ProviderStep(payload: try ScenarioPayload(payload.json))
    } catch {
      throw problem("payload", error.description)
    }
  }

  /// - Parameter usual: headers that need not be given; those given replace them.
  func headers(
    _ usual: [(name: String, value: String)]
  ) throws(InputProblem) -> [(name: String, value: ScenarioText)] {
    var list = usual
    if let priority = try spelling("priority") {
      list.removeAll { $0.name == "apns-priority" }
      list.append(("apns-priority", priority))
    }
    if let node = self["headers"] {
      guard let mapping = node.pairs else {
        throw problem("headers", "headers must have names and values, such as apns-expiration: 0.")
      }
      for (key, value) in mapping {
        let name = try key.headerName()
        list.removeAll { $0.name == name }
        guard !value.isNull else { continue }
        guard let text = value.spelling else {
          throw InputProblem("\(name) must be a single value.", field: name, at: value.place, code: .wrongType)
        }
        list.append((name, text))
      }
    }
    var headers: [(name: String, value: ScenarioText)] = []
    for (name, value) in list {
      do {
        headers.append((name, try ScenarioText(value)))
      } catch {
        throw problem("headers", error.description)
      }
    }
    return headers
  }
}
