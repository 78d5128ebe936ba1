import APNs
import Configuration
import Grammar
import Reporting
import Simulation

/// The rules for a scenario that is played on the phones of a running server.
struct ServedScenario {
  private let server: Settings

  init(_ server: Settings) { self.server = server }

  /// The server's settings. What the file sets must be the same.
  func settings(
    _ fields: Fields, _ file: SettingsFile, seed: UInt64?
  ) throws(InputProblem) -> (settings: Settings, reports: [ReportPlan?]) {
    guard !fields.has("backend") else {
      throw InputProblem(
        fields.placeOfKey("backend"),
        "a running server starts no backend: start it yourself, with serve --backend if its apps report to it, and"
          + " leave backend out.")
    }
    var settings = server
    if let node = fields["settings"] {
      let given = try file.read(node, into: &settings)
      try settings.apply(given)
      for assignment in given { try compare(assignment, settings) }
    }
    let text = try fields.spelling("seed")
    guard let wanted = seed ?? text.map({ UInt64($0) }) ?? server.seed else {
      throw fields.problem("seed", "seed must be a whole number, not \"\(text ?? "")\".")
    }
    guard wanted == server.seed else {
      let sentence = "the seed is \(wanted), but the server has \(server.seed); start it with --seed \(wanted)."
      throw seed == nil ? InputProblem(fields.place("seed"), sentence) : InputProblem("--seed", sentence)
    }
    settings.seed = wanted
    guard settings.plan == server.plan else {
      throw InputProblem(
        fields.place("settings"),
        "fleet.apps or fleet.os is not what the server has; start it with the same, or leave it out.")
    }
    return (server, server.apps.map(\.reports))
  }

  private func compare(_ assignment: SettingAssignment, _ settings: Settings) throws(InputProblem) {
    let (wanted, found) = (assignment.setting.shown(in: settings), assignment.setting.shown(in: server))
    let key = assignment.setting.key
    guard key != "clock" else {
      throw InputProblem(assignment.place, "the clock of a scenario is always manual; leave it out.")
    }
    guard wanted != found else { return }
    throw InputProblem(
      assignment.place,
      "\(key) is \(wanted.isEmpty ? "none" : wanted), but the server has \(found.isEmpty ? "none" : found); start it"
        + " with --set \(key)=\(wanted), or leave it out.")
  }

  /// Rejects orders across cells, because the cells' counts do not give the order of events in different cells.
  static func checkOrders(_ expectations: [Expectation], of cell: Cell) throws(InputProblem) {
    for expectation in expectations {
      guard case .events(let filter, .ordered) = expectation.question else { continue }
      let owners = Set((filter.devices ?? []).map { cell.owner(ofPartition: $0.partition) })
      guard owners.count != 1 else { continue }
      throw InputProblem(
        expectation.place,
        "the order of events on devices of several cells is not known; name a device, such as device: d3.")
    }
  }
}
