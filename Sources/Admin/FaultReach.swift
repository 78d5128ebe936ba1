import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// Whether there is anything in the fleet that a fault could ever strike.
enum FaultReach {
  static func check(_ fault: Fault, _ fleet: Fleet) throws(AdminProblem) {
    let condition = fault.condition
    switch fault.consequence {
    case .listener: return
    case .connection where condition.isOfConnections: return
    case .push, .connection, .devices, .prompts, .reports: break
    }
    guard condition.share.numerator > 0 else {
      throw AdminProblem(422, "share is 0, which is no device at all; such as \"30%\".", field: "share")
    }
    guard condition.devices?.isEmpty != true else {
      throw AdminProblem(422, "devices is empty, which is no device at all; such as [\"d17\"].", field: "devices")
    }
    if let major = condition.os, !has(major, condition.devices, fleet) {
      let there = Set(fleet.plan.mix.filter { $0.parts > 0 }.map(\.os.major)).sorted().map(String.init)
      throw AdminProblem(
        422,
        condition.devices == nil
          ? "No device runs iOS \(major); the fleet has \(Words.list(there))."
          : "None of these devices runs iOS \(major).", field: "os")
    }
    try checkApps(condition, fleet)
    let apps = fleet.plan.apps.map(\.bundleID)
    for name in ["devices", "heal"] {
      guard let app = fault.order?["then"]?[name]?["app"]?.string, !apps.contains(app) else { continue }
      throw AdminProblem(
        422, "There is no app \(Words.quoted(app)) for \(name); the fleet has \(Words.list(apps)).", field: "app")
    }
  }

  private static func has(_ major: Int, _ devices: Set<DeviceID>?, _ fleet: Fleet) -> Bool {
    if let devices { return devices.contains { fleet.os(of: $0).major == major } }
    if fleet.plan.mix.contains(where: { $0.os.major == major && $0.parts > 0 }) { return true }
    // One that was updated since.
    return (0..<fleet.plan.devices).contains { fleet.os(of: DeviceID($0)).major == major }
  }

  private static func checkApps(_ condition: FaultCondition, _ fleet: Fleet) throws(AdminProblem) {
    let apps = fleet.plan.apps.filter { app in condition.app.map { $0 == app.bundleID } ?? true }
    let who = condition.app ?? "any app of the fleet"
    if let environment = condition.environment,
      !apps.contains(where: { $0.build == .mixed || $0.build.rawValue == environment.rawValue })
    {
      throw AdminProblem(
        422, "No push to \(who) can come to \(environment.rawValue): its tokens are of the other environment.",
        field: "environment")
    }
    guard let kind = condition.tokenKind, !apps.contains(where: { has(kind, $0) }) else { return }
    throw AdminProblem(422, "There is no token of kind \(kind.name) for \(who).", field: "tokenKind")
  }

  private static func has(_ kind: TokenKind, _ app: AppProfile) -> Bool {
    switch kind {
    case .device: true
    case .pushToStart, .update: !app.types.isEmpty
    case .service(let suffix): app.services.contains(suffix)
    }
  }
}

extension Fault.Consequence {
  /// What it strikes, for sentences.
  var plural: String {
    switch self {
    case .push: "pushes"
    case .connection: "pushes on connections"
    case .devices: "what is done to devices"
    case .prompts: "people's answers"
    case .reports: "reports of apps"
    case .listener: "listeners"
    }
  }
}
