import APNs
import Devices
import Grammar
import Orders
import Reporting
import Simulation
import Timeline
import WireFormats

/// The names that a scenario may use, so that unknown names are found before it is played.
package struct ScenarioNames: Sendable {
  let plan: FleetPlan
  let fleet: Fleet
  /// Each app's reports, with or without a backend.
  let reports: [ReportPlan?]
  /// True if an app reports to a backend.
  let hasBackend: Bool

  package init(_ plan: FleetPlan, _ rulebook: Rulebook, reports: [ReportPlan?], hasBackend: Bool) {
    self.plan = plan
    self.reports = reports
    self.hasBackend = hasBackend
    fleet = Fleet(plan, rulebook: rulebook, began: Scenario.usualBegin)
  }

  /// The number of the app named by a key; nil if the key is missing.
  func app(_ fields: Fields, _ key: String = "app") throws(InputProblem) -> Int? {
    guard let name = try fields.text(key) else { return nil }
    if let app = plan.apps.firstIndex(where: { $0.bundleID == name }) { return app }
    throw fields.problem(key, fleet.unknownApp(name))
  }

  func device(_ fields: Fields) throws(InputProblem) -> DeviceID? { try devices(fields)?.first }

  /// The devices in `device` or `devices`.
  func devices(_ fields: Fields) throws(InputProblem) -> [DeviceID]? {
    guard let devices = try DeviceList.read(fields, most: Selection.mostChanged) else { return nil }
    try DeviceList.check(devices, in: fields, of: fleet)
    guard !devices.isEmpty else {
      throw fields.problem("devices", "devices must name at least one device, such as d0.")
    }
    return devices
  }

  /// Reads a filter, and checks that the fleet has its app and devices.
  func read(_ fields: Fields, into filter: inout Filter) throws(InputProblem) {
    try FilterReader.read(fields, into: &filter)
    _ = try app(fields)
    _ = try devices(fields)
  }

  /// A selection of devices: the keys of `where`, as in the admin API.
  func selection(_ fields: Fields, _ keys: [String]) throws(InputProblem) -> Selection {
    let selection = try SelectionReader.read(fields, keys: keys, fleet: fleet)
    guard selection.filter.share.numerator > 0 else {
      throw fields.problem("share", "a share of 0% selects no device; it must be larger.")
    }
    if keys.contains("app") { _ = try app(fields) }
    _ = try devices(fields)
    return selection
  }
}
