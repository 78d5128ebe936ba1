import Devices
import Simulation
import Timeline
import WireFormats

/// Devices: which there are, and what can be done to one.
enum DeviceRoutes {
  static func list(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let query = visit.query
    var filter = World.DeviceFilter()
    filter.app = query.text("app")
    filter.isOnline = try query.choice("state", [("online", true), ("offline", false)])
    try readVersion(query, into: &filter)
    let start = try query.cursor().map { (parts) throws(AdminProblem) in try deviceNumber(parts, query) } ?? 0
    let page = station.world.devices(
      filter, from: start, limit: try query.limit(), at: station.now(wall: visit.wall).world)
    return .json([
      "devices": .array(page.devices.map(\.json)), "next": JSONValue(page.next.map { String($0) }),
    ])
  }

  static func one(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    .json(try view(of: try named(visit, station), visit, station).json)
  }

  static func screen(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let id = try named(visit, station)
    return .json(station.world.screen(of: id, at: station.now(wall: visit.wall).world).json(of: id))
  }

  static func log(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let id = try named(visit, station)
    let process = try visit.query.choice("process", LogProcess.allCases.map { (name: $0.rawValue, value: $0) })
    let page = LogPage(station, id, process, from: try LogCursor(visit.query), limit: try visit.query.limit())
    return .json([
      "lines": .array(page.lines.map { LogJSON.value($0, station.world, id) }),
      "next": JSONValue(page.next?.text),
    ])
  }

  static func actOnMany(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let form = try Form(visit.request, allowed: ActionOrder.members + ["where", "cursor"])
    let action = try ActionOrder.read(form, beside: ["where", "cursor"])
    let selection = try SelectionOrder.read(form, station.world.fleet)
    let outcome: CommandOutcome
    do throws(CommandProblem) {
      outcome = try station.world.perform(.devices(selection, action), at: station.now(wall: visit.wall))
    } catch {
      throw AdminProblem(error)
    }
    visit.settle(&station)
    let refusal = outcome.firstRefusal.map { refusal -> JSONValue in
      ["device": .string(refusal.device.text), "sentence": .string(refusal.sentence)]
    }
    return .json([
      "done": JSONValue(outcome.done), "refused": JSONValue(outcome.refused), "firstRefusal": refusal ?? .null,
      "next": JSONValue(outcome.next.map { String($0) }),
    ])
  }

  static func act(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let id = try named(visit, station)
    let action = try ActionOrder.read(Form(visit.request, allowed: ActionOrder.members))
    do throws(CommandProblem) {
      try station.world.perform(.device(id, action), at: station.now(wall: visit.wall))
    } catch {
      throw AdminProblem(error)
    }
    let events = visit.settle(&station)
    return .json([
      "device": try view(of: id, visit, station).json,
      "events": .array(events.map { EventJSON.value($0, station.world) }),
    ])
  }

  /// `18` is every 18; `18.5` is that one.
  private static func readVersion(_ query: Query, into filter: inout World.DeviceFilter) throws(AdminProblem) {
    guard let text = query.text("os") else { return }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Digits.read($0) }
    guard let version = OSVersion(text), parts.allSatisfy({ $0 != nil }) else {
      throw query.problem("os", "a version of iOS such as 18 or 18.5")
    }
    if parts.count == 1 { filter.osMajor = version.major } else { filter.os = version }
  }

  static func deviceNumber(_ parts: [Int], _ query: Query) throws(AdminProblem) -> UInt32 {
    guard let number = UInt32(exactly: parts[0]) else {
      throw query.problem("cursor", "what `next` of the page before said, as it was")
    }
    return number
  }

  private static func named(_ visit: Visit, _ station: Station) throws(AdminProblem) -> DeviceID {
    let name = visit.captures[0]
    guard let id = DeviceID(name), station.world.fleet.contains(id) else {
      throw AdminProblem(
        404,
        "There is no device \(Words.quoted(name)); this fleet has d0 to d\(station.world.fleet.plan.devices - 1).",
        field: "id")
    }
    return id
  }

  private static func view(of id: DeviceID, _ visit: Visit, _ station: Station) throws(AdminProblem) -> DeviceView {
    guard let view = station.world.device(id, at: station.now(wall: visit.wall).world) else {
      throw AdminProblem(404, "There is no device \(id.text) in this fleet.", field: "id")
    }
    return view
  }
}
