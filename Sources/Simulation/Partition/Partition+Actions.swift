import APNs
import Devices
import Timeline

/// What is ordered of one device: the order is checked against the phone as it is, and then the phone acts.
extension Partition {
  /// Carries out an order, or says why not; an order refused changes nothing.
  mutating func perform(
    _ action: DeviceAction, on device: DeviceID, at now: Instant, _ faults: inout FaultRegistry,
    _ output: inout EventList
  ) throws(CommandProblem) {
    switch action {
    case .use(let name, let app, let arguments):
      let moment = AppContext(app: try installed(app, on: device), device: device, now: now)
      try use(name, arguments, moment, &faults, &output)
    case .goOffline: try setOnline(false, device, at: now, &faults, &output)
    case .goOnline:
      try setOnline(true, device, at: now, &faults, &output)
      deliverStored(to: device, at: now, &faults, &output)
      deliverMissed(to: device, at: now, &faults, &output)
    default:
      let act = try act(action, on: device, at: now)
      guard ask(device, at: now, &faults, &output, act) else { throw rejection(of: action, on: device) }
    }
  }

  private mutating func setOnline(
    _ online: Bool, _ device: DeviceID, at now: Instant, _ faults: inout FaultRegistry, _ output: inout EventList
  ) throws(CommandProblem) {
    guard fleet.isOnline(device) != online else {
      throw CommandProblem(.senseless, "do", "\(device.text) is \(online ? "online" : "offline") already.")
    }
    ask(device, at: now, &faults, &output) { $0.setOnline(online, $1, at: now, &$2) }
  }

  /// What the phone is asked to do for an order, if that makes sense.
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
    case .use, .goOffline, .goOnline: { _, _, _ in true }
    }
  }

  /// Why a phone could not do what it was asked for.
  private func rejection(of action: DeviceAction, on device: DeviceID) -> CommandProblem {
    switch action {
    case .updateActivity:
      return CommandProblem(
        .senseless, "activity",
        "The app cannot update it: its card waits for an answer, the timestamp is not newer than the last, or "
          + "attributes and content are over 4,096 bytes together.")
    case .endActivity:
      return CommandProblem(
        .senseless, "activity", "Its card asks whether to allow it, and until that is answered no app ends it.")
    case .tapNotification(_, let name):
      let app = (try? installed(name, on: device)) ?? 0
      let there = fleet.install(device, app: app).notifications.shown.map { String($0.number) }
      return CommandProblem(
        .senseless, "notification",
        there.isEmpty
          ? "\(bundleID(app)) has no notification on \(device.text)."
          : "\(bundleID(app)) has no such notification on \(device.text); there are \(there.joined(separator: ", ")).")
    case .clearNotifications(let name):
      let app = (try? installed(name, on: device)) ?? 0
      return CommandProblem(.senseless, "do", "\(bundleID(app)) has no notifications on \(device.text).")
    default: return CommandProblem(.senseless, "do", "\(device.text) cannot do that.")
    }
  }

  func bundleID(_ app: Int) -> String { fleet.plan.apps[app].bundleID }
}

/// What a phone is asked to do; it says whether it could.
typealias PhoneOperation = (inout Phone, PhoneModel, inout PhoneEffects) -> Bool
