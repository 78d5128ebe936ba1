import APNs
import Devices
import Grammar
import Orders
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Devices: lists, screens, logs, and actions on one.
enum DeviceRoutes {
  static let routes: [Route] = [
    Route("GET /v1/devices", id: "listDevices", tag: .fleet, summary: "the fleet's devices", answer: list)
      .meaning("In the order of their numbers. All filters must match.")
      .takes(
        .filter("app", "Only devices with the app of this bundle id installed.", example: "com.example.app"),
        .filter(
          "os", "Only devices with this version of iOS. `18` matches every 18; `18.5` only that version.", example: "18"
        ),
        .filter("user", "Only the phones of this person.", example: "u17"),
        .filter(
          "online", "Only devices that are connected to APNs, or only devices that are offline.", opposite: "offline")
      )
      .paged()
      .answers(page.answer("A page of devices.")),
    Route(
      "GET /v1/devices/{id}", id: "getDevice", tag: .fleet, summary: "one device with its apps, tokens and activities",
      answer: one
    )
    .takes(.device)
    .answers(.json("The device in its current state.", DeviceView.shape.schema), .notFound),
    Route(
      "GET /v1/devices/{id}/screen", id: "getScreen", tag: .fleet, summary: "what a person would see on it",
      answer: screen
    )
    .meaning(
      """
      The Lock Screen from top to bottom: one card for each Live Activity that has begun and is not dismissed,
      by relevance, then by start; the Dynamic Island, if the device has one; an alert that is shown right
      now, the Allow question on a card, the notifications, the badges, and the sounds being played.
      """
    )
    .takes(.device)
    .answers(.json("The current screen.", Screen.schema), .notFound),
    Route("GET /v1/devices/{id}/log", id: "getLog", tag: .fleet, summary: "its log, newest first", answer: log)
      .meaning(
        """
        What happened to each accepted push on its way to the device and there, and all other events on the
        phone. The processes are those that Apple tells developers to look for in the log of an iPhone: `apsd`
        for the connection, `liveactivitiesd` for Live Activities, `chronod` for their drawing; in addition
        SpringBoard and the app itself. A line is kept as long as its push is in the ledger; of other lines the
        newest are kept, four for each push that the ledger can hold.
        """
      )
      .takes(.device, process("Only lines of this process."))
      .paged(by: LogPageCursor.parameter)
      .answers(lines.answer("A page of lines."), .notFound),
    Route(
      "POST /v1/devices/{id}/actions", id: "actOnDevice", tag: .fleet, summary: "perform an action on a device",
      answer: act
    )
    .meaning(
      """
      An action of a person or of the system. The answer shows the device afterwards and the events caused, in
      order. `app` is optional; the default is the fleet's first app, and for a card or an activity the app of
      the only one on the device.

      An order that is not possible in the current state (reinstalling an installed app) is answered 422 and
      changes nothing. A request that iOS would refuse to the app is not such an order: the app requests an
      activity, iOS throws, and the answer is 200 with an `activityRefused` event.
      """
    )
    .takes(.device)
    .body(
      .deviceAction,
      examples: [
        .init(
          "startActivity", "Open the app and start a Live Activity there, which gets an update token",
          value: [
            "do": "startActivity", "app": "com.example.app", "attributesType": "MatchAttributes",
            "contentState": ["home": 0, "away": 0],
          ]
        ),
        .init(
          "uninstall", "Delete the app; pushes are answered 200 at first and 410 some hours later",
          value: ["do": "uninstall", "app": "com.example.app"]
        ),
        .init(
          "rotate", "Give the app a new device token",
          value: ["do": "rotate", "app": "com.example.app", "kind": "device"]),
        .init("allow", "Tap Allow on the card of a Live Activity that a push has started", value: ["do": "allow"]),
        .init("switch", "Turn Low Power Mode on", value: ["do": "switch", "what": "lowPower", "on": true]),
        .init("reboot", "Turn the phone off and on", value: ["do": "reboot"]),
      ]
    )
    .answers(.json("It is done.", outcome.schema), .notFound),
  ]

  private static let page = ListPage("devices", of: DeviceView.shape.schema)
  private static let lines = ListPage("lines", of: LogJSON.schema)
  private static let outcome = Shape<(device: DeviceView, events: [JSONValue])>(members: [
    .object("device", DeviceView.shape) { $0.device },
    .init("events", .list(of: EventJSON.schema), meaning: "The events caused by the order, in order.") {
      .array($0.events)
    },
  ])
  private static let process = Parameter<LogProcess>("process", as: .word(), .process)

  static func list(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let query = context.query
    let filter = try query.filter()
    try checkUser(of: filter, simulator.world.fleet)
    let start = try query.cursor().map { (number) throws(AdminProblem) in try deviceNumber(number) } ?? 0
    return list(
      DeviceSearch(filter: filter, start: start, limit: try query.limit()), to: start, found: [], in: context,
      on: simulator)
  }

  /// A misspelled user is an error, because an empty list would look like a person without phones.
  ///
  /// - Parameter isOwn: true if only devices of this process are meant.
  static func checkUser(of filter: Filter, isOwn: Bool = true, _ fleet: Fleet) throws(AdminProblem) {
    if let sentence = fleet.problem(ofUser: filter) {
      throw AdminProblem(query: InputProblem(sentence, field: "user", code: .notFound))
    }
    guard isOwn, let user = filter.user else { return }
    let elsewhere = fleet.phones(of: user).map { fleet.foreignCellSentence($0) }
    if !elsewhere.contains(nil), let sentence = elsewhere.first ?? nil {
      throw AdminProblem(query: InputProblem(sentence, field: "user"))
    }
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
    return .json(Self.page.json(all.map(\.json), next: page.next))
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
    let process = try context.query.value(process)
    let page = LogPage(
      simulator, device: id, process: process, from: try LogPageCursor(context.query), limit: try context.query.limit())
    return log(page, of: id, on: simulator)
  }

  /// Searches the logs, one portion per hold of the lock.
  private static func log(_ begun: LogPage, of id: DeviceID, on simulator: Simulator) -> AdminReply {
    var page = begun
    page.look(in: simulator)
    guard page.isDone else { return .more { [page] _, simulator in log(page, of: id, on: simulator) } }
    let (found, next) = (page.lines, page.next)
    let names = simulator.world.names(for: found, of: id)
    return .json(lines.json(found.map { LogJSON.value($0, names: names, device: id) }, next: next?.text))
  }

  static func act(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let id = try named(context, simulator)
    let action = try context.read(RequestBody.deviceAction) { fields throws(InputProblem) in
      try DeviceAction.read(fields)
    }
    do throws(CommandProblem) {
      try simulator.world.perform(.device(id, action), at: simulator.now(wall: context.wall))
    } catch {
      throw AdminProblem(error)
    }
    let events = context.settle(&simulator)
    let view = try view(of: id, context, simulator)
    let names = simulator.world.names(for: events)
    return .json(outcome.json((view, events.map { EventJSON.value($0, names) })))
  }

  static func deviceNumber(_ number: Int) throws(AdminProblem) -> UInt32 {
    guard let number = UInt32(exactly: number) else { throw Query.unknownCursor }
    return number
  }

  static func named(_ context: AdminContext, _ simulator: Simulator) throws(AdminProblem) -> DeviceID {
    let name = context.captures[0]
    guard let id = DeviceID(name), simulator.world.fleet.contains(id) else {
      throw AdminProblem(404, simulator.world.fleet.unknown("device", name), field: "id")
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
