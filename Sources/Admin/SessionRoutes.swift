import Simulation
import Timeline
import WireFormats

/// Sessions: one per test, each with what is its own.
enum SessionRoutes {
  static func list(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let limit = try visit.query.limit()
    let start = try visit.query.cursor().map { $0[0] } ?? 0
    let wanted = try visit.query.choice("open", [("true", true), ("false", false)])
    let all = station.sessions.all.filter { wanted == nil || $0.isOpen == wanted }
    let page = all.dropFirst(start).prefix(limit)
    let end = start + page.count
    let shown = station.world
    return .json([
      "sessions": .array(page.map { SessionJSON.value($0, shown) }),
      "next": JSONValue(end < all.count ? String(end) : nil),
    ])
  }

  static func open(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let form = try Form(visit.request, allowed: SessionOrder.members)
    let order = try SessionOrder(form, station.world, visit.readExpectation)
    let now = station.now(wall: visit.wall).world
    let session = try AdminProblem.wrapping { () throws(CommandProblem) in try station.sessions.open(order, at: now) }
    return .json(SessionJSON.value(session, station.world), status: 201)
  }

  static func one(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    .json(SessionJSON.value(try session(visit.captures[0], station), station.world))
  }

  /// What happens after it, the taking back of its faults included, changes it no more.
  static func close(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let name = visit.captures[0]
    let now = station.now(wall: visit.wall)
    let session = try AdminProblem.wrapping { () throws(CommandProblem) in
      let session = try station.sessions.close(name, at: now.world, station.world)
      try station.world.perform(.healSession(name), at: now)
      return session
    }
    visit.settle(&station)
    return .json(SessionJSON.value(session, station.world))
  }

  static func delete(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    let name = visit.captures[0]
    let now = station.now(wall: visit.wall)
    try AdminProblem.wrapping { () throws(CommandProblem) in
      try station.sessions.delete(name)
      try station.world.perform(.healSession(name), at: now)
    }
    visit.settle(&station)
    return .json(["deleted": .string(name)])
  }

  // MARK: - What is its own

  static func pushes(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    try PushRoutes.page(visit.query, try session(visit.captures[0], station).ledger, station.world)
  }

  static func calls(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    try CallRoutes.page(visit.query, try session(visit.captures[0], station).calls, station.world)
  }

  static func findings(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminResponse {
    try FindingRoutes.page(visit.query, try session(visit.captures[0], station).auditor)
  }

  static func session(_ name: String, _ station: Station) throws(AdminProblem) -> Session {
    try AdminProblem.wrapping { () throws(CommandProblem) in try station.sessions.session(name) }
  }
}
