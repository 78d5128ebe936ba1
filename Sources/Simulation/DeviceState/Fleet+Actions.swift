import APNs
import Devices
import Timeline

/// Orders for one device: each is checked against the phone's state.
extension Fleet {
  /// The phone operation for an order, if it is possible.
  func operation(for action: DeviceAction, on device: DeviceID, at now: Instant) throws(CommandProblem)
    -> PhoneOperation
  {
    switch action {
    case .uninstall, .reinstall, .updateApp, .rotate, .permit: try installOperation(action, device, at: now)
    case .open, .leave, .forceQuit, .terminate, .crash: try processOperation(action, device, at: now)
    case .start, .updateActivity, .endActivity, .evict, .swipe, .tap, .longPress, .allow, .deny:
      try activityOperation(action, device, at: now)
    case .tapNotification, .clearNotifications: try notificationOperation(action, device, at: now)
    case .lock, .unlock, .lightScreen, .darkenScreen: try screenOperation(action, device, at: now)
    case .reboot, .restore, .setClock, .updateSystem, .flip: try systemOperation(action, device, at: now)
    case .use, .goOffline, .goOnline: { _, _ in true }
    }
  }

  /// The reason why a phone could not perform an action.
  func rejection(of action: DeviceAction, on device: DeviceID) -> CommandProblem {
    switch action {
    case .updateActivity:
      return CommandProblem(
        .impossible, field: "activity",
        sentence:
          "The app cannot update it: its card waits for an answer, the timestamp is not newer than the last one, or "
          + "attributes and content together are larger than 4,096 bytes.")
    case .endActivity:
      return CommandProblem(
        .impossible, field: "activity",
        sentence: "Its card shows the Allow question; the app cannot end it before it is answered.")
    case .tapNotification(_, let name):
      let app = (try? installed(name, on: device)) ?? 0
      let there = install(device, app: app).notifications.shown.map { String($0.number) }
      return CommandProblem(
        .impossible, field: "notification",
        sentence: there.isEmpty
          ? "\(bundleID(app)) has no notification on \(device.text)."
          : "\(bundleID(app)) has no such notification on \(device.text); it has \(there.joined(separator: ", ")).")
    case .clearNotifications(let name):
      let app = (try? installed(name, on: device)) ?? 0
      return CommandProblem(
        .impossible, field: "do", sentence: "\(bundleID(app)) has no notifications on \(device.text).")
    default: return CommandProblem(.impossible, field: "do", sentence: "\(device.text) cannot do that.")
    }
  }

  func bundleID(_ app: Int) -> String { plan.apps[app].bundleID }
}

/// An operation on a phone; it returns whether it was possible.
typealias PhoneOperation = (inout Phone, inout PhoneTurn) -> Bool
