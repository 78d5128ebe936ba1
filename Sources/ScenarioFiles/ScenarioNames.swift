import APNs
import Admin
import Configuration
import Devices
import Grammar
import Reporting
import Simulation
import Timeline
import WireFormats

/// Who there is in a scenario, so that names of strangers are found before it is played.
struct ScenarioNames {
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
  func app(_ fields: Fields, _ key: String = "app") throws(InputProblem) -> Int? {
    guard let name = try fields.text(key) else { return nil }
    if let app = plan.apps.firstIndex(where: { $0.bundleID == name }) { return app }
    let known = plan.apps.map(\.bundleID)
    let near = SpellingSuggestion.nearest(to: name, among: known).map { "did you mean \($0)?" }
    throw fields.problem(
      key, "there is no app \(name) in this fleet; \(near ?? "it has \(Wording.list(known)).")")
  }

  func device(_ fields: Fields) throws(InputProblem) -> DeviceID? { try devices(fields)?.first }

  /// The devices of `device` or `devices`.
  func devices(_ fields: Fields) throws(InputProblem) -> [DeviceID]? {
    guard let devices = try DeviceList.read(fields, most: Selection.mostChanged) else { return nil }
    try DeviceList.check(devices, fields, fleet)
    guard !devices.isEmpty else {
      throw fields.problem("devices", "devices names at least one device, such as d0.")
    }
    return devices
  }

  /// What a filter says, with the app and the devices looked up in the fleet.
  func read(_ fields: Fields, into filter: inout Filter) throws(InputProblem) {
    try FilterReader.read(fields, into: &filter)
    _ = try app(fields)
    _ = try devices(fields)
  }

  /// Some of the fleet: the keys of `where`, as the admin API has them.
  func selection(_ fields: Fields, _ keys: [String]) throws(InputProblem) -> Selection {
    let selection = try SelectionReader.read(fields, keys, fleet)
    guard selection.filter.share.numerator > 0 else {
      throw fields.problem("share", "a share of 0% is nobody, so nothing would be done.")
    }
    if keys.contains("app") { _ = try app(fields) }
    _ = try devices(fields)
    return selection
  }
}
