import APNs
import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

/// Devices: which there are, and what can be done to one.
enum DeviceRoutes {
  static func list(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let query = visit.query
    var filter = World.DeviceFilter()
    filter.app = query.text("app")
    filter.isOnline = try query.choice("state", [("online", true), ("offline", false)])
    try readVersion(query, into: &filter)
    let start = try query.cursor().map { (parts) throws(AdminProblem) in try deviceNumber(parts, query) } ?? 0
    return list(filter, from: start, to: start, [], limit: try query.limit(), visit, station)
  }

  /// Goes through the fleet, a portion in each hold of the lock.
  ///
  /// - Parameters:
  ///   - start: where the page begins.
  ///   - next: how far it has got.
  private static func list(
    _ filter: World.DeviceFilter, from start: UInt32, to next: UInt32, _ found: [DeviceView], limit: Int,
    _ visit: Visit, _ station: Station
  ) -> AdminReply {
    let left = World.mostScanned - (next - start)
    let page = station.world.devices(
      filter, from: next, limit: min(limit - found.count, Portion.shown), most: min(left, Portion.devices),
      at: station.now(wall: visit.wall).world)
    let all = found + page.devices
    if let next = page.next, all.count < limit, next - start < World.mostScanned {
      return .more { visit, station in list(filter, from: start, to: next, all, limit: limit, visit, station) }
    }
    return .json(["devices": .array(all.map(\.json)), "next": JSONValue(page.next.map { String($0) })])
  }

  static func one(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let view = try view(of: try named(visit, station), visit, station)
    return .json(view.json)
  }

  static func screen(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let id = try named(visit, station)
    let screen = station.world.screen(of: id, at: station.now(wall: visit.wall).world)
    return .json(screen.json(of: id))
  }

  static func log(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let id = try named(visit, station)
    let process = try visit.query.choice("process", LogProcess.allCases.map { (name: $0.rawValue, value: $0) })
    let page = LogPage(station, id, process, from: try LogCursor(visit.query), limit: try visit.query.limit())
    return log(page, id, station)
  }

  /// Goes through what is kept, a portion in each hold of the lock.
  private static func log(_ begun: LogPage, _ id: DeviceID, _ station: Station) -> AdminReply {
    var page = begun
    page.look(in: station)
    guard page.isDone else { return .more { [page] _, station in log(page, id, station) } }
    let (lines, next) = (page.lines, page.next)
    let names = station.world.names(for: lines, of: id)
    return .json([
      "lines": .array(lines.map { LogJSON.value($0, names, id) }), "next": JSONValue(next?.text),
    ])
  }

  static func actOnMany(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let known = ActionReader.members + ["where", "cursor"]
    let (action, selection) = try visit.read(known) { fields throws(InputProblem) in
      (
        try ActionReader.read(fields, beside: ["where", "cursor"]),
        try SelectionReader.read(fields, station.world.fleet)
      )
    }
    return try act(action, selection, from: selection.start, CommandOutcome(), &visit, &station)
  }

  /// Goes through the devices, some in each hold of the lock.
  ///
  /// - Parameters:
  ///   - start: where the request began.
  ///   - before: what has come of it so far.
  private static func act(
    _ action: DeviceAction, _ selection: Selection, from start: UInt32, _ before: CommandOutcome, _ visit: inout Visit,
    _ station: inout Station
  ) throws(AdminProblem) -> AdminReply {
    var outcome = try AdminProblem.wrapping { () throws(CommandProblem) in
      try station.world.perform(.devices(selection, action), at: station.now(wall: visit.wall))
    }
    visit.settle(&station)
    outcome.done += before.done
    outcome.refused += before.refused
    outcome.firstRefusal = before.firstRefusal ?? outcome.firstRefusal
    if let next = outcome.next, next - start < Selection.most,
      outcome.done + outcome.refused < Selection.mostChanged
    {
      var rest = selection
      rest.start = next
      return .more { [rest, outcome] (visit, station) throws(AdminProblem) in
        try act(action, rest, from: start, outcome, &visit, &station)
      }
    }
    return answer(outcome)
  }

  private static func answer(_ outcome: CommandOutcome) -> AdminReply {
    let refusal = outcome.firstRefusal.map { refusal -> JSONValue in
      ["device": .string(refusal.device.text), "sentence": .string(refusal.sentence)]
    }
    return .json([
      "done": JSONValue(outcome.done), "refused": JSONValue(outcome.refused), "firstRefusal": refusal ?? .null,
      "next": JSONValue(outcome.next.map { String($0) }),
    ])
  }

  static func act(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let id = try named(visit, station)
    let action = try visit.read(ActionReader.members) { fields throws(InputProblem) in
      try ActionReader.read(fields)
    }
    do throws(CommandProblem) {
      try station.world.perform(.device(id, action), at: station.now(wall: visit.wall))
    } catch {
      throw AdminProblem(error)
    }
    let events = visit.settle(&station)
    let view = try view(of: id, visit, station)
    let names = station.world.names(for: events)
    return .json(["device": view.json, "events": .array(events.map { EventJSON.value($0, names) })])
  }

  /// `18` is every 18; `18.5` is that one.
  private static func readVersion(_ query: Query, into filter: inout World.DeviceFilter) throws(AdminProblem) {
    guard let text = query.text("os") else { return }
    guard let pattern = OSPattern(text) else { throw query.problem("os", "a version of iOS such as 18 or 18.5") }
    filter.os = pattern
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
