import APNs
import Devices
import Grammar
import Orders
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Devices: lists and actions.
enum DeviceRoutes {
  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let query = context.query
    let filter = try query.filter()
    let start = try query.cursor().map { (parts) throws(AdminProblem) in try deviceNumber(parts) } ?? 0
    return list(
      DeviceSearch(filter: filter, start: start, limit: try query.limit()), to: start, found: [], in: context,
      on: simulator)
  }

  private struct DeviceSearch: Sendable {
    let filter: Filter
    /// The number of the device at which the page begins.
    let start: UInt32
    let limit: Int
  }

  /// Goes through the fleet, one portion per hold of the lock; `next` is how far it has come.
  private static func list(
    _ search: DeviceSearch, to next: UInt32, found: [DeviceView], in context: AdminContext, on simulator: Simulator
  ) -> AdminReply {
    let left = World.mostScanned - (next - search.start)
    let page = simulator.world.devices(
      search.filter, from: next, limit: min(search.limit - found.count, BatchSize.shown),
      most: min(left, BatchSize.devices), at: simulator.now(wall: context.wall).world)
    let all = found + page.devices
    if let next = page.next, all.count < search.limit, next - search.start < World.mostScanned {
      return .more { context, simulator in list(search, to: next, found: all, in: context, on: simulator) }
    }
    return .json(["devices": .array(all.map(\.json)), "next": JSONValue(page.next.map { String($0) })])
  }

  static func one(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let view = try view(of: try named(context, simulator), context, simulator)
    return .json(view.json)
  }

  static func screen(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let id = try named(context, simulator)
    let now = simulator.now(wall: context.wall).world
    let (screen, apps) = (simulator.world.screen(of: id, at: now), simulator.world.names.apps)
    return .json(screen.json(of: id, at: now, apps))
  }

  static func log(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let id = try named(context, simulator)
    let process = try context.query.choice("process", LogProcess.allCases.map { (name: $0.rawValue, value: $0) })
    let page = LogPage(
      simulator, device: id, process: process, from: try LogPageCursor(context.query), limit: try context.query.limit())
    return log(page, of: id, on: simulator)
  }

  /// Searches the logs, one portion per hold of the lock.
  private static func log(_ begun: LogPage, of id: DeviceID, on simulator: Simulator) -> AdminReply {
    var page = begun
    page.look(in: simulator)
    guard page.isDone else { return .more { [page] _, simulator in log(page, of: id, on: simulator) } }
    let (lines, next) = (page.lines, page.next)
    let names = simulator.world.names(for: lines, of: id)
    return .json([
      "lines": .array(lines.map { LogJSON.value($0, names: names, device: id) }), "next": JSONValue(next?.text),
    ])
  }

  static func actOnMany(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply
  {
    .unlocked { [context] () throws(AdminProblem) in
      let (action, selection, place) = try context.read(RequestBody.action) { fields throws(InputProblem) in
        (
          try ActionReader.read(fields, beside: ["where", "cursor"]), try SelectionReader.parse(fields), fields["where"]
        )
      }
      return .more { (context, simulator) throws(AdminProblem) in
        try AdminProblem.checking { () throws(InputProblem) in
          try SelectionReader.check(selection, where: place, simulator.world.fleet)
        }
        return try act(
          action, selection: selection, from: selection.start, after: CommandOutcome(), in: &context, on: &simulator)
      }
    }
  }

  /// Goes through the devices, some per hold of the lock.
  ///
  /// - Parameters:
  ///   - start: where the request began.
  ///   - before: the result so far.
  private static func act(
    _ action: DeviceAction, selection: Selection, from start: UInt32, after before: CommandOutcome,
    in context: inout AdminContext,
    on simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    var outcome = try AdminProblem.wrapping { () throws(CommandProblem) in
      try simulator.world.perform(.devices(selection, action), at: simulator.now(wall: context.wall))
    }
    context.settle(&simulator)
    outcome.done += before.done
    outcome.refused += before.refused
    outcome.firstRefusal = before.firstRefusal ?? outcome.firstRefusal
    if let next = outcome.next, next - start < Selection.most,
      outcome.done + outcome.refused < Selection.mostChanged
    {
      var rest = selection
      rest.start = next
      return .more { [rest, outcome] (context, simulator) throws(AdminProblem) in
        try act(action, selection: rest, from: start, after: outcome, in: &context, on: &simulator)
      }
    }
    return answer(outcome)
  }

  private static func answer(_ outcome: CommandOutcome) -> AdminReply {
    let rejection = outcome.firstRefusal.map { rejection -> JSONValue in
      ["device": .string(rejection.device.text), "sentence": .string(rejection.sentence)]
    }
    return .json([
      "done": JSONValue(outcome.done), "refused": JSONValue(outcome.refused), "firstRefusal": rejection ?? .null,
      "next": JSONValue(outcome.next.map { String($0) }),
    ])
  }

  static func act(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let id = try named(context, simulator)
    let action = try context.read(ActionReader.members) { fields throws(InputProblem) in
      try ActionReader.read(fields)
    }
    do throws(CommandProblem) {
      try simulator.world.perform(.device(id, action), at: simulator.now(wall: context.wall))
    } catch {
      throw AdminProblem(error)
    }
    let events = context.settle(&simulator)
    let view = try view(of: id, context, simulator)
    let names = simulator.world.names(for: events)
    return .json(["device": view.json, "events": .array(events.map { EventJSON.value($0, names) })])
  }

  static func deviceNumber(_ parts: [Int]) throws(AdminProblem) -> UInt32 {
    guard let number = UInt32(exactly: parts[0]) else { throw Query.unknownCursor }
    return number
  }

  static func unknown(_ name: String, _ fleet: Fleet) -> String {
    "There is no device \(Wording.quoted(name)); this fleet has d0 to d\(fleet.plan.devices - 1)."
  }

  static func named(_ context: AdminContext, _ simulator: Simulator) throws(AdminProblem) -> DeviceID {
    let name = context.captures[0]
    guard let id = DeviceID(name), simulator.world.fleet.contains(id) else {
      throw AdminProblem(404, unknown(name, simulator.world.fleet), field: "id")
    }
    if let sentence = simulator.world.fleet.foreignCellSentence(id) { throw AdminProblem(404, sentence, field: "id") }
    return id
  }

  static func view(of id: DeviceID, _ context: AdminContext, _ simulator: Simulator) throws(AdminProblem)
    -> DeviceView
  {
    guard let view = simulator.world.device(id, at: simulator.now(wall: context.wall).world) else {
      throw AdminProblem(404, "There is no device \(id.text) in this fleet.", field: "id")
    }
    return view
  }
}
