import APNs
import Devices
import Timeline
import WireFormats

struct OpenApp: PhoneActionKind, AppActionKind {
  static let shape = ActionShape<Self>(
    "open", "Open an app", meaning: "The phone is unlocked and its screen turned on; both stay so.", members: [.app])

  var app: String?

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let app = try fleet.installed(app, on: device)
    guard fleet.phone(device).installs[app].life != .foreground else {
      throw fleet.already(app, on: device, is: .foreground)
    }
    return .done { $0.open(app, &$1) }
  }
}

struct LeaveApp: PhoneActionKind, AppActionKind {
  static let shape = ActionShape<Self>("leave", "Leave an app", members: [.app])

  var app: String?

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let app = try fleet.installed(app, on: device)
    let life = fleet.phone(device).installs[app].life
    guard life == .foreground else {
      throw CommandProblem(
        .impossible, field: "do",
        sentence: "\(fleet.bundleID(app)) is not in the foreground on \(device.text); it is \(life.rawValue).")
    }
    return .done { $0.leave(app, &$1) }
  }
}

/// The end of an app's process.
protocol ProcessEndKind: PhoneActionKind, AppActionKind {
  static var end: ProcessEnd { get }
}

extension ProcessEndKind {
  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let app = try fleet.installed(app, on: device)
    let present = fleet.phone(device).installs[app].life
    guard present != Self.end.life else { throw fleet.already(app, on: device, is: present) }
    // The system can only end an app with a process; the person can remove any launched app from the app switcher.
    guard present != .neverLaunched, Self.end == .forceQuit || present.hasProcess else {
      throw CommandProblem(
        .impossible, field: "do",
        sentence: "\(fleet.bundleID(app)) has no process on \(device.text); it is \(present.rawValue).")
    }
    return .done { $0.stop(app, as: Self.end, &$1) }
  }
}

struct ForceQuitApp: ProcessEndKind {
  static let shape = ActionShape<Self>(
    "forceQuit", "Force-quit an app", meaning: "The person removes it from the app switcher.", members: [.app])
  static let end = ProcessEnd.forceQuit

  var app: String?
}

struct TerminateApp: ProcessEndKind {
  static let shape = ActionShape<Self>(
    "terminate", "End an app's process", meaning: "The system needs the memory.", members: [.app])
  static let end = ProcessEnd.terminated

  var app: String?
}

struct CrashApp: ProcessEndKind {
  static let shape = ActionShape<Self>("crash", "Crash an app", members: [.app])
  static let end = ProcessEnd.crashed

  var app: String?
}

extension Fleet {
  fileprivate func already(_ app: Int, on device: DeviceID, is life: AppLifecycle) -> CommandProblem {
    CommandProblem(
      .impossible, field: "do", sentence: "\(bundleID(app)) is already \(life.rawValue) on \(device.text).")
  }
}
