import Devices
import Grammar
import Reporting
import Timeline
import WireFormats

/// Reads the `reports` of an app: which events send which requests to its backend.
struct ReportSettings {
  let file: SettingsFile
  let profile: AppProfile

  private var types: [AttributesType] { profile.types }

  private static let keys = [
    "backend", "headers", "timeout", "runtimeBound", "inOrder", "dedupe", "follows", "staleCheck", "on",
  ]

  func read(_ node: SourceNode) throws(InputProblem) -> ReportPlan {
    var plan = ReportPlan()
    let follows = node["follows"] != nil
    for entry in try file.members(node, "reports", known: Self.keys) {
      let (key, value) = (entry.key, entry.value)
      switch key {
      case "backend": plan.backend = try file.backend(value)
      case "headers": plan.headers = try fields(value, "headers")
      case "timeout": plan.timeout = try file.duration(value, key)
      case "runtimeBound": plan.isRuntimeBound = try file.truth(value, key)
      case "inOrder": plan.isInOrder = try file.truth(value, key)
      case "dedupe": plan.dedupes = try file.truth(value, key)
      case "follows": plan.follows = try self.follows(value)
      case "staleCheck": plan.staleCheck = try staleCheck(value)
      case "on": try events(value, follows: follows, into: &plan)
      default: break
      }
    }
    if let node = node["headers"] {
      for field in plan.headers { try checkGeneral(field.value.references, node) }
    }
    if let node = node["follows"], let follows = plan.follows { try check(follows, plan: plan, node: node) }
    return plan
  }

  private func events(_ node: SourceNode, follows: Bool, into plan: inout ReportPlan) throws(InputProblem) {
    guard let mapping = node.pairs else {
      throw InputProblem(node.place, "on must have events and their requests, such as {deviceToken: […]}.")
    }
    for (name, value) in mapping {
      let event = try saying(name) { () throws(TemplateProblem) in try ReportEvent(name.text ?? "") }
      try check(event, name)
      guard let sequence = value.elements else {
        throw InputProblem(
          value.place, "\(event.name) must be a list of requests, each beginning with a dash.")
      }
      var requests: [RequestTemplate] = []
      for entry in sequence {
        requests.append(try RequestSettings(file: file, types: types, event: event, follows: follows).read(entry))
      }
      plan.add(ReportPlan.Entry(event, requests))
    }
  }

  /// A card or a notification of the app must have the button, or take the text, or else the event never comes.
  private func check(_ event: ReportEvent, _ node: SourceNode) throws(InputProblem) {
    switch event {
    case .button(let name) where !profile.buttons.contains(name):
      let known = profile.buttons
      var hint = "they have \(known.joined(separator: ", "))."
      if known.isEmpty { hint = "give it a title there, such as buttons: {\(name): …}." }
      if let near = SpellingSuggestion.nearest(to: name, among: known) { hint = "did you mean \(near)?" }
      throw InputProblem(
        node.place, "\(event.name): no card or category of the app has the button \(name); \(hint)")
    case .reply where profile.categories.allSatisfy({ $0.reply == nil }):
      throw InputProblem(
        node.place, "reply: no category of the app takes a text, such as categories: {MESSAGE: {reply: Reply}}.")
    default: break
    }
  }

  /// Headers of all requests can only use values that every event has.
  private func checkGeneral(_ references: [TemplateReference], _ node: SourceNode) throws(InputProblem) {
    try saying(node) { () throws(TemplateProblem) in try ReportEvent.foreground.check(references) }
  }

  private func follows(_ node: SourceNode) throws(InputProblem) -> ReportPlan.Follows {
    let known = ["key", "follow", "unfollow"]
    var values: [String: String] = [:]
    for entry in try file.members(node, "follows", known: known) {
      values[entry.key] = try file.scalar(entry.value, entry.key)
    }
    guard let key = values["key"] else {
      throw InputProblem(
        node.place, "follows needs a key: the argument and attribute that identify what is followed.")
    }
    return ReportPlan.Follows(
      key: key, follow: values["follow"] ?? "follow", unfollow: values["unfollow"] ?? "unfollow")
  }

  private func check(
    _ follows: ReportPlan.Follows, plan: ReportPlan, node: SourceNode
  ) throws(InputProblem) {
    for action in [follows.follow, follows.unfollow] where !plan.actions.contains(action) {
      throw InputProblem(
        node.place, "follows names the action \(action), but on has no action.\(action).")
    }
  }

  private func staleCheck(_ node: SourceNode) throws(InputProblem) -> ReportPlan.StaleCheck {
    var after: Duration?
    var every: Duration = .seconds(60)
    var unless: TemplateReference?
    for entry in try file.members(node, "staleCheck", known: ["after", "every", "unless"]) {
      let (key, value) = (entry.key, entry.value)
      switch key {
      case "after": after = try file.duration(value, key)
      case "every": every = max(.seconds(1), try file.duration(value, key))
      default:
        let text = try file.scalar(value, key)
        let reference = try saying(value) { () throws(TemplateProblem) in try TemplateReference(text) }
        guard reference.root == .contentState else {
          throw InputProblem(
            value.place, "unless must name a value of the content, such as contentState.suspended.")
        }
        try RequestSettings(file: file, types: types, event: .contentApplied).check(reference, value)
        unless = reference
      }
    }
    guard let after else {
      throw InputProblem(node.place, "staleCheck needs after, such as {after: 30m}.")
    }
    return ReportPlan.StaleCheck(after: after, every: every, unless: unless)
  }

  private func fields(_ node: SourceNode, _ key: String) throws(InputProblem) -> [RequestTemplate.Field] {
    try RequestSettings(file: file, types: types, event: .foreground).fields(node, key)
  }

  private func saying<Result>(
    _ node: SourceNode, _ body: () throws(TemplateProblem) -> Result
  ) throws(InputProblem) -> Result {
    try file.saying(node, body)
  }
}
