import APNs
import Devices
import Grammar
import Timeline
import WireFormats

struct UninstallApp: PhoneActionKind, AppActionKind {
  static let shape = ActionShape<Self>(
    "uninstall", "Delete an app",
    meaning: "A deleted app's tokens are dead; APNs learns it from later pushes, hours later.",
    members: [.app])

  var app: String?

  var opposite: DeviceAction? { .reinstall(app: app) }

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let app = try fleet.installed(app, on: device)
    return .done { $0.uninstall(app, &$1) }
  }
}

struct ReinstallApp: PhoneActionKind, AppActionKind {
  static let shape = ActionShape<Self>(
    "reinstall", "Install a deleted app again",
    members: [
      .app,
      .usual(
        "open", at: \.opens, as: .truth, is: true,
        "Whether it is opened at once; an app that was never opened has no tokens."),
    ])

  var app: String?
  var opens = true

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let app = try fleet.app(app, on: device)
    guard !fleet.install(device, app: app).isInstalled else {
      throw CommandProblem(
        .impossible, field: "do",
        sentence: "\(fleet.bundleID(app)) is installed on \(device.text); uninstall it first.")
    }
    return .done { [opens] in $0.reinstall(app, opens: opens, &$1) }
  }
}

struct UpdateApp: PhoneActionKind, AppActionKind {
  static let shape = ActionShape<Self>(
    "updateApp", "Install the next version of an app over the present one",
    meaning: "The app gets the types of its next version, if the fleet's plan has any; tokens and activities continue.",
    members: [.app])

  var app: String?

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let app = try fleet.installed(app, on: device)
    guard !fleet.install(device, app: app).isUpdated else {
      throw CommandProblem(
        .impossible, field: "do",
        sentence: "The next version of \(fleet.bundleID(app)) is already installed on \(device.text).")
    }
    return .done { $0.update(app, &$1) }
  }
}

struct RotateToken: PhoneActionKind, AppActionKind {
  static let shape = ActionShape<Self>(
    "rotate", "Replace a token",
    members: [
      .app,
      .key("kind", as: .tokenKind, isNeeded: true) { (fields, action) throws(InputProblem) in
        let token = try TokenChoice(fields)
        (action.kind, action.attributesType, action.activity) = (token.kind, token.attributesType, token.activity)
      } write: {
        .string($0.kind.name)
      },
      .also("attributesType", at: \.attributesType, as: .text, "For a pushToStart token. Default: the app's first."),
      .also(
        "activity", at: \.activity, as: .text(as: .activityID),
        "For an update token. Default: the only one that runs."),
      .usual("silent", at: \.silently, as: .truth, is: false, "The app is not told about the new token."),
    ])

  var app: String?
  var kind = TokenKind.device
  var attributesType: String?
  var activity: String?
  var silently = false

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let app = try fleet.installed(app, on: device)
    let named = TokenSlotName(kind, app: self.app, attributesType: attributesType, activity: activity)
    let slot = try fleet.slot(named, on: device, app: app, at: now)
    try fleet.requireToken(slot, on: device, app: app)
    return .done { [silently] in $0.rotate(app: app, slot: slot, silently: silently, &$1) }
  }
}

/// The person's answer to the app's request for permission to notify.
struct AnswerNotifications: PhoneActionKind, AppActionKind {
  static let shape = ActionShape<Self>(
    "permit", "Answer whether an app may notify",
    members: [.app, .needed("notifications", at: \.permission, as: .word(as: .permission))])

  var app: String?
  var permission = NotificationPermission.authorized

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let app = try fleet.installed(app, on: device)
    guard fleet.phone(device).installs[app].permission != permission else {
      throw CommandProblem(
        .impossible, field: "notifications",
        sentence: "Notifications of \(fleet.bundleID(app)) are already \(permission.rawValue) on \(device.text).")
    }
    return .done { [permission] in $0.permit(permission, app: app, &$1) }
  }
}

struct UseApp: AppActionKind {
  static let shape = ActionShape<Self>(
    "use", "Do something in the app",
    meaning: """
      One of the `action.NAME` events of the app's profile, such as a tap on the bell. The app is opened for it,
      and left after a while.
      """,
    members: [
      .app,
      .needed(
        "action", at: \.action, as: .text(wanted: "the name of an action of the app's profile"),
        "An action of the app's profile, such as follow."),
      .usual("arguments", at: \.arguments, as: .object, is: [:], "The values of `{{arg.…}}` in its templates."),
    ])

  var app: String?
  var action = ""
  var arguments: JSONValue = [:]

  func perform(on device: DeviceID, in state: inout DeviceState, at now: Instant) throws(CommandProblem) {
    let moment = AppContext(app: try state.fleet.installed(app, on: device), device: device, now: now)
    try state.use(action, arguments: arguments.members ?? [], in: moment)
  }
}

struct TapNotification: PhoneActionKind, AppActionKind {
  static let shape = ActionShape<Self>(
    "tapNotification", "Tap a notification", meaning: "Its app opens.",
    members: [.app, .maybe("notification", at: \.number, as: .whole, "Its number on the screen. Default: the newest.")])

  var app: String?
  var number: UInt32?

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let app = try fleet.installed(app, on: device)
    return .tried { [number] in $0.tapNotification(number, app: app, &$1) }
  }

  func rejection(on device: DeviceID, in fleet: Fleet) -> CommandProblem {
    let app = (try? fleet.installed(app, on: device)) ?? 0
    let there = fleet.install(device, app: app).notifications.shown.map { String($0.number) }
    let bundleID = fleet.bundleID(app)
    return CommandProblem(
      .impossible, field: "notification",
      sentence: there.isEmpty
        ? "\(bundleID) has no notification on \(device.text)."
        : "\(bundleID) has no such notification on \(device.text); it has \(there.joined(separator: ", ")).")
  }
}

struct ClearNotifications: PhoneActionKind, AppActionKind {
  static let shape = ActionShape<Self>("clearNotifications", "Clear an app's notifications", members: [.app])

  var app: String?

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let app = try fleet.installed(app, on: device)
    return .tried { $0.clearNotifications(app, &$1) }
  }

  func rejection(on device: DeviceID, in fleet: Fleet) -> CommandProblem {
    let bundleID = fleet.bundleID((try? fleet.installed(app, on: device)) ?? 0)
    return CommandProblem(
      .impossible, field: "do", sentence: "\(bundleID) has no notifications on \(device.text).")
  }
}
