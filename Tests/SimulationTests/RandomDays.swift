import APNs
import Devices
import TestSupport
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// A small random fleet with the default people, habits, budgets and timing, and what chance does to it: pushes of
/// every kind and state, and everything a person, an app or the system may do in between.
struct RandomDays {
  /// A token to which a push may go, dead or alive.
  private struct Target {
    let token: String
    let app: Int
    let slot: TokenSlot
  }

  /// The content that a Live Activity push would give an activity.
  struct Content {
    let timestamp: Double?
    let number: Int64?
    /// True if the push has no content, so that the earlier content stays.
    var keeps = false
  }

  /// An update by the app itself that was carried out.
  struct OwnUpdate {
    let device: UInt32
    let app: Int
    let activity: UInt32
    let content: Content
  }

  private(set) var stage: Stage
  let devices: UInt32
  private var dice: Dice
  private var targets: [Target] = []
  private var contents: Int64 = 0
  /// Of the last step.
  private(set) var sent: (record: PushRecord, content: Content)?
  private(set) var updated: OwnUpdate?

  init(seed: UInt64, fleetSeed: UInt64? = nil, way: Stage.Way = .request) {
    var dice = Dice(seed: seed)
    devices = 3 + UInt32(dice.below(4))
    var apps = Stage.profiles
    for app in apps.indices {
      apps[app].traits.frequentUpdates = dice.below(2) == 0
      apps[app].traits.presentsInForeground = dice.below(3) == 0
      apps[app].traits.reportsCalls = dice.below(4) > 0 ? .atOnce : .never
      apps[app].traits.observing.keepsTask = dice.below(4) > 0
      if dice.below(3) == 0 { apps[app].traits.serviceExtension = .succeeds(after: .seconds(7)) }
    }
    var policy = DevicePolicy()
    if dice.below(2) == 0 { policy.startTokens.afterSystemUpdate = .stale }
    stage = Stage(
      devices: devices, seed: fleetSeed ?? seed, os: nil, apps: apps, phones: PhoneMix(), policy: policy,
      budget: BudgetPlan())
    self.dice = dice
    stage.way = way
    for device in 0..<devices {
      for app in apps.indices {
        for slot: TokenSlot in [.app, .service(.voip), .pushToStart(type: 0), .pushToStart(type: 0)] {
          know(slot, app, device)
        }
      }
    }
  }

  private mutating func know(_ slot: TokenSlot, _ app: Int, _ device: UInt32) {
    guard let token = stage.world.fleet.token(DeviceID(device), app: app, slot: slot) else { return }
    // A token more than the newest few is of no interest.
    if targets.count >= 60 { targets.remove(at: dice.below(40)) }
    targets.append(Target(token: token.text, app: app, slot: slot))
  }

  /// Keeps from now on what a tape would; gives the world as it is before.
  mutating func record() -> World { stage.record() }

  /// Makes one random call, and returns its events.
  mutating func step() throws -> [WorldEvent] {
    forget()
    switch dice.below(10) {
    case 0...5: try push()
    case 6: advance()
    default: act(on: UInt32(dice.below(Int(devices))))
    }
    let events = stage.events()
    for event in events {
      guard case .phone(let device, let app?, .tokenIssued(let slot), _) = event else { continue }
      // Update tokens are few, and most of the pushes are for them.
      for _ in 0..<(slot.isActivity ? 3 : 1) { know(slot, app, device.number) }
    }
    return events
  }

  private mutating func forget() {
    sent = nil
    updated = nil
  }

  mutating func advance(by duration: Duration) -> [WorldEvent] {
    forget()
    stage.advance(by: duration)
    return stage.events()
  }

  private mutating func advance() {
    let limit = [5, 60, 60, 900, 900, 7200, 40_000, 400_000][dice.below(8)]
    stage.advance(by: .milliseconds(dice.below(limit * 1000)))
  }

  mutating func set(_ fault: Fault) throws -> [WorldEvent] {
    forget()
    try stage.world.perform(.setFault(fault), at: stage.now)
    return stage.events()
  }

  /// Opens connections on which no push ever comes.
  mutating func connect(_ count: UInt64) -> [WorldEvent] {
    forget()
    for number in 0..<count {
      let connection = ProviderConnectionID(Stage.production.number + 1 + number)
      stage.world.connectionOpened(connection, to: .sandbox, peer: "127.0.0.1:\(50_003 + number)", at: stage.now)
    }
    return stage.events()
  }

  /// Closes the connections on which pushes came.
  mutating func disconnect() -> [WorldEvent] {
    forget()
    for connection in [Stage.sandbox, Stage.production] { stage.world.connectionClosed(connection, at: stage.now) }
    return stage.events()
  }

  /// As while a session is open.
  mutating func traceRefusals() { stage.world.output.tracesRefusals = true }

  mutating func order(_ action: DeviceAction, on device: UInt32) -> [WorldEvent] {
    forget()
    try? stage.order(action, on: device)
    return stage.events()
  }

  // MARK: - Pushes

  private mutating func oneOf<Element>(_ list: [Element]) -> Element { list[dice.below(list.count)] }

  private mutating func push() throws {
    let target = oneOf(targets)
    var content = Content(timestamp: nil, number: nil)
    let body: String
    var headers: [String: String] = [:]
    let profile = Stage.profiles[target.app]
    var topic = profile.bundleID + target.slot.suffix.text
    switch target.slot {
    case .app: body = notification(&headers)
    case .service: body = "{}"
    case .pushToStart, .update: (body, content) = activity(target.slot.isActivity)
    }
    if let priority = oneOf([nil, nil, "10", "10", "5", "5", "5", "1", "7"]) { headers["apns-priority"] = priority }
    if headers["apns-push-type"] == "background", dice.below(5) > 0 { headers["apns-priority"] = "5" }
    let now = stage.now.world.seconds
    if let expiration = oneOf([nil, nil, 0, now - 5, now + Int64(dice.below(9000)), now + Int64(dice.below(300_000))]) {
      headers["apns-expiration"] = "\(expiration)"
    }
    if dice.below(4) == 0 { headers["apns-collapse-id"] = "c\(dice.below(3))" }
    if dice.below(40) == 0 { topic = "com.example.wrong" }
    var connection = profile.build == .production ? Stage.production : Stage.sandbox
    if dice.below(40) == 0 { connection = Stage.sandbox }
    sent = (try stage.send(target.token, topic: topic, body, headers, on: connection), content)
  }

  private mutating func notification(_ headers: inout [String: String]) -> String {
    switch dice.below(8) {
    case 0:
      headers["apns-push-type"] = "background"
      return #"{"aps":{"content-available":1}}"#
    case 1:
      headers["apns-push-type"] = "background"
      return #"{"aps":{"content-available":1}}"#
    case 2: return #"{"aps":{"alert":"Work","content-available":1,"sound":"default"}}"#
    case 3: return #"{"aps":{"alert":{"title":"M"},"mutable-content":1}}"#
    case 4: return #"{"aps":{"badge":\#(dice.below(3)),"alert":"B","interruption-level":"passive"}}"#
    case 5: return #"{"aps":{"alert":"T","interruption-level":"time-sensitive","sound":"x"}}"#
    case 6: return oneOf(["x", "[]", #"{"aps":7}"#, "{}", #"{"aps":{"badge":-1}}"#])
    default: return #"{"aps":{"alert":"Out!"}}"#
    }
  }

  /// A Live Activity push, sound or with one thing spoilt.
  private mutating func activity(_ isUpdate: Bool) -> (String, Content) {
    contents += 1
    let now = stage.now.world.seconds
    let timestamp = dice.below(60) == 0 ? stage.now.world.milliseconds : now + Int64(dice.below(12)) - 4
    var members = ["timestamp": "\(timestamp)", "content-state": #"{"n":\#(contents)}"#]
    members["event"] =
      isUpdate ? oneOf([#""update""#, #""update""#, #""update""#, #""update""#, #""end""#]) : #""start""#
    var number: Int64? = contents
    var keeps = false
    if isUpdate {
      if members["event"] == #""end""# {
        if dice.below(2) == 0 {
          members["content-state"] = nil
          number = nil
          keeps = true
        }
        if dice.below(2) == 0 { members["dismissal-date"] = "\(now + Int64(dice.below(20_000)) - 3000)" }
      }
      if dice.below(6) == 0 { members["alert"] = #"{"title":"Four","body":"!"}"# }
    } else {
      members["attributes-type"] = #""MatchAttributes""#
      members["attributes"] = "{}"
      members["alert"] = #"{"title":"Go","body":"!"}"#
    }
    if dice.below(4) == 0 { members["stale-date"] = "\(now + Int64(dice.below(1000)))" }
    if dice.below(4) == 0 { members["relevance-score"] = "\(dice.below(100))" }
    if dice.below(10) == 0 {
      let key = oneOf(["timestamp", "event", "content-state", "attributes-type", "alert"])
      members[key] = oneOf([nil, "7", #""x""#, "null", "[]"])
      // What is spoilt may still be sound to a device: a missing content ends all the same.
      if key == "content-state" {
        number = nil
        keeps = members[key] == nil
      }
      if key == "timestamp" {
        let text = members["timestamp"] ?? ""
        return (Self.body(members), Content(timestamp: Double(text), number: number, keeps: keeps))
      }
    }
    return (Self.body(members), Content(timestamp: Double(timestamp), number: number, keeps: keeps))
  }

  private static func body(_ members: [String: String]) -> String {
    let list = members.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }
    return #"{"aps":{"# + list.joined(separator: ",") + "}}"
  }

  // MARK: - Actions

  private mutating func act(on device: UInt32) {
    let app: String? = oneOf([Stage.app, Stage.app, Stage.store, nil])
    let on = dice.below(2) == 0
    let action: DeviceAction
    switch dice.below(31) {
    case 0: action = .goOffline
    case 1...3: action = .goOnline
    case 4: action = .lock
    case 5: action = .unlock
    case 6: action = on ? .lightScreen : .darkenScreen
    case 7, 8: action = .forceQuit(app: app)
    case 9, 10: action = .open(app: app)
    case 11: action = .leave(app: app)
    case 12: action = .uninstall(app: app)
    case 13: action = .reinstall(app: app, opens: on)
    case 14, 15: action = .flip(oneOf(PhoneSwitch.allCases.filter { $0.isOfApp }), on: on, app: app)
    case 16, 17: action = .flip(oneOf(PhoneSwitch.allCases.filter { !$0.isOfApp }), on: on, app: nil)
    case 18, 19: action = .swipe(oneOf([nil] + stage.screen(device).cards.map(\.id)), app: nil)
    case 20: action = .allow(nil, app: nil)
    case 21: action = .deny(nil, app: nil)
    case 22: action = .reboot
    case 23: action = dice.below(4) == 0 ? .restore : .terminate(app: app)
    case 24: action = rotation(app, stage.screen(device).cards.first?.id)
    case 25: action = .startActivity(app: app, attributesType: "MatchAttributes")
    case 26:
      updateOwn(on: device)
      return
    case 27: action = on ? .endActivity(nil, app: nil) : .evict(nil, app: nil)
    case 28: action = .updateSystem(oneOf([OSVersion(26, 4), OSVersion(27, 0), OSVersion(27, 1)]))
    case 29: action = .permit(oneOf(NotificationPermission.allCases), app: app)
    default: action = on ? .tapNotification(nil, app: app) : .clearNotifications(app: app)
    }
    try? stage.order(action, on: device)
  }

  private mutating func rotation(_ app: String?, _ activity: String?) -> DeviceAction {
    switch dice.below(3) {
    case 0: .rotate(.device, app: app, attributesType: nil, activity: nil)
    case 1: .rotate(.pushToStart, app: app, attributesType: "MatchAttributes", activity: nil)
    default: .rotate(.update, app: app, attributesType: nil, activity: activity)
    }
  }

  private mutating func updateOwn(on device: UInt32) {
    guard let card = stage.screen(device).cards.first else { return }
    contents += 1
    var order = ActivityUpdateRequest(content: ["n": .integer(contents)])
    if dice.below(2) == 0 { order.timestamp = Double(stage.now.world.seconds + Int64(dice.below(9)) - 4) }
    guard (try? stage.order(.updateActivity(card.id, app: nil, order), on: device)) != nil else { return }
    updated = OwnUpdate(
      device: device, app: card.app, activity: card.number,
      content: Content(timestamp: order.timestamp, number: contents))
  }
}
