import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Pushes with any headers, and what has become of them.
extension Stage {
  /// No limit to the requests for one token.
  static let unhurried: Rulebook = {
    var rulebook = Rulebook()
    rulebook.updateTokenRate = nil
    return rulebook
  }()

  /// A push comes to the world, the stage's way.
  mutating func receive(
    _ token: String, _ fields: [(name: String, value: String)], _ body: String, on stream: StreamID
  ) {
    let request = HTTPRequest("POST", "/3/device/" + token, fields: fields, body: Array(body.utf8))
    if way == .examined { return receive(request, on: stream) }
    guard way == .shared, let address = DeviceToken(token).flatMap({ world.fleet.sealed.address(of: $0) }),
      let environment = world.provider(of: stream.connection)?.environment
    else {
      world.receive(request, on: stream, at: now)
      return
    }
    // Every digit is another one, so that a reader which looks into the path of the template is found out.
    let digits = String(token.map { $0 == "a" ? "b" : "a" })
    let written = HTTPRequest("POST", "/3/device/" + digits, fields: fields, body: Array(body.utf8))
    let template = PushTemplate(
      written, in: environment, to: world.fleet.plan.apps[address.app], makeToken: world.fleet.tokenMaker)
    // What the rules say is found in a copy of the world, as it would have been by the push to another device.
    var copy = world
    copy.receive(template, to: address, on: stream, at: now)
    world.receive(template, to: address, on: stream, at: now)
    pushesThatWay += 1
  }

  private mutating func receive(_ request: HTTPRequest, on stream: StreamID) {
    let connection = stream.connection
    let checked =
      if var provider = providers[connection] {
        world.rules.check(request, on: &provider, world.fleet.sealed, at: now.wall)
      } else { CheckedPush?.none }
    guard let checked else {
      world.receive(request, on: stream, at: now)
      providers[connection] = world.provider(of: connection)
      return
    }
    let apps = world.fleet.plan.apps
    let activity = checked.address.flatMap {
      $0.slot.isActivity ? ParsedActivityUpdate.read(request, for: apps[$0.app].types.map(\.contentState)) : nil
    }
    _ = world.receive(checked, activity, on: stream, at: now)
    pushesThatWay += 1
  }

  /// Pushes sent on a connection so far, refused ones included.
  private func sent(on connection: ProviderConnectionID) -> UInt64 {
    world.openConnections.first { $0.id == connection }?.pushes ?? 0
  }

  /// Sends a push and gives its record; the events are left in the world.
  mutating func send(
    _ token: String, topic: String = Stage.app, _ body: String, _ headers: [String: String] = [:],
    on connection: ProviderConnectionID = Stage.sandbox
  ) throws -> PushRecord {
    var fields = [(name: "apns-topic", value: topic), (name: "authorization", value: Self.authorization)]
    fields += headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    // Beyond the numbers that `push` uses.
    let number = Int32(truncatingIfNeeded: 1_000_001 + 2 * sent(on: connection))
    receive(token, fields, body, on: StreamID(connection, number))
    let pushes = world.recent.compactMap { event -> PushRecord? in
      if case .push(let record) = event { record } else { nil }
    }
    return try #require(pushes.last)
  }

  /// The ideal fleet's phones have allowed notifications already; to allow them again makes no sense.
  mutating func permit(_ permission: NotificationPermission) throws {
    if permission != .authorized { try order(.permit(permission, app: nil)) }
  }

  // MARK: - Live Activities

  /// Seconds since 1970, later for each push.
  func nextTimestamp() -> String {
    let fraction = String(1_000_000 + sent(on: Self.sandbox)).dropFirst()
    return "\(now.world.seconds).\(fraction)"
  }

  /// A sound start by push of the first app's first type; `more` are further members of `aps`.
  @discardableResult
  mutating func launch(
    _ more: String = "", on device: UInt32 = 0, alert: String = #"{"title":"Go","body":"!"}"#
  ) throws -> PushRecord {
    try send(
      try token(.pushToStart(type: 0), on: device), topic: Self.activityTopic,
      #"{"aps":{"timestamp":\#(nextTimestamp()),"event":"start","attributes-type":"MatchAttributes","#
        + #""attributes":{"home":"A"},"content-state":{"score":0},"alert":\#(alert)\#(more)}}"#)
  }

  /// A sound update to the content `{"score": score}`.
  @discardableResult
  mutating func update(
    _ score: Int, _ more: String = "", activity: UInt32 = 0, on device: UInt32 = 0, priority: Int? = nil
  ) throws -> PushRecord {
    try send(
      try token(.update(activity: activity), on: device), topic: Self.activityTopic,
      #"{"aps":{"timestamp":\#(nextTimestamp()),"event":"update","content-state":{"score":\#(score)}\#(more)}}"#,
      priority.map { ["apns-priority": "\($0)"] } ?? [:])
  }

  @discardableResult
  mutating func finish(_ more: String = "", activity: UInt32 = 0, on device: UInt32 = 0) throws -> PushRecord {
    try send(
      try token(.update(activity: activity), on: device), topic: Self.activityTopic,
      #"{"aps":{"timestamp":\#(nextTimestamp()),"event":"end"\#(more)}}"#)
  }

  // MARK: - Asking

  /// The fates of a push, with their times: its first fate, then those that are still among the events.
  func fates(of record: PushRecord) -> [(fate: Fate, at: Instant)] {
    let later = world.recent.compactMap { event -> (fate: Fate, at: Instant)? in
      guard case .pushSettled(record.sequence, _, let fate, let at) = event else { return nil }
      return (fate, at)
    }
    return [(record.firstFate, record.at.world)] + later
  }

  func fate(of record: PushRecord) -> Fate { fates(of: record).last?.fate ?? record.firstFate }

  /// The events of a device that are still there.
  func story(of device: UInt32 = 0) -> [DeviceEvent] {
    world.recent.compactMap { event in
      guard case .phone(DeviceID(device), _, let deviceEvent, _) = event else { return nil }
      return deviceEvent
    }
  }

  func screen(_ device: UInt32 = 0) -> Screen { world.screen(of: DeviceID(device), at: now.world) }

  /// The score that the only card shows.
  func score(_ device: UInt32 = 0) -> Int64? { screen(device).cards.first?.content?["score"]?.integer }

  /// Priority 10 updates that the first activity may still take at once.
  func budgetLeft(_ device: UInt32 = 0) throws -> Int? { try app(device).activities.first?.budgetLeft }

  mutating func flip(_ what: PhoneSwitch, _ on: Bool, on device: UInt32 = 0) throws {
    try order(.flip(what, on: on, app: what.isOfApp ? Self.app : nil), on: device)
  }
}

extension Fate {
  /// The reason why the phone or APNs keeps a push back; nil if neither does.
  var hold: Reaction.Hold? { if case .held(let why, _)? = reaction { why } else { nil } }

  /// Latest time until which a push is kept back; nil if it is not.
  var heldUntil: Instant? {
    switch self {
    case .stored(.power(_, let until)): until
    case .delivered(.held(_, let until)), .deliveredFromStorage(.held(_, let until)): until
    default: nil
    }
  }

  var isUpdate: Bool { if case .updated? = reaction { true } else { false } }
  var shown: Presentation? { if case .notified(let shown)? = reaction { shown } else { nil } }
  var wake: BackgroundWakes.Outcome? { if case .background(let outcome)? = reaction { outcome } else { nil } }
  var isWake: Bool { if case .woken? = wake { true } else { false } }
}
