import APNs
import Devices
import Timeline

/// Orders about installed apps, their processes and notifications, and the phone itself.
extension Fleet {
  func installOperation(_ action: DeviceAction, _ device: DeviceID, at now: Instant) throws(CommandProblem)
    -> PhoneOperation
  {
    switch action {
    case .uninstall(let name):
      let app = try installed(name, on: device)
      return { phone, turn in
        phone.uninstall(app, &turn)
        return true
      }
    case .reinstall(let name, let opens):
      let app = try app(name, on: device)
      guard !install(device, app: app).isInstalled else {
        throw CommandProblem(
          .impossible, field: "do", sentence: "\(bundleID(app)) is installed on \(device.text); uninstall it first.")
      }
      return { phone, turn in
        phone.reinstall(app, opens: opens, &turn)
        return true
      }
    case .updateApp(let name):
      let app = try installed(name, on: device)
      guard !install(device, app: app).isUpdated else {
        throw CommandProblem(
          .impossible, field: "do",
          sentence: "The next version of \(bundleID(app)) is already installed on \(device.text).")
      }
      return { phone, turn in
        phone.update(app, &turn)
        return true
      }
    case .rotate(let kind, let name, let type, let activity, let silently):
      let app = try installed(name, on: device)
      let named = TokenSlotName(kind, app: name, attributesType: type, activity: activity)
      let slot = try slot(named, on: device, app: app, at: now)
      try requireToken(slot, on: device, app: app)
      return { phone, turn in
        phone.rotate(app: app, slot: slot, silently: silently, &turn)
        return true
      }
    case .permit(let permission, let name):
      let app = try installed(name, on: device)
      guard phone(device).installs[app].permission != permission else {
        throw CommandProblem(
          .impossible, field: "notifications",
          sentence: "Notifications of \(bundleID(app)) are already \(permission.rawValue) on \(device.text).")
      }
      return { phone, turn in
        phone.permit(permission, app: app, &turn)
        return true
      }
    default: return { _, _ in false }
    }
  }

  /// Actions on an app's process.
  func processOperation(_ action: DeviceAction, _ device: DeviceID, at now: Instant) throws(CommandProblem)
    -> PhoneOperation
  {
    switch action {
    case .open(let name):
      let app = try installed(name, on: device)
      guard phone(device).installs[app].life != .foreground else { throw already(app, on: device, is: .foreground) }
      return open(app, at: now)
    case .leave(let name):
      let app = try installed(name, on: device)
      let life = phone(device).installs[app].life
      guard life == .foreground else {
        throw CommandProblem(
          .impossible, field: "do",
          sentence: "\(bundleID(app)) is not in the foreground on \(device.text); it is \(life.rawValue).")
      }
      return { phone, turn in
        phone.leave(app, &turn)
        return true
      }
    case .forceQuit(let name): return try stop(name, as: .forceQuit, on: device, at: now)
    case .terminate(let name): return try stop(name, as: .terminated, on: device, at: now)
    case .crash(let name): return try stop(name, as: .crashed, on: device, at: now)
    default: return { _, _ in false }
    }
  }

  func open(_ app: Int, at now: Instant) -> PhoneOperation {
    { phone, turn in
      phone.open(app, &turn)
      return true
    }
  }

  private func stop(
    _ name: String?, as end: ProcessEnd, on device: DeviceID, at now: Instant
  ) throws(CommandProblem) -> PhoneOperation {
    let app = try installed(name, on: device)
    let present = phone(device).installs[app].life
    guard present != end.life else { throw already(app, on: device, is: present) }
    // The system can only end an app with a process; the person can remove any launched app from the app switcher.
    guard present != .neverLaunched, end == .forceQuit || present.hasProcess else {
      throw CommandProblem(
        .impossible, field: "do",
        sentence: "\(bundleID(app)) has no process on \(device.text); it is \(present.rawValue).")
    }
    return { phone, turn in
      phone.stop(app, as: end, &turn)
      return true
    }
  }

  private func already(_ app: Int, on device: DeviceID, is life: AppLifecycle) -> CommandProblem {
    CommandProblem(
      .impossible, field: "do", sentence: "\(bundleID(app)) is already \(life.rawValue) on \(device.text).")
  }

  func notificationOperation(
    _ action: DeviceAction, _ device: DeviceID, at now: Instant
  ) throws(CommandProblem) -> PhoneOperation {
    switch action {
    case .tapNotification(let number, let name):
      let app = try installed(name, on: device)
      return { $0.tapNotification(number, app: app, &$1) }
    case .clearNotifications(let name):
      let app = try installed(name, on: device)
      return { phone, turn in phone.clearNotifications(app, &turn) }
    default: return { _, _ in false }
    }
  }

  func screenOperation(_ action: DeviceAction, _ device: DeviceID, at now: Instant) throws(CommandProblem)
    -> PhoneOperation
  {
    let phone = phone(device)
    let isLit = phone.condition.contains(.screenOn)
    func require(_ isOtherwise: Bool, _ state: String) throws(CommandProblem) {
      guard !isOtherwise else { return }
      throw CommandProblem(.impossible, field: "do", sentence: "\(device.text) is already \(state).")
    }
    switch action {
    case .lock: try require(!phone.isLocked, "locked")
    case .unlock: try require(phone.isLocked, "unlocked")
    case .lightScreen: try require(!isLit, "lit")
    case .darkenScreen: try require(isLit, "dark")
    default: return { _, _ in false }
    }
    return { phone, turn in
      switch action {
      case .lock: phone.lock(&turn)
      case .unlock: phone.unlock(&turn)
      case .lightScreen: phone.lightScreen(&turn)
      default: phone.darkenScreen(&turn)
      }
      return true
    }
  }

  func systemOperation(_ action: DeviceAction, _ device: DeviceID, at now: Instant) throws(CommandProblem)
    -> PhoneOperation
  {
    switch action {
    case .reboot:
      return { phone, turn in
        phone.reboot(&turn)
        return true
      }
    case .restore:
      return { phone, turn in
        phone.restore(&turn)
        return true
      }
    case .setClock(let ahead):
      return { phone, turn in
        phone.setClock(ahead: ahead, &turn)
        return true
      }
    case .updateSystem(let version):
      let present = os(of: device)
      guard version > present else {
        throw CommandProblem(
          .impossible, field: "os",
          sentence: "\(device.text) runs iOS \(present.text); it can only be updated to a later version.")
      }
      return { phone, turn in
        phone.updateSystem(to: version, &turn)
        return true
      }
    case .flip(let what, let on, let name):
      if !what.isOfApp, name != nil {
        throw CommandProblem(
          .impossible, field: "app", sentence: "\(what.rawValue) is a switch of the phone; leave app out.")
      }
      let app = what.isOfApp ? try installed(name, on: device) : 0
      guard phone(device).isOn(what, app: app) != on else {
        throw CommandProblem(
          .impossible, field: "on", sentence: "\(what.rawValue) is already \(on ? "on" : "off") on \(device.text).")
      }
      return { phone, turn in
        phone.flip(what, on: on, app: app, &turn)
        return true
      }
    default: return { _, _ in false }
    }
  }
}
