import APNs
import Devices
import Timeline

/// Orders for one device: each is checked against the phone's state, and then the phone acts.
extension Partition {
  /// Carries out an order, or throws the reason; a rejected order changes nothing.
  mutating func perform(_ action: DeviceAction, on device: DeviceID, at now: Instant) throws(CommandProblem) {
    switch action {
    case .use(let name, let app, let arguments):
      let moment = AppContext(app: try installed(app, on: device), device: device, now: now)
      try use(name, arguments, moment)
    case .goOffline: try setOnline(false, device, at: now)
    case .goOnline:
      try setOnline(true, device, at: now)
      deliverStored(to: device, at: now)
      deliverMissed(to: device, at: now)
    default:
      let act = try act(action, on: device, at: now)
      guard ask(device, at: now, act) else { throw rejection(of: action, on: device) }
    }
  }

  private mutating func setOnline(_ online: Bool, _ device: DeviceID, at now: Instant) throws(CommandProblem) {
    guard fleet.isOnline(device) != online else {
      throw CommandProblem(.impossible, "do", "\(device.text) is already \(online ? "online" : "offline").")
    }
    ask(device, at: now) { $0.setOnline(online, &$1) }
  }

  /// The phone operation for an order, if it is possible.
  private func act(_ action: DeviceAction, on device: DeviceID, at now: Instant) throws(CommandProblem)
    -> PhoneOperation
  {
    switch action {
    case .uninstall, .reinstall, .updateApp, .rotate, .permit: try installAct(action, device, at: now)
    case .open, .leave, .forceQuit, .terminate, .crash: try processAct(action, device, at: now)
    case .start, .updateActivity, .endActivity, .evict, .swipe, .tap, .longPress, .allow, .deny:
      try activityAct(action, device, at: now)
    case .tapNotification, .clearNotifications: try notificationAct(action, device, at: now)
    case .lock, .unlock, .lightScreen, .darkenScreen: try screenAct(action, device, at: now)
    case .reboot, .restore, .setClock, .updateSystem, .flip: try systemAct(action, device, at: now)
    case .use, .goOffline, .goOnline: { _, _ in true }
    }
  }

  /// Why a phone could not carry out an action.
  private func rejection(of action: DeviceAction, on device: DeviceID) -> CommandProblem {
    switch action {
    case .updateActivity:
      return CommandProblem(
        .impossible, "activity",
        "The app cannot update it: its card waits for an answer, the timestamp is not newer than the last one, or "
          + "attributes and content together are larger than 4,096 bytes.")
    case .endActivity:
      return CommandProblem(
        .impossible, "activity", "Its card shows the Allow question; the app cannot end it before it is answered.")
    case .tapNotification(_, let name):
      let app = (try? installed(name, on: device)) ?? 0
      let there = fleet.install(device, app: app).notifications.shown.map { String($0.number) }
      return CommandProblem(
        .impossible, "notification",
        there.isEmpty
          ? "\(bundleID(app)) has no notification on \(device.text)."
          : "\(bundleID(app)) has no such notification on \(device.text); it has \(there.joined(separator: ", ")).")
    case .clearNotifications(let name):
      let app = (try? installed(name, on: device)) ?? 0
      return CommandProblem(.impossible, "do", "\(bundleID(app)) has no notifications on \(device.text).")
    default: return CommandProblem(.impossible, "do", "\(device.text) cannot do that.")
    }
  }

  func bundleID(_ app: Int) -> String { fleet.plan.apps[app].bundleID }
}

/// An operation on a phone; it returns whether it was possible.
typealias PhoneOperation = (inout Phone, inout PhoneTurn) -> Bool
