import APNs
import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

/// A check that the fleet has something that a fault could affect.
enum FaultCheck {
  /// - Parameter fields: the fault as written, for the places in error messages.
  static func check(_ fault: Fault, in fields: Fields, for fleet: Fleet) throws(InputProblem) {
    do throws(InputProblem) {
      try checkCriteria(fault, in: fields, for: fleet)
    } catch {
      // A device that does not exist makes the body invalid; the request's own path exists.
      let code = error.code == .notFound ? .invalidValue : error.code
      let place = error.field.flatMap { fields["when"]?[$0]?.place ?? fields[$0]?.place } ?? fields.place()
      throw InputProblem(error.sentence, field: error.field, at: error.place.isEmpty ? place : error.place, code: code)
    }
  }

  private static func checkCriteria(_ fault: Fault, in fields: Fields, for fleet: Fleet) throws(InputProblem) {
    let condition = fault.condition
    let apps = fleet.plan.apps.map(\.bundleID)
    if let app = condition.filter.app, !apps.contains(app) {
      throw InputProblem(fleet.unknownApp(app), field: "app")
    }
    if let when = fields["when"], let devices = condition.filter.devices {
      try DeviceList.check(devices, in: Fields(when, "when", known: FaultReader.conditions), of: fleet)
    }
    switch fault.consequence {
    case .listener: return
    case .connection where condition.isOfConnections: return
    case .push, .connection, .devices, .prompts, .reports: break
    }
    guard condition.filter.share.numerator > 0 else {
      throw InputProblem("share 0 selects no device; it must be larger, such as \"30%\".", field: "share")
    }
    guard condition.filter.devices?.isEmpty != true else {
      throw InputProblem("devices must not be empty; list ids such as [\"d17\"].", field: "devices")
    }
    if let os = condition.filter.os, !has(os, on: condition.filter.devices, of: fleet) {
      let there = Set(fleet.plan.mix.filter { $0.parts > 0 }.map(\.os)).sorted().map(\.text)
      throw InputProblem(
        condition.filter.devices == nil
          ? "No device runs iOS \(os.text); the fleet has \(Wording.list(there))."
          : "None of these devices runs iOS \(os.text).", field: "os")
    }
    try checkApps(condition, fleet)
    try checkChannels(fault, in: fields)
    guard case .devices(let action, let heal) = fault.consequence else { return }
    for (name, action) in [("devices", action), ("heal", heal)] {
      guard let app = action?.json["app"]?.string, !apps.contains(app) else { continue }
      throw InputProblem(
        fleet.unknownApp(app), field: "app", at: fields["then"]?[name]?["app"]?.place ?? "")
    }
  }

  private static func has(_ os: OSPattern, on devices: [DeviceID]?, of fleet: Fleet) -> Bool {
    if let devices { return devices.contains { os.matches(fleet.os(of: $0)) } }
    if fleet.plan.mix.contains(where: { os.matches($0.os) && $0.parts > 0 }) { return true }
    // A device may have been updated since; then it has been used. A fleet may have 100,000,000 others.
    return fleet.phones.indices.contains { os.matches(fleet.phones[$0].os) }
  }

  private static func checkApps(_ condition: FaultCondition, _ fleet: Fleet) throws(InputProblem) {
    let apps = fleet.plan.apps.filter { app in condition.filter.app.map { $0 == app.bundleID } ?? true }
    let who = condition.filter.app ?? "any app of the fleet"
    if let environment = condition.filter.environment,
      !apps.contains(where: { $0.build == .mixed || $0.build.rawValue == environment.rawValue })
    {
      throw InputProblem(
        "No push to \(who) can arrive in \(environment.rawValue): its tokens belong to the other environment.",
        field: "environment")
    }
    guard let kind = condition.filter.tokenKind, !apps.contains(where: { has(kind, $0) }) else { return }
    throw InputProblem("There is no token of kind \(kind.name) for \(who).", field: "tokenKind")
  }

  /// Rejects conditions that no broadcast and no request about channels meets.
  private static func checkChannels(_ fault: Fault, in fields: Fields) throws(InputProblem) {
    let filter = fault.condition.filter
    guard let when = fields["when"], filter.operation != nil || filter.channel != nil else { return }
    func reject(_ names: [String], _ sentence: String) throws(InputProblem) {
      guard let name = names.first(where: { when[$0] != nil }) else { return }
      throw InputProblem(
        "\(name) cannot be combined with \(filter.operation == nil ? "channel" : "operation"): \(sentence)", field: name
      )
    }
    try reject(["tokenKind"], "requests about channels and broadcasts have no token.")
    if !fault.isOfArrival {
      let share = filter.share.numerator < filter.share.denominator ? ["share"] : []
      try reject(["device", "devices", "os"] + share, "requests about channels and broadcasts are to no device.")
    }
    guard let operation = filter.operation, operation != .publish else { return }
    try reject(["pushType", "priority", "event"], "only a broadcast (publish) has them.")
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
  /// The things that the fault strikes, for sentences.
  var plural: String {
    switch self {
    case .push: "pushes"
    case .connection: "pushes on connections"
    case .devices: "actions on devices"
    case .prompts: "people's answers"
    case .reports: "calls of apps"
    case .listener: "listeners"
    }
  }
}
