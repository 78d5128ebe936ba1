import APNs
import Simulation
import Timeline
import WireFormats

/// Faults: set, listed, taken back.
enum FaultRoutes {
  static func list(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let limit = try visit.query.limit()
    let start = try visit.query.cursor().map { $0[0] } ?? 0
    let all = station.world.faults.armed
    let page = all.dropFirst(start).prefix(limit)
    let end = start + page.count
    return .json([
      "faults": .array(page.map { value($0, station) }), "next": JSONValue(end < all.count ? String(end) : nil),
    ])
  }

  static func set(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let form = try Form(visit.request, allowed: FaultOrder.members)
    let fault = try FaultOrder.read(form, station.world.fleet, at: station.now(wall: visit.wall).world)
    try perform(.setFault(fault), &visit, &station)
    guard let armed = station.world.faults[fault.name] else { throw AdminProblem(404, "The fault is gone again.") }
    return .json(value(armed, station))
  }

  static func one(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let name = visit.captures[0]
    guard let armed = station.world.faults[name] else {
      throw AdminProblem(
        404, "There is no fault \(Words.quoted(name)); GET /v1/faults lists those there are.", field: "name")
    }
    return .json(value(armed, station))
  }

  static func remove(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    try perform(.removeFault(visit.captures[0]), &visit, &station)
    return .json(["removed": .string(visit.captures[0])])
  }

  /// Everything is well again.
  static func reset(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let count = station.world.faults.armed.count
    try perform(.healAll, &visit, &station)
    return .json(["removed": JSONValue(count)])
  }

  private static func perform(
    _ command: Command, _ visit: inout Visit, _ station: inout Station
  ) throws(AdminProblem) {
    do throws(CommandProblem) {
      try station.world.perform(command, at: station.now(wall: visit.wall))
    } catch {
      throw AdminProblem(error)
    }
    visit.settle(&station)
  }

  private static func value(_ armed: FaultDesk.Armed, _ station: Station) -> JSONValue {
    [
      "name": .string(armed.fault.name), "kind": .string(armed.fault.consequence.kind),
      "when": armed.fault.order?["when"] ?? .null, "odds": armed.fault.order?["odds"] ?? .null,
      "then": armed.fault.order?["then"] ?? .null,
      "seen": .integer(Int64(clamping: armed.seen)), "struck": .integer(Int64(clamping: armed.struck)),
      "limit": armed.fault.limit.map { JSONValue.integer(Int64(clamping: $0)) } ?? .null,
      "from": JSONValue(armed.fault.from?.rfc3339),
      "until": JSONValue(armed.fault.until?.rfc3339), "inForce": .bool(armed.isInForce),
      "devices": armed.fault.consequence.isOfDevices ? JSONValue(armed.done.count) : .null,
    ]
  }
}

extension Fault.Consequence {
  fileprivate var isOfDevices: Bool { if case .devices = self { true } else { false } }

  fileprivate var kind: String {
    switch self {
    case .push: "push"
    case .connection: "connection"
    case .devices: "devices"
    case .prompts: "prompts"
    case .reports: "reports"
    case .listener: "listener"
    }
  }
}
