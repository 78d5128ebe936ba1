import APNs
import Devices
import Grammar
import Timeline
import WireFormats

struct LockPhone: PhoneActionKind {
  static let shape = ActionShape<Self>("lock", "Lock the phone")

  var opposite: DeviceAction? { .unlock }

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    guard !fleet.phone(device).isLocked else { throw already("locked", device) }
    return .done { $0.lock(&$1) }
  }
}

struct UnlockPhone: PhoneActionKind {
  static let shape = ActionShape<Self>("unlock", "Unlock the phone")

  var opposite: DeviceAction? { .lock }

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    guard fleet.phone(device).isLocked else { throw already("unlocked", device) }
    return .done { $0.unlock(&$1) }
  }
}

struct LightScreen: PhoneActionKind {
  static let shape = ActionShape<Self>("lightScreen", "Turn the screen on")

  var opposite: DeviceAction? { .darkenScreen }

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    guard !fleet.phone(device).condition.contains(.screenOn) else { throw already("lit", device) }
    return .done { $0.lightScreen(&$1) }
  }
}

struct DarkenScreen: PhoneActionKind {
  static let shape = ActionShape<Self>("darkenScreen", "Turn the screen off")

  var opposite: DeviceAction? { .lightScreen }

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    guard fleet.phone(device).condition.contains(.screenOn) else { throw already("dark", device) }
    return .done { $0.darkenScreen(&$1) }
  }
}

struct GoOffline: ActionKind {
  static let shape = ActionShape<Self>("goOffline", "Lose the connection")

  var opposite: DeviceAction? { .goOnline }

  func perform(on device: DeviceID, in state: inout DeviceState, at now: Instant) throws(CommandProblem) {
    guard state.fleet.isOnline(device) else { throw already("offline", device) }
    state.ask(device, at: now) { $0.setOnline(false, &$1) }
  }
}

struct GoOnline: ActionKind {
  static let shape = ActionShape<Self>(
    "goOnline", "Connect again", meaning: "The phone gets what APNs has stored for it.")

  var opposite: DeviceAction? { .goOffline }

  func perform(on device: DeviceID, in state: inout DeviceState, at now: Instant) throws(CommandProblem) {
    guard !state.fleet.isOnline(device) else { throw already("online", device) }
    state.ask(device, at: now) { $0.setOnline(true, &$1) }
    state.deliverStored(to: device, at: now)
    state.deliverMissed(to: device, at: now)
  }
}

private func already(_ condition: String, _ device: DeviceID) -> CommandProblem {
  CommandProblem(.impossible, field: "do", sentence: "\(device.text) is already \(condition).")
}

struct RebootPhone: PhoneActionKind {
  static let shape = ActionShape<Self>("reboot", "Reboot the phone")

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    .done { $0.reboot(&$1) }
  }
}

struct RestorePhone: PhoneActionKind {
  static let shape = ActionShape<Self>(
    "restore", "Restore a backup", meaning: "Every token changes, and an app has none before it is opened.")

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    .done { $0.restore(&$1) }
  }
}

struct SetClock: PhoneActionKind {
  static let shape = ActionShape<Self>(
    "setClock", "Set the phone's clock",
    meaning: "Stale and dismissal dates, and the times that its apps report, go by this clock.",
    members: [
      .needed(
        "ahead", at: \.ahead,
        as: .offset(of: "the phone", wanted: "by how much the phone's clock is ahead, such as 90m or -90m"),
        "By how much it is ahead, such as 90m or -90m.")
    ])

  var ahead = Duration.zero

  var opposite: DeviceAction? { .setClock(ahead: .zero) }

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    .done { $0.setClock(ahead: ahead, &$1) }
  }
}

struct UpdateSystem: PhoneActionKind {
  static let shape = ActionShape<Self>(
    "updateSystem", "Install a later version of iOS", members: [.needed("os", at: \.version, as: .version)])

  var version = OSVersion(0, 0)

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let present = fleet.os(of: device)
    guard version > present else {
      throw CommandProblem(
        .impossible, field: "os",
        sentence: "\(device.text) runs iOS \(present.text); it can only be updated to a later version.")
    }
    return .done { $0.updateSystem(to: version, &$1) }
  }
}

struct FlipSwitch: PhoneActionKind, AppActionKind {
  static let shape = ActionShape<Self>(
    "switch", "Switch something", meaning: "`app` is only for switches of an app.",
    members: [.app, .needed("what", at: \.what, as: .word(as: .phoneSwitch)), .needed("on", at: \.on, as: .truth)])

  var app: String?
  var what = PhoneSwitch.lowPower
  var on = true

  var opposite: DeviceAction? { .flip(what, on: !on, app: app) }

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    if !what.isOfApp, app != nil {
      throw CommandProblem(
        .impossible, field: "app", sentence: "\(what.rawValue) is a switch of the phone; leave app out.")
    }
    let app = what.isOfApp ? try fleet.installed(app, on: device) : 0
    guard fleet.phone(device).isOn(what, app: app) != on else {
      throw CommandProblem(
        .impossible, field: "on", sentence: "\(what.rawValue) is already \(on ? "on" : "off") on \(device.text).")
    }
    return .done { [what, on] in $0.flip(what, on: on, app: app, &$1) }
  }
}

extension FieldForm<OSVersion> {
  fileprivate static var version: FieldForm {
    FieldForm(.version, wanted: "a version of iOS such as 26.2") { (fields, name) throws(InputProblem) in
      guard let text = try fields.text(name) else { return nil }
      guard let version = OSVersion(text) else {
        throw fields.problem(name, "os must be a version of iOS such as 26.2, not \(Wording.quoted(text)).")
      }
      return version
    } write: {
      .string($0.text)
    }
  }
}
