import APNs
import Devices
import Grammar
import Orders
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Reads the action of a step.
struct StepActionReader {
  let scenarioNames: ScenarioNames

  /// All keys of step actions.
  static let keys: [String] = {
    let own = StepListReader.timeKeys + StepListReader.stepActions + ["device", "where"]
    return own + DeviceAction.keys.filter { !own.contains($0) }
  }()

  static let pushKeys = [
    "tokenKind", "tokens", "app", "attributesType", "user", "device", "devices", "share", "os", "online", "pushType",
    "priority", "headers", "payload", "raw",
  ]

  func read(_ fields: Fields) throws(InputProblem) -> (stepAction: Scenario.StepAction, words: String) {
    if fields.has("do") { return try action(fields) }
    for key in fields.those(of: Self.keys) where !(StepListReader.timeKeys + StepListReader.stepActions).contains(key) {
      throw InputProblem(fields.placeOfKey(key), "\(key) is valid only with do.")
    }
    if fields.has("clock") { return try clock(fields) }
    if let node = fields["fault"] { return try fault(node) }
    if let node = fields["register"] { return try register(node) }
    if let name = try fields.text("deleteFault") {
      return name == "all"
        ? (.deleteFault(nil), "all faults are deleted") : (.deleteFault(name), "the fault \(name) is deleted")
    }
    if let step = try channel(fields) { return step }
    guard let node = fields["push"] else { throw fields.problem(nil, "a step needs an action.") }
    return try push(node)
  }

  private func clock(_ fields: Fields) throws(InputProblem) -> (Scenario.StepAction, String) {
    guard let jump = try fields.duration("clock"), jump > .zero, jump <= WorldClock.longestStep else {
      throw fields.problem("clock", "clock must be how far the world's clock advances, such as 8h; at most 366d.")
    }
    return (.clock(jump), "the world's clock advances by \(DurationText.write(jump))")
  }

  /// A fault in the JSON form of the admin API; its times are relative to when it is set.
  func fault(_ node: SourceNode) throws(InputProblem) -> (stepAction: Scenario.StepAction, words: String) {
    let fault = try FaultReader.read(node, scenarioNames.fleet, at: Instant(nanoseconds: 0))
    let (when, condition) = (node["when"] ?? node, fault.condition)
    if condition.filter.share.numerator == 0 || condition.filter.devices?.isEmpty ?? false {
      throw InputProblem(
        when.place, "this fault can never strike: it selects no device; leave share and devices out for all.")
    }
    if fault.odds.numerator == 0 || fault.limit == 0 {
      throw InputProblem(
        node.place, "this fault can never strike: its odds or its limit are 0; leave the fault out.")
    }
    return (.fault(fault), "the fault \(fault.name) is set" + Self.span(fault))
  }

  /// The time in which a fault is in force, if it is limited; relative to when it is set.
  private static func span(_ fault: Fault) -> String {
    func after(_ moment: Instant) -> String { DurationText.write(Instant(nanoseconds: 0).duration(to: moment)) }
    switch (fault.from, fault.until) {
    case (nil, nil): return ""
    case (let from?, nil): return ", in force from \(after(from)) later on"
    case (nil, let until?): return ", in force for \(after(until))"
    case (let from?, let until?): return ", in force from \(after(from)) to \(after(until)) later"
    }
  }

  /// A token in the JSON form of the admin API.
  private func register(_ node: SourceNode) throws(InputProblem) -> (stepAction: Scenario.StepAction, words: String) {
    let fields = try Fields(node, "register", known: TokenReader.members)
    _ = try scenarioNames.app(fields)
    let command = try TokenReader.read(fields)
    let device = try scenarioNames.device(fields)?.text ?? "a device"
    return (.register(command), "a token of \(device) is registered")
  }

  // MARK: - Actions

  private func action(_ fields: Fields) throws(InputProblem) -> (Scenario.StepAction, String) {
    let action = try DeviceAction.read(fields, beside: StepListReader.timeKeys + ["device", "where"])
    if fields.has("app") { _ = try scenarioNames.app(fields) }
    let name = try fields.text("do") ?? ""
    if let device = try scenarioNames.device(fields) {
      guard !fields.has("where") else { throw fields.problem("where", "device and where cannot be combined.") }
      return (.device(device, action), "\(name) on \(device.text)")
    }
    guard let place = fields["where"] else {
      throw fields.problem(
        nil, "\(name) needs devices: use device: d3, or where: {share: 10%}; where: {} selects all.")
    }
    let narrowed = try Fields(place, "where", known: SelectionReader.members)
    let selection = try scenarioNames.selection(narrowed, SelectionReader.members)
    let which = narrowed.those(of: SelectionReader.members)
    return (
      .devices(selection, action),
      "\(name) on \(which.isEmpty ? "all devices" : "devices by \(Wording.list(which))")"
    )
  }

  // MARK: - Pushes

  private func push(_ node: SourceNode) throws(InputProblem) -> (Scenario.StepAction, String) {
    let fields = try Fields(node, "push", known: Self.pushKeys)
    var step = try body(fields, "push")
    typealias Recipients = ProviderStep.Recipients
    typealias Knowledge = ProviderStep.Knowledge
    step.tokenKind = try fields.choice("tokenKind", Recipients.allCases.map { ($0.rawValue, $0) }) ?? .device
    step.knowledge = try fields.choice("tokens", Knowledge.allCases.map { ($0.rawValue, $0) }) ?? .current
    step.app = try scenarioNames.app(fields) ?? 0
    let profile = scenarioNames.plan.apps[step.app]
    step.type = try type(fields, step: step, profile: profile)
    step.selection = try scenarioNames.selection(fields, ["user", "device", "devices", "share", "os", "online"])
    let type =
      try fields.choice("pushType", PushType.allCases.map { ($0.rawValue, $0) })
      ?? (step.tokenKind == .device ? .alert : .liveactivity)
    step.headers = try headers(
      fields, [("apns-topic", profile.bundleID + type.suffix.text), ("apns-push-type", type.rawValue)])
    let priority = try fields.spelling("priority").map { ", priority \($0)" } ?? ""
    return (.push(step), "push to the \(step.tokenKind.words) of \(profile.bundleID) (\(type.rawValue)\(priority))")
  }

  /// - Parameter what: the key of the step.
  func body(_ fields: Fields, _ what: String) throws(InputProblem) -> ProviderStep {
    if let raw = fields["raw"] {
      guard !fields.has("payload") else { throw fields.problem("raw", "payload and raw cannot be combined.") }
      guard let text = raw.spelling else {
        throw fields.problem("raw", "raw must be the body as text, such as raw: \"{\"; use payload for JSON.")
      }
      do {
        var step = ProviderStep(payload: .fixed(.null))
        step.raw = try ScenarioText(text)
        return step
      } catch {
        throw fields.problem("raw", error.description)
      }
    }
    guard let payload = fields["payload"], payload.pairs != nil else {
      throw fields.problem(
        fields.has("payload") ? "payload" : nil, "\(what) needs a payload, such as payload: {aps: {alert: Hello}}.")
    }
    do {
      return ProviderStep(payload: try ScenarioPayload(payload.json))
    } catch {
      throw fields.problem("payload", error.description)
    }
  }

  private func type(
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

  /// - Parameter usual: headers that need not be given; those given replace them.
  func headers(
    _ fields: Fields, _ usual: [(name: String, value: String)]
  ) throws(InputProblem) -> [(name: String, value: ScenarioText)] {
    var list = usual
    if let priority = try fields.spelling("priority") {
      list.removeAll { $0.name == "apns-priority" }
      list.append(("apns-priority", priority))
    }
    if let node = fields["headers"] {
      guard let mapping = node.pairs else {
        throw fields.problem("headers", "headers must have names and values, such as apns-expiration: 0.")
      }
      for (key, value) in mapping {
        guard let name = key.text, !name.isEmpty, !name.hasPrefix(":"), name == name.lowercased() else {
          throw InputProblem(key.place, "a header name must be in lower case, such as apns-expiration.")
        }
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
        throw fields.problem("headers", error.description)
      }
    }
    return headers
  }
}
