import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// Reads what is to be done to a device.
enum ActionOrder {
  /// Every member that some action takes.
  static let members: [String] = {
    var all = ["do"]
    for name in DeviceAction.names {
      for member in details(of: name) where !all.contains(member) { all.append(member) }
    }
    return all
  }()

  /// - Parameter others: members of the body that are not the action's business.
  static func read(_ form: Form, beside others: [String] = []) throws(AdminProblem) -> DeviceAction {
    let name = try form.neededChoice("do", DeviceAction.names.map { (name: $0, value: $0) })
    try form.takesOnly(["do"] + details(of: name), because: name, beside: others)
    let app = try form.text("app")
    switch name {
    case "uninstall": return .uninstall(app: app)
    case "reinstall": return .reinstall(app: app, opens: try form.truth("open") ?? true)
    case "updateApp": return .updateApp(app: app)
    case "rotate":
      let token = try TokenChoice(form)
      return .rotate(
        token.kind, app: app, attributesType: token.attributesType, activity: token.activity,
        silently: try form.truth("silent") ?? false)
    case "open": return .open(app: app)
    case "leave": return .leave(app: app)
    case "forceQuit": return .forceQuit(app: app)
    case "terminate": return .terminate(app: app)
    case "crash": return .crash(app: app)
    case "use":
      return .use(
        try form.needed("action", "the name of an action of the app's profile"), app: app,
        arguments: try form.object("arguments")?.members ?? [])
    case "startActivity": return .start(try start(form))
    case "updateActivity": return .updateActivity(try form.text("activity"), app: app, try update(form))
    case "endActivity":
      return .endActivity(
        try form.text("activity"), app: app, content: try form.object("contentState"),
        dismissal: try form.instant("dismissalDate"))
    case "evict": return .evict(try form.text("activity"), app: app)
    case "swipe": return .swipe(try form.text("activity"), app: app)
    case "tap": return .tap(try form.text("activity"), app: app)
    case "allow": return .allow(try form.text("activity"), app: app)
    case "deny": return .deny(try form.text("activity"), app: app)
    case "tapNotification":
      return .tapNotification(try form.whole("notification").map { UInt32(clamping: $0) }, app: app)
    case "clearNotifications": return .clearNotifications(app: app)
    case "lock": return .lock
    case "unlock": return .unlock
    case "lightScreen": return .lightScreen
    case "darkenScreen": return .darkenScreen
    case "goOffline": return .goOffline
    case "goOnline": return .goOnline
    case "reboot": return .reboot
    case "restore": return .restore
    case "updateSystem": return .updateSystem(try version(form))
    case "switch":
      let what = try form.neededChoice("what", PhoneSwitch.allCases.map { (name: $0.rawValue, value: $0) })
      guard let on = try form.truth("on") else {
        throw AdminProblem(422, "on is needed: true or false.", field: "on")
      }
      return .flip(what, on: on, app: app)
    case "permit":
      let choices = NotificationPermission.allCases.map { (name: $0.rawValue, value: $0) }
      return .permit(try form.neededChoice("notifications", choices), app: app)
    default: throw AdminProblem(422, "Nothing does \(name) yet.", field: "do")
    }
  }

  /// What each action may be told beside its name.
  private static func details(of name: String) -> [String] {
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
    case "evict", "swipe", "tap", "allow", "deny": ["app", "activity"]
    case "tapNotification": ["app", "notification"]
    case "updateSystem": ["os"]
    case "switch": ["app", "what", "on"]
    case "permit": ["app", "notifications"]
    default: []
    }
  }

  private static func start(_ form: Form) throws(AdminProblem) -> StartRequest {
    var request = StartRequest(app: try form.text("app"), attributesType: try form.text("attributesType"))
    request.order.attributes = try form.object("attributes")
    request.order.content = try form.object("contentState")
    request.order.updates = try updates(form)
    request.order.staleDate = try form.instant("staleDate")
    request.order.relevance = try form.number("relevanceScore") ?? 0
    request.order.isTransient = try form.choice("style", [("standard", false), ("transient", true)]) ?? false
    request.order.begins = try form.instant("startDate")
    request.order.alerts = try form.truth("alert") ?? false
    request.order.scene =
      try form.choice("from", StartOrder.Scene.allCases.map { (name: $0.rawValue, value: $0) }) ?? .foreground
    request.order.injected = try form.choice(
      "error", AuthorizationError.allCases.map { (name: $0.rawValue, value: $0) })
    return request
  }

  private static func updates(_ form: Form) throws(AdminProblem) -> ActivityUpdates {
    let kind = try form.choice("pushType", [("token", "token"), ("channel", "channel"), ("none", "none")])
    if let channel = try form.text("channel") {
      guard kind == nil || kind == "channel" else {
        throw AdminProblem(422, "channel belongs to the push type channel.", field: "channel")
      }
      return .channel(channel)
    }
    if kind == "channel" {
      throw AdminProblem(422, "channel is needed: the id of a broadcast channel.", field: "channel")
    }
    return kind == "none" ? .none : .token
  }

  private static func update(_ form: Form) throws(AdminProblem) -> UpdateOrder {
    guard let content = try form.object("contentState") else {
      throw AdminProblem(422, "contentState is needed: what the activity shall show.", field: "contentState")
    }
    var order = UpdateOrder(content: content)
    order.timestamp = try form.number("timestamp")
    order.staleDate = try form.instant("staleDate")
    order.relevance = try form.number("relevanceScore")
    order.alerts = try form.truth("alert") ?? false
    return order
  }

  private static func version(_ form: Form) throws(AdminProblem) -> OSVersion {
    let text = try form.needed("os", "a version of iOS such as 26.2")
    guard let version = OSVersion(text) else {
      throw AdminProblem(422, "os is a version of iOS such as 26.2, not \(Words.quoted(text)).", field: "os")
    }
    return version
  }
}
