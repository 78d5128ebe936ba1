import APNs
import Devices
import Grammar
import Timeline
import WireFormats

/// Reads an action on a device.
package enum ActionReader {
  /// All keys that any action has.
  package static let members: [String] = {
    var all = ["do"]
    for name in DeviceAction.names {
      for member in details(of: name) where !all.contains(member) { all.append(member) }
    }
    return all
  }()

  /// - Parameter others: keys of the body that another reader reads.
  package static func read(_ fields: Fields, beside others: [String] = []) throws(InputProblem) -> DeviceAction {
    let name = try fields.neededChoice("do", DeviceAction.names.map { (name: $0, value: $0) })
    try fields.takesOnly(["do"] + details(of: name), because: name, beside: others)
    let app = try fields.text("app")
    if let action = try appAction(name, app: app, fields: fields) { return action }
    if let action = try activityAction(name, app: app, fields: fields) { return action }
    if let action = try phoneAction(name, app: app, fields: fields) { return action }
    throw fields.problem("do", "do cannot be \(name).")
  }

  private static func appAction(
    _ name: String, app: String?, fields: Fields
  ) throws(InputProblem) -> DeviceAction? {
    switch name {
    case "uninstall": return .uninstall(app: app)
    case "reinstall": return .reinstall(app: app, opens: try fields.truth("open") ?? true)
    case "updateApp": return .updateApp(app: app)
    case "rotate":
      let token = try TokenChoice(fields)
      return .rotate(
        token.kind, app: app, attributesType: token.attributesType, activity: token.activity,
        silently: try fields.truth("silent") ?? false)
    case "open": return .open(app: app)
    case "leave": return .leave(app: app)
    case "forceQuit": return .forceQuit(app: app)
    case "terminate": return .terminate(app: app)
    case "crash": return .crash(app: app)
    case "use":
      return .use(
        try fields.needed("action", "the name of an action of the app's profile"), app: app,
        arguments: try fields.object("arguments")?.members ?? [])
    case "tapNotification":
      return .tapNotification(try fields.whole("notification").map { UInt32(clamping: $0) }, app: app)
    case "clearNotifications": return .clearNotifications(app: app)
    default: return nil
    }
  }

  private static func activityAction(
    _ name: String, app: String?, fields: Fields
  ) throws(InputProblem) -> DeviceAction? {
    switch name {
    case "startActivity": .start(try start(fields))
    case "updateActivity": .updateActivity(try fields.text("activity"), app: app, try update(fields))
    case "endActivity":
      .endActivity(
        try fields.text("activity"), app: app, content: try fields.object("contentState"),
        dismissal: try fields.instant("dismissalDate"))
    case "evict": .evict(try fields.text("activity"), app: app)
    case "swipe": .swipe(try fields.text("activity"), app: app)
    case "tap": .tap(try fields.text("activity"), app: app)
    case "longPress": .longPress(try fields.text("activity"), app: app)
    case "allow": .allow(try fields.text("activity"), app: app)
    case "deny": .deny(try fields.text("activity"), app: app)
    default: nil
    }
  }

  private static func phoneAction(
    _ name: String, app: String?, fields: Fields
  ) throws(InputProblem) -> DeviceAction? {
    switch name {
    case "lock": return .lock
    case "unlock": return .unlock
    case "lightScreen": return .lightScreen
    case "darkenScreen": return .darkenScreen
    case "goOffline": return .goOffline
    case "goOnline": return .goOnline
    case "reboot": return .reboot
    case "restore": return .restore
    case "setClock":
      guard fields.has("ahead") else {
        throw fields.problem("ahead", "ahead is needed: by how much the phone's clock is ahead, such as 90m or -90m.")
      }
      return .setClock(ahead: try fields.offset("ahead", of: "the phone"))
    case "updateSystem": return .updateSystem(try version(fields))
    case "switch":
      let what = try fields.neededChoice("what", PhoneSwitch.allCases.map { (name: $0.rawValue, value: $0) })
      guard let on = try fields.truth("on") else {
        throw fields.problem("on", "on is required: true or false.")
      }
      return .flip(what, on: on, app: app)
    case "permit":
      let choices = NotificationPermission.allCases.map { (name: $0.rawValue, value: $0) }
      return .permit(try fields.neededChoice("notifications", choices), app: app)
    default: return nil
    }
  }

  /// The keys of each action besides its name.
  package static func details(of name: String) -> [String] {
    switch name {
    case "uninstall", "updateApp", "open", "leave", "forceQuit", "terminate", "crash", "clearNotifications": ["app"]
    case "reinstall": ["app", "open"]
    case "rotate": ["app", "kind", "attributesType", "activity", "silent"]
    case "use": ["app", "action", "arguments"]
    case "startActivity":
      [
        "app", "attributesType", "attributes", "contentState", "pushType", "channel", "staleDate", "relevanceScore",
        "style", "startDate", "alert", "from", "error",
      ]
    case "updateActivity":
      ["app", "activity", "contentState", "timestamp", "staleDate", "relevanceScore", "alert"]
    case "endActivity": ["app", "activity", "contentState", "dismissalDate"]
    case "evict", "swipe", "tap", "longPress", "allow", "deny": ["app", "activity"]
    case "setClock": ["ahead"]
    case "tapNotification": ["app", "notification"]
    case "updateSystem": ["os"]
    case "switch": ["app", "what", "on"]
    case "permit": ["app", "notifications"]
    default: []
    }
  }

  private static func start(_ fields: Fields) throws(InputProblem) -> StartActivityRequest {
    var request = StartActivityRequest(app: try fields.text("app"), attributesType: try fields.text("attributesType"))
    request.order.attributes = try fields.object("attributes")
    request.order.content = try fields.object("contentState")
    request.order.updates = try updates(fields)
    request.order.staleDate = try fields.instant("staleDate")
    request.order.relevance = try fields.number("relevanceScore") ?? 0
    request.order.isTransient = try fields.choice("style", [("standard", false), ("transient", true)]) ?? false
    request.order.begins = try fields.instant("startDate")
    request.order.alerts = try fields.truth("alert") ?? false
    request.order.scene =
      try fields.choice("from", ActivityStartRequest.Scene.allCases.map { (name: $0.rawValue, value: $0) })
      ?? .foreground
    request.order.injected = try fields.choice(
      "error", AuthorizationError.allCases.map { (name: $0.rawValue, value: $0) })
    return request
  }

  private static func updates(_ fields: Fields) throws(InputProblem) -> ActivityUpdates {
    let kind = try fields.choice("pushType", [("token", "token"), ("channel", "channel"), ("none", "none")])
    if let channel = try fields.text("channel") {
      guard kind == nil || kind == "channel" else {
        throw fields.problem("channel", "channel is valid only with the push type channel.")
      }
      return .channel(channel)
    }
    if kind == "channel" {
      throw fields.problem("channel", "channel is required: the id of a broadcast channel.")
    }
    return kind == "none" ? .none : .token
  }

  private static func update(_ fields: Fields) throws(InputProblem) -> ActivityUpdateRequest {
    guard let content = try fields.object("contentState") else {
      throw fields.problem("contentState", "contentState is required: the new content of the activity.")
    }
    var order = ActivityUpdateRequest(content: content)
    order.timestamp = try fields.number("timestamp")
    order.staleDate = try fields.instant("staleDate")
    order.relevance = try fields.number("relevanceScore")
    order.alerts = try fields.truth("alert") ?? false
    return order
  }

  private static func version(_ fields: Fields) throws(InputProblem) -> OSVersion {
    let text = try fields.needed("os", "a version of iOS such as 26.2")
    guard let version = OSVersion(text) else {
      throw fields.problem("os", "os must be a version of iOS such as 26.2, not \(Wording.quoted(text)).")
    }
    return version
  }
}

extension ActionReader {
  package static let type = ValueType.members(typed(members), needed: ["do"])

  /// Keys of actions with their types.
  package static func typed(_ names: [String]) -> [(name: String, type: ValueType)] {
    names.compactMap { name in types[name].map { (name, $0) } }
  }

  private static let types: [String: ValueType] = [
    "do": .words(DeviceAction.names), "app": .text(), "open": .truth, "kind": .words(TokenKind.allCases.map(\.name)),
    "attributesType": .text(), "activity": .text(), "silent": .truth, "action": .text(), "arguments": .object,
    "attributes": .object, "contentState": .object, "pushType": .words(["token", "channel", "none"]),
    "channel": .text(), "staleDate": .number, "relevanceScore": .number, "style": .words(["standard", "transient"]),
    "startDate": .number, "alert": .truth, "from": .words(ActivityStartRequest.Scene.allCases.map(\.rawValue)),
    "ahead": .offset, "error": .words(AuthorizationError.allCases.map(\.rawValue)), "timestamp": .number,
    "dismissalDate": .number,
    "notification": .anyWhole, "os": .text(), "what": .words(PhoneSwitch.allCases.map(\.rawValue)), "on": .truth,
    "notifications": .words(NotificationPermission.allCases.map(\.rawValue)),
  ]
}
