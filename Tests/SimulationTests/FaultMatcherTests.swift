import APNs
import Devices
import Simulation
import TestSupport
import Testing
import Timeline
import WireFormats

/// The matcher of faults, compared with conditions that are written out one by one.
@Suite("The conditions of a fault")
struct FaultMatcherTests {
  private struct Push {
    let device: DeviceID
    let app: Int
    let slot: TokenSlot
    let type: PushType?
    let priority: Priority
    let event: String
  }

  private static func condition(_ dice: inout Dice) -> FaultCondition {
    var condition = FaultCondition()
    func sometimes(_ dice: inout Dice) -> Bool { dice.below(4) == 0 }
    if sometimes(&dice) { condition.filter.environment = [.sandbox, .production][dice.below(2)] }
    if sometimes(&dice) { condition.filter.app = [Stage.app, Stage.store, "com.example.none"][dice.below(3)] }
    if sometimes(&dice) { condition.filter.type = PushType.allCases[dice.below(PushType.allCases.count)] }
    if sometimes(&dice) { condition.filter.type = [.alert, .liveactivity][dice.below(2)] }
    if sometimes(&dice) { condition.filter.priority = Priority.allCases[dice.below(3)] }
    if sometimes(&dice) { condition.filter.tokenKind = TokenKind.allCases[dice.below(TokenKind.allCases.count)] }
    if sometimes(&dice) { condition.filter.tokenKind = [.device, .pushToStart][dice.below(2)] }
    if sometimes(&dice) { condition.filter.event = ["start", "update"][dice.below(2)] }
    if sometimes(&dice) { condition.filter.devices = (0..<3).map { _ in DeviceID(UInt32(dice.below(6))) } }
    if sometimes(&dice) { condition.filter.os = OSPattern(16 + dice.below(11)) }
    if sometimes(&dice) { condition.filter.connection = UInt64(1 + dice.below(3)) }
    return condition
  }

  private static func meets(_ condition: FaultCondition, _ push: Push, _ os: Int) -> Bool {
    let environment: Environment = push.app == 0 ? .sandbox : .production
    let app = push.app == 0 ? Stage.app : Stage.store
    return condition.filter.environment.map { $0 == environment } ?? true
      && condition.filter.app.map { $0 == app } ?? true
      && condition.filter.type.map { $0 == push.type } ?? true
      && condition.filter.priority.map { $0 == push.priority } ?? true
      && condition.filter.tokenKind.map { $0 == push.slot.kind } ?? true
      && condition.filter.event.map { $0 == push.event } ?? true
      && condition.filter.devices.map { $0.contains(push.device) } ?? true
      && condition.filter.os.map { $0.major == os } ?? true
      && condition.filter.connection.map { $0 == (push.app == 0 ? 1 : 2) } ?? true
  }

  @Test("hold from the first instant of a fault's time, and not at its last")
  func window() throws {
    var stage = Stage()
    var fault = Fault("f", .push(.refuse(.tooManyRequests, retryAfter: nil, age: nil)))
    fault.from = stage.now.world.advanced(by: .seconds(10))
    fault.until = stage.now.world.advanced(by: .seconds(20))
    try stage.world.perform(.setFault(fault), at: stage.now)
    let token = try stage.token()
    func status(at seconds: Int, lessNanoseconds: Int64 = 0) throws -> Int {
      let world = Stage.began.advanced(by: .seconds(seconds)).advanced(by: .nanoseconds(-lessNanoseconds))
      stage.now = Now(world: world, wall: stage.now.wall)
      return try stage.push(token).status
    }
    #expect(try status(at: 10, lessNanoseconds: 1) == 200)
    #expect(try status(at: 10) == 429)
    #expect(try status(at: 20, lessNanoseconds: 1) == 429)
    #expect(try status(at: 20) == 200)
    #expect(stage.world.faults["f"]?.seen == 2)
  }

  @Test("match the pushes that satisfy all of them, and no others", arguments: 0..<150 as Range<UInt64>)
  func same(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var stage = Stage(devices: 6, seed: seed, os: nil)
    let conditions = (0..<12).map { _ in Self.condition(&dice) }
    for (number, condition) in conditions.enumerated() {
      // It looks, and never strikes.
      var fault = Fault("f\(number)", .push(.silence))
      fault.condition = condition
      fault.odds = .never
      try stage.world.perform(.setFault(fault), at: stage.now)
    }
    var pushes: [Push] = []
    var stream: Int32 = 1
    for _ in 0..<40 {
      let device = DeviceID(UInt32(dice.below(6)))
      let app = dice.below(2)
      let slot: TokenSlot = dice.below(2) == 0 ? .app : .pushToStart(type: 0)
      let isActivity = slot != .app
      let priority: Priority = dice.below(2) == 0 ? .immediate : .powerAware
      guard let token = stage.world.fleet.token(device, app: app, slot: slot) else { continue }
      let topic = app == 0 ? Stage.app : Stage.store
      let event = isActivity ? "start" : ["update", "none"][dice.below(2)]
      // JSON may write any letter otherwise.
      let written =
        switch dice.below(3) {
        case 0: event.replacing("a", with: #"\u0061"#)
        default: event
        }
      let type: PushType? = isActivity ? .liveactivity : dice.below(2) == 0 ? .alert : nil
      var fields = [
        (name: "apns-topic", value: topic + (isActivity ? ".push-type.liveactivity" : "")),
        (name: "authorization", value: Stage.authorization), (name: "apns-priority", value: "\(priority.rawValue)"),
      ]
      if let type { fields.append((name: "apns-push-type", value: type.rawValue)) }
      stream += 2
      let connection = app == 0 ? Stage.sandbox : Stage.production
      stage.world.receive(
        HTTPRequest(
          "POST", "/3/device/" + token.text, fields: fields,
          body: Array(#"{"aps":{"alert":"x","event":"\#(written)"}}"#.utf8)),
        on: StreamID(connection, stream), at: stage.now)
      for case .push(let record) in stage.events() where record.status == 200 {
        pushes.append(
          Push(device: device, app: app, slot: slot, type: type, priority: priority, event: event))
      }
    }
    #expect(!pushes.isEmpty)
    for (number, condition) in conditions.enumerated() {
      let expected = pushes.filter { push in
        Self.meets(condition, push, stage.world.fleet.os(of: push.device).major)
      }
      #expect(stage.world.faults["f\(number)"]?.seen == UInt64(expected.count), "seed \(seed): \(condition)")
    }
  }
}
