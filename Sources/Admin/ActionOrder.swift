import Devices
import Simulation

/// Reads what is to be done to a device.
enum ActionOrder {
  static let members = ["do", "app", "kind", "attributesType", "activity"]

  static func read(_ form: Form) throws(AdminProblem) -> DeviceAction {
    let name = try form.neededChoice("do", DeviceAction.names.map { (name: $0, value: $0) })
    try form.takesOnly(["do"] + details(of: name), because: name)
    let app = try form.text("app")
    switch name {
    case "uninstall": return .uninstall(app: app)
    case "reinstall": return .reinstall(app: app)
    case "rotate":
      let token = try TokenChoice(form)
      return .rotate(token.kind, app: app, attributesType: token.attributesType, activity: token.activity)
    case "startActivity": return .startActivity(app: app, attributesType: try form.text("attributesType"))
    case "endActivity": return .endActivity(try form.text("activity"), app: app)
    case "swipe": return .swipe(try form.text("activity"), app: app)
    case "goOffline": return .goOffline
    case "goOnline": return .goOnline
    case "reboot": return .reboot
    default: preconditionFailure("\(name) is among the names of actions, and nothing does it")
    }
  }

  /// What each action may be told beside its name.
  private static func details(of name: String) -> [String] {
    switch name {
    case "uninstall", "reinstall": ["app"]
    case "rotate": ["app", "kind", "attributesType", "activity"]
    case "startActivity": ["app", "attributesType"]
    case "endActivity", "swipe": ["app", "activity"]
    default: []
    }
  }
}
