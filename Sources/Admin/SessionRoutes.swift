import Grammar
import Simulation
import Timeline
import WireFormats

/// Sessions: one per test, each with what is its own.
enum SessionRoutes {
  static func list(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let limit = try visit.query.limit()
    let start = try visit.query.cursor().map { $0[0] } ?? 0
    let wanted = try visit.query.choice("open", [("true", true), ("false", false)])
    let names = station.readers.sessions.names(isOpen: wanted)
    let page = names.dropFirst(start).prefix(limit)
    let end = start + page.count
    return list(page, [], next: end < names.count ? end : nil, station)
  }

  /// Shows sessions, a few in each hold of the lock; one that is deleted meanwhile is left out.
  private static func list(
    _ names: ArraySlice<String>, _ shown: [JSONValue], next: Int?, _ station: Station
  ) -> AdminReply {
    let now = names.prefix(Self.shownAtOnce)
    let left = names.dropFirst(Self.shownAtOnce)
    let all = shown + now.compactMap { station.readers.sessions[$0].map { SessionJSON.value($0, station.world) } }
    guard left.isEmpty else { return .more { _, station in list(left, all, next: next, station) } }
    return .json(["sessions": .array(all), "next": JSONValue(next.map { String($0) })])
  }

  /// A session may name a thousand devices.
  private static let shownAtOnce = 10

  static func open(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let read = visit.readExpectation
    let order = try visit.read(SessionOrder.members) { fields throws(InputProblem) in
      try SessionOrder(fields, station.world, read)
    }
    let now = station.now(wall: visit.wall).world
    let session = try AdminProblem.wrapping { () throws(CommandProblem) in try station.openSession(order, at: now) }
    let value = SessionJSON.value(session, station.world)
    return .json(status: 201, value)
  }

  static func one(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    // Not the session itself: what it keeps would be copied by the next push of it.
    let value = SessionJSON.value(try session(visit.captures[0], station), station.world)
    return .json(value)
  }

  /// What happens after it, the taking back of its faults included, changes it no more.
  static func close(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let name = visit.captures[0]
    let now = station.now(wall: visit.wall)
    let session = try AdminProblem.wrapping { () throws(CommandProblem) in
      let session = try station.closeSession(name, at: now.world)
      try station.world.perform(.healSession(name), at: now)
      return session
    }
    visit.settle(&station)
    let value = SessionJSON.value(session, station.world)
    return .json(value)
  }

  static func delete(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let name = visit.captures[0]
    let now = station.now(wall: visit.wall)
    try AdminProblem.wrapping { () throws(CommandProblem) in
      try station.deleteSession(name)
      try station.world.perform(.healSession(name), at: now)
    }
    visit.settle(&station)
    return .json(["deleted": .string(name)])
  }

  // MARK: - What is its own

  static func pushes(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    try PushRoutes.page(visit.query, of: visit.captures[0], station)
  }

  static func calls(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    try CallRoutes.page(visit.query, of: visit.captures[0], station)
  }

  static func findings(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    try FindingRoutes.page(visit.query, try session(visit.captures[0], station).auditor)
  }

  static func session(_ name: String, _ station: Station) throws(AdminProblem) -> Session {
    try AdminProblem.wrapping { () throws(CommandProblem) in try station.readers.sessions.session(name) }
  }
}
