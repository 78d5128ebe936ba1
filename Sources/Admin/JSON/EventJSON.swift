import APNs
import Devices
import Grammar
import Reporting
import Simulation
import Timeline
import WireFormats

/// Events as JSON: `event` is the name, the other members are the details.
enum EventJSON {
  static let schema = Schema.object(
    [
      .init(
        "event", .words(worldNames + DeviceEvent.names),
        meaning: """
          Names that end in `Yielded` are events that the app receives by one of its streams; its backend cannot know
          the others.
          """), .maybe("at", .time), .maybe("device", .deviceID), .maybe("app", .bundleID),
      .maybe(
        "cause", .string,
        meaning: """
          Why an activity ended: push, command, user, lifeOver, system, appRemoved, switched, denied, transient or
          evicted.
          """), .maybe("activity", .uuid),
      .maybe("fate", .string, meaning: "The later fate of a push that was answered earlier."),
      .maybe("connection", .integer),
      .maybe("environment", .environment), .maybe("peer", .string), .maybe("sentence", .string),
      .maybe("apnsId", .apnsID),
      .maybe("sent", .string, meaning: "What was sent for a push that was answered earlier."),
      .maybe("detail", .string), .maybe("fault", .string, meaning: "The name of a fault."),
      .maybe("method", .string, meaning: "Of a call."), .maybe("url", .string, meaning: "Of a call."),
      .maybe("call", CallRoutes.schema, meaning: "A call that has ended."), .maybe("operation", .string),
      .maybe("status", .integer), .maybe("order", .string),
      .maybe(
        "on", .types(["boolean", "string"]),
        meaning: "The new state of the switch. Of a call, the event that caused it."),
    ] + details
  ).named("Event", "One event, by its name; the other members are its details.")

  /// The details of events on phones.
  static let details: [Schema.Member] = [
    .maybe("kind", .string, meaning: "The kind of a token, or of a trouble."),
    .maybe("token", .string, meaning: "The token, in hexadecimal."), .maybe("attributesType", .string),
    .maybe("startedBy", .words(LiveActivity.Origin.self)), .maybe("state", .activityState),
    .maybe("error", .authorizationError),
    .maybe("answer", .words(["allow", "deny"]), meaning: "The answer to the Allow question."),
    .maybe("enabled", .truth, meaning: "The value that a stream of switches yields."),
    .maybe("launch", .words(Launch.self), meaning: "Why the app's process was started."),
    .maybe("how", .words(["terminated", "forceQuit", "crashed"]), meaning: "How the process ended."),
    .maybe("permission", .permission), .maybe("what", .phoneSwitch),
    .maybe("os", .string, meaning: "The version of iOS that was installed."),
    .maybe("ahead", .string, meaning: "By how much the phone's clock is ahead now, such as 90s or -1h."),
    .maybe("notification", .integer, meaning: "Its number."),
    .maybe("button", .string, meaning: "The name of the button that was pressed."),
    .maybe("push", .integer, meaning: "The push's `sequence`."),
    .maybe("reaction", .string, meaning: "What the phone did with a push that arrived once more."),
  ]

  /// Names of events besides those on phones.
  private static let worldNames = [
    "connectionOpened", "connectionClosed", "trouble", "streamsAllowed", "push", "channelRequest", "broadcastReached",
    "pushSettled", "answerSent", "faultStruck", "connectionStruck", "wire", "listener", "call", "callEnded",
  ]

  static func value(_ event: WorldEvent, _ names: WorldNames) -> JSONValue {
    let (name, members) = parts(event, names)
    return .object([.init("event", .string(name))] + members)
  }

  private typealias Members = [JSONValue.Member]

  private static func parts(_ event: WorldEvent, _ names: WorldNames) -> (String, Members) {
    switch event {
    case .connectionOpened(let id, let environment, let peer):
      ("connectionOpened", connection(id) + [text("environment", environment.rawValue), text("peer", peer)])
    case .connectionClosed(let id): ("connectionClosed", connection(id))
    case .trouble(let trouble):
      (
        "trouble",
        [
          at(trouble.at), text("kind", trouble.kind), text("peer", trouble.peer), text("sentence", trouble.sentence),
        ]
      )
    case .streamsAllowed(let id): ("streamsAllowed", connection(id))
    case .push(let record): ("push", [at(record.at.world), text("apnsId", record.answer.id.text)])
    case .channels(let record): ("channelRequest", members(record))
    case .broadcastReached(_, let device, let fate, let now):
      ("broadcastReached", place(device, now) + [text("fate", fate.words)])
    case .pushSettled(let number, let device, let fate, let now):
      (
        "pushSettled",
        place(device, now) + [
          .init("push", .integer(Int64(clamping: number))), text("fate", fate.words),
        ]
      )
    case .answerSent(let number, let sent, let now):
      (
        "answerSent",
        [
          at(now), .init("push", .integer(Int64(clamping: number))), text("sent", sent.name),
          text("detail", sent.detail),
        ]
      )
    case .faultStruck(let name, let device, let now): ("faultStruck", place(device, now) + [text("fault", name)])
    case .connectionStruck(let name, let id, let now):
      ("connectionStruck", connection(id) + [at(now), text("fault", name)])
    case .wire(let id, let order): ("wire", connection(id) + [text("order", order.name)])
    case .listener(let fault, let environment):
      (
        "listener",
        [
          .init("environment", JSONValue(environment?.rawValue)),
          .init("order", .string(fault == nil ? "heal" : "fault")),
        ]
      )
    case .call(let record): ("call", members(record, names))
    case .callEnded(let end): ("callEnded", [.init("call", CallRoutes.shape.json((end, names)))])
    case .phone(let device, let app, let deviceEvent, let now):
      (deviceEvent.name, place(device, now) + members(of: deviceEvent, device: device, app: app, names: names))
    }
  }

  private static func members(_ record: ChannelRecord) -> Members {
    [
      at(record.at.world), text("operation", record.operation?.rawValue ?? "unknown"),
      text("app", record.home.bundleID), .init("status", .integer(Int64(record.answer.status))),
    ]
  }

  private static func members(_ record: CallRecord, _ names: WorldNames) -> Members {
    place(record.device, record.at) + [
      text("app", names.bundleID(record.app)), text("on", record.call.event),
      text("method", record.call.method), text("url", record.call.url),
    ]
  }

  private static func text(_ name: String, _ value: String) -> JSONValue.Member { .init(name, .string(value)) }

  private static func at(_ now: Instant) -> JSONValue.Member { text("at", now.rfc3339) }

  private static func connection(_ id: ProviderConnectionID) -> Members {
    [.init("connection", .integer(Int64(clamping: id.number)))]
  }

  private static func place(_ device: DeviceID, _ now: Instant) -> Members { [at(now), text("device", device.text)] }

  /// The device and app of an event, and its details.
  static func members(of deviceEvent: DeviceEvent, device: DeviceID, app: Int?, names: WorldNames) -> [JSONValue
    .Member]
  {
    var members: Members = []
    if let app {
      members.append(text("app", names.bundleID(app)))
      if let slot = deviceEvent.slot {
        members += token(slot, device: device, app: app, names: names)
      } else if let number = deviceEvent.activity {
        members.append(activity(number, device: device, app: app, names: names))
      }
      if let place = deviceEvent.button {
        let buttons = names.apps[app].buttons
        if buttons.indices.contains(Int(place)) { members.append(text("button", buttons[Int(place)])) }
      }
    }
    return members + deviceEvent.details.map { .init($0.name, detail($0.name, $0.value)) }
  }

  /// A boolean or a number if the word is one, as in orders and other events.
  private static func detail(_ name: String, _ word: String) -> JSONValue {
    switch name {
    case "on", "enabled": .bool(word == "true")
    case "notification", "push": Int64(word).map { .integer($0) } ?? .string(word)
    default: .string(word)
    }
  }

  private static func activity(_ number: UInt32, device: DeviceID, app: Int, names: WorldNames)
    -> JSONValue.Member
  {
    text("activity", names.activity(device, app: app, number: number))
  }

  private static func token(_ slot: TokenSlot, device: DeviceID, app: Int, names: WorldNames) -> Members {
    var members = [text("kind", slot.kind.name)]
    switch slot {
    case .app, .service: break
    case .pushToStart(let type):
      members.append(text("attributesType", names.apps[app].attributesTypes[type]))
    case .update(let number): members.append(activity(number, device: device, app: app, names: names))
    }
    if let token = names.token(device, app: app, slot: slot) { members.append(text("token", token.text)) }
    return members
  }
}

/// An event as a line of JSON, as written by `replay`.
package enum EventText {
  /// The name as `event`, and the details.
  package static func members(_ event: WorldEvent, _ names: WorldNames) -> [JSONValue.Member] {
    EventJSON.value(event, names).members ?? []
  }

  package static func line(_ event: WorldEvent, _ world: World) -> String {
    let value = EventJSON.value(event, world.names(for: [event]))
    guard case .push(let record) = event else { return value.text }
    // In the list a push is identified by its id; on its own it also has its fate.
    return JSONValue.object(
      (value.members ?? []) + [
        .init("sequence", .integer(Int64(clamping: record.sequence))),
        .init("connection", .integer(Int64(clamping: record.stream.connection.number))),
        .init("stream", .integer(Int64(record.stream.number))), .init("status", JSONValue(record.answer.status)),
        .init("sent", .string(record.firstSent.name)),
        .init("reason", JSONValue(record.answer.rejection?.reason.rawValue)),
        .init("device", JSONValue(record.address?.device.text)),
        .init("fate", .string(record.firstFate.words)), .init("outcome", JSONValue(record.firstFate.outcome)),
        .init("causes", .array(record.firstFate.causes.map { .string($0) })), .init("fault", JSONValue(record.fault)),
      ]
    ).text
  }
}
