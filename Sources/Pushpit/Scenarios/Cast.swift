import APNs
import Admin
import Devices
import Reporting
import Simulation
import Timeline
import WireFormats

/// Who there is in a scenario, so that names of strangers are found before it is played.
struct Cast {
  let plan: FleetPlan
  let fleet: Fleet
  /// What each app tells its backend, whether there is one or not.
  let reports: [ReportPlan?]
  /// Apps have somebody to report to.
  let hasBackend: Bool

  /// - Parameter reports: what the apps would tell a backend; nil for what they tell.
  init(_ settings: Settings, reports: [ReportPlan?]? = nil) {
    plan = settings.plan
    self.reports = reports ?? settings.apps.map(\.reports)
    hasBackend = settings.apps.contains { $0.reports != nil }
    fleet = Fleet(settings.plan, rulebook: settings.rulebook, began: Scenario.usualBegin)
  }

  /// The number of the app of a key; nil where the key is not there.
  func app(_ fields: ScenarioFields, _ key: String = "app") throws(ConfigurationProblem) -> Int? {
    guard let name = try fields.text(key) else { return nil }
    if let app = plan.apps.firstIndex(where: { $0.bundleID == name }) { return app }
    let known = plan.apps.map(\.bundleID)
    let near = Spelling.nearest(to: name, among: known).map { "did you mean \($0)?" }
    throw fields.problem(
      key, "there is no app \(name) in this fleet; \(near ?? "it has \(ScenarioFields.list(known)).")")
  }

  func device(_ text: String, _ place: String) throws(ConfigurationProblem) -> DeviceID {
    guard let id = DeviceID(text), fleet.contains(id) else {
      throw ConfigurationProblem(
        place, "there is no device \(text); this fleet has d0 to d\(plan.devices - 1).")
    }
    return id
  }

  /// The devices of `device` or `devices`.
  func devices(_ fields: ScenarioFields) throws(ConfigurationProblem) -> [DeviceID]? {
    let keys = fields.those(of: ["device", "devices"])
    guard let key = keys.first else { return nil }
    guard keys.count == 1 else { throw fields.problem("device", "say either device or devices, not both.") }
    var devices: [DeviceID] = []
    for text in try fields.texts(key) ?? [] {
      let id = try device(text, fields.place(key))
      if !devices.contains(id) { devices.append(id) }
    }
    guard !devices.isEmpty else { throw fields.problem(key, "\(key) names at least one device, such as d0.") }
    return devices
  }

  /// Some of the fleet: the keys of `where`, as the admin API has them.
  func selection(
    _ fields: ScenarioFields, _ keys: [String]
  ) throws(ConfigurationProblem) -> Selection {
    var members: [JSONValue.Member] = []
    for key in fields.those(of: keys) where key != "devices" && key != "device" {
      if key == "share" {
        let text = try fields.text(key) ?? ""
        guard let share = Share(text) else { throw fields.problem(key, "share is \(Share.wanted), not \"\(text)\".") }
        guard share.odds.numerator > 0 else {
          throw fields.problem(key, "a share of 0% is nobody, so nothing would be done.")
        }
        members.append(.init(key, .string(text)))
      } else {
        if key == "app" { _ = try app(fields) }
        members.append(.init(key, .string(try fields.text(key) ?? "")))
      }
    }
    if let devices = try devices(fields) {
      members.append(.init("devices", .array(devices.map { .string($0.text) })))
    }
    do {
      return try DeviceOrder.selection(.object(members), fleet)
    } catch {
      throw ConfigurationProblem(error.field.map { fields.place($0) } ?? fields.place(), error.sentence)
    }
  }

  static let selectionKeys = ["app", "os", "state", "share", "name", "device", "devices"]
}
