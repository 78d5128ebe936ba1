import APNs
import Devices
import TestSupport
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("What a phone keeps")
struct PhoneMemoryTests {
  private static let limit = 16_384

  private static let apps = [
    AppProfile(bundleID: Stage.app, teamID: Stage.team, attributesTypes: ["MatchAttributes"]),
    AppProfile(bundleID: "com.example.other", teamID: Stage.team, attributesTypes: ["MatchAttributes"]),
  ]

  private func stage(limit: Int = limit, seed: UInt64 = 1) -> Stage {
    var policy = Stage.quick
    policy.memory = limit
    return Stage(devices: 4, seed: seed, apps: Self.apps, policy: policy, rulebook: Stage.unhurried)
  }

  private func alert(_ text: String, bytes: Int = 2900) -> String {
    #"{"aps":{"alert":{"title":"\#(text)","body":"\#(String(repeating: "x", count: bytes))"}}}"#
  }

  @discardableResult
  private func notify(
    _ stage: inout Stage, _ text: String, app: Int = 0, on device: UInt32 = 0, bytes: Int = 2900
  ) throws -> PushRecord {
    try stage.send(
      stage.token(on: device, app: app), topic: Self.apps[app].bundleID, alert(text, bytes: bytes))
  }

  private func titles(_ stage: Stage, on device: UInt32 = 0) -> [String] {
    stage.screen(device).notifications.map(\.text.alert.title)
  }

  private func memory(_ stage: Stage, on device: UInt32 = 0) -> Int {
    stage.world.fleet.phone(DeviceID(device)).memory
  }

  private func running(_ stage: Stage, on device: UInt32) -> [UInt32] {
    let activities = stage.world.fleet.phone(DeviceID(device)).installs[0].activities
    return activities.filter { $0.isRunning(at: stage.now.world) }.map(\.number)
  }

  private func forgotten(_ stage: Stage, on device: UInt32 = 0) -> [DeviceEvent] {
    stage.story(of: device).filter { $0.name.hasSuffix("Forgotten") }
  }

  @Test("a phone's memory stays below its bound: the oldest notification of any app is removed and logged")
  func oldest() throws {
    var stage = stage()
    for number in 0..<7 {
      try notify(&stage, "\(number)", app: number % 2)
      stage.advance(by: .seconds(1))
    }
    #expect(titles(stage) == ["6", "5", "4", "3", "2"])
    #expect(memory(stage) <= Self.limit)
    // Each app counts its own.
    #expect(forgotten(stage) == [.notificationForgotten(0), .notificationForgotten(0)])
    let log = stage.world.recent.compactMap { event -> String? in
      if case .phone(_, _, let deviceEvent, _) = event, case .notificationForgotten = deviceEvent {
        deviceEvent.sentence
      } else {
        nil
      }
    }
    #expect(log.allSatisfy { $0.contains("fleet.memoryPerDevice") } && log.count == 2)
  }

  @Test("a phone with enough memory removes notifications only beyond the list's own bound")
  func room() throws {
    var stage = stage(limit: 1 << 20)
    for number in 0..<70 { try notify(&stage, "\(number)") }
    #expect(titles(stage).count == 64 && forgotten(stage).isEmpty)
  }

  @Test("a phone's memory is freed by a tap, a replacement or clearing")
  func givesBack() throws {
    var stage = stage()
    let before = memory(stage)
    for number in 0..<3 { try notify(&stage, "\(number)") }
    try stage.order(.tapNotification(1, app: nil))
    #expect(titles(stage) == ["2", "0"])
    try stage.order(.clearNotifications(app: Stage.app))
    #expect(memory(stage) == before)
    // In the foreground the app shows none.
    try stage.order(.leave(app: Stage.app))
    for number in 0..<9 {
      _ = try stage.send(stage.token(), alert("\(number)"), ["apns-collapse-id": "same"])
    }
    #expect(titles(stage) == ["8"] && forgotten(stage).isEmpty)
  }

  @Test("a phone's memory does not change with pushes to other phones")
  func alone() throws {
    var (one, other) = (stage(), stage())
    for number in 0..<12 {
      for device in 1..<4 as Range<UInt32> { try notify(&other, "\(number)", on: device) }
      try notify(&one, "\(number)")
      try notify(&other, "\(number)")
      one.advance(by: .seconds(1))
      other.advance(by: .seconds(1))
    }
    #expect(forgotten(one) == forgotten(other) && titles(one) == titles(other))
    #expect(memory(one) == memory(other))
  }

  @Test("a phone keeps the content of running activities, however little room it has, and drops that of ended ones")
  func running() throws {
    var stage = stage()
    let long = String(repeating: "y", count: 2500)
    for activity in 0..<5 as Range<UInt32> {
      try stage.launch(#","pad":"\#(long)""#)
      try stage.update(Int(activity), #","pad":"\#(long)""#, activity: activity)
    }
    try notify(&stage, "in vain")
    #expect(memory(stage) > Self.limit && titles(stage).isEmpty)
    #expect(stage.screen().cards.map { $0.content?["score"]?.integer } == [0, 1, 2, 3, 4])
    try stage.finish(activity: 1)
    // Its card stays, and has nothing to show.
    #expect(forgotten(stage) == [.notificationForgotten(0), .contentForgotten(1)])
    #expect(stage.screen().cards.count == 5)
    #expect(stage.screen().cards.map { $0.content?["score"]?.integer } == [0, nil, 2, 3, 4])
    try stage.update(9, #","pad":"\#(long)""#, activity: 4)
    #expect(stage.screen().cards.last?.content?["score"]?.integer == 9)
  }

  @Test("deferred content counts as a phone's memory: a notification without room is dropped with the reason")
  func held() throws {
    var stage = stage()
    let records = try (0..<8).map { number in
      try stage.send(stage.token(), alert("\(number)"), ["apns-priority": "5"])
    }
    #expect(memory(stage) <= Self.limit)
    let dropped = records.filter { $0.fate.cause == .tooManyHeld }
    #expect(!dropped.isEmpty && dropped.count < 8)
    stage.advance(by: .seconds(7200))
    #expect(titles(stage).count == 8 - dropped.count)
  }

  @Test("a phone's memory is below its bound, or holds only running activities and deferred pushes", arguments: 0..<20)
  func random(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var stage = stage(seed: seed)
    for step in 0..<150 {
      let device = UInt32(dice.below(2))
      switch dice.below(9) {
      case 0: try stage.launch(#","pad":"\#(String(repeating: "z", count: dice.below(3000)))""#, on: device)
      case 1, 2:
        let running = running(stage, on: device)
        guard !running.isEmpty else { continue }
        let number = running[dice.below(running.count)]
        let pad = #","pad":"\#(String(repeating: "z", count: dice.below(3000)))""#
        let priority = [5, 10][dice.below(2)]
        _ = try? stage.update(step, pad, activity: number, on: device, priority: priority)
      case 3:
        let running = running(stage, on: device)
        guard !running.isEmpty else { continue }
        _ = try? stage.finish(activity: running[dice.below(running.count)], on: device)
      case 4: stage.advance(by: .seconds(dice.below(7200)))
      case 5: _ = try? stage.order(.clearNotifications(app: Stage.app), on: device)
      default: try notify(&stage, "\(step)", app: dice.below(2), on: device, bytes: dice.below(3500))
      }
      for device in 0..<2 as Range<UInt32> {
        guard memory(stage, on: device) > Self.limit else { continue }
        let screen = stage.screen(device)
        #expect(screen.notifications.isEmpty, "seed \(seed), step \(step)")
        #expect(screen.cards.filter { $0.state == .ended && $0.content != nil }.isEmpty, "seed \(seed), step \(step)")
      }
    }
  }

  // MARK: - All phones together

  /// Phones 0, 256 and 512 share a budget that holds what one of them may keep.
  private func crowdedStage() -> Stage {
    var policy = Stage.quick
    policy.memory = Self.limit
    policy.fleetMemory = 256 * Self.limit
    return Stage(devices: 768, seed: 1, apps: Self.apps, policy: policy, rulebook: Stage.unhurried)
  }

  @Test("of each 256th of the fleet stays below its share: notifications of another phone are removed, and logged")
  func share() throws {
    var stage = crowdedStage()
    for number in 0..<4 {
      for device in [0, 256, 512, 1] as [UInt32] {
        try notify(&stage, "\(number)", on: device)
        stage.advance(by: .seconds(1))
      }
    }
    #expect(memory(stage, on: 0) + memory(stage, on: 256) + memory(stage, on: 512) <= Self.limit)
    #expect(!forgotten(stage, on: 0).isEmpty)
    // Another 256th has a share of its own.
    #expect(titles(stage, on: 1) == ["3", "2", "1", "0"] && forgotten(stage, on: 1).isEmpty)
  }

  @Test("the memory of each 256th of the fleet stays below its share while pushes of one size arrive")
  func steady() throws {
    var stage = crowdedStage()
    for number in 0..<300 {
      try notify(&stage, "\(number)", on: [0, 256, 512][number % 3])
      stage.advance(by: .seconds(1))
      let kept = memory(stage, on: 0) + memory(stage, on: 256) + memory(stage, on: 512)
      #expect(kept <= Self.limit, "after push \(number)")
    }
  }

  @Test("the memory of each 256th of the fleet stays below its share when an app adds content without a push")
  func appContent() throws {
    var stage = crowdedStage()
    try stage.launch(on: 256)
    for number in 0..<4 {
      try notify(&stage, "\(number)", on: 0)
      stage.advance(by: .seconds(1))
    }
    #expect(forgotten(stage, on: 0).isEmpty)
    let content = JSONValue.string(String(repeating: "x", count: 3900))
    try stage.order(.updateActivity(nil, app: nil, ActivityUpdateRequest(content: content)), on: 256)
    #expect(memory(stage, on: 0) + memory(stage, on: 256) <= Self.limit)
    #expect(forgotten(stage, on: 0) == [.notificationForgotten(0)])
  }

  @Test("the content of running activities is never freed, though together it exceeds the share of the phones")
  func runningStays() throws {
    var stage = crowdedStage()
    let devices = [0, 256, 512] as [UInt32]
    for device in devices {
      for _ in 0..<2 {
        try stage.launch(#","pad":"\#(String(repeating: "x", count: 2000))""#, on: device)
        stage.advance(by: .seconds(60))
      }
    }
    #expect(devices.reduce(0) { $0 + memory(stage, on: $1) } > Self.limit)
    // A whole turn has found nothing, so less than a sixteenth more is let be.
    try notify(&stage, "first", on: 0, bytes: 200)
    #expect(titles(stage, on: 0) == ["first"])
    stage.advance(by: .seconds(1))
    try notify(&stage, "second", on: 256, bytes: 900)
    for device in devices {
      #expect(running(stage, on: device) == [0, 1])
      let activities = stage.world.fleet.phone(DeviceID(device)).installs[0].activities
      #expect(activities.allSatisfy { $0.content != .none })
    }
    #expect(titles(stage, on: 0) == [] && titles(stage, on: 256) == [])
  }

  @Test("A budget searches in rounds for memory it can free, and pauses after a round without success")
  func budget() {
    var budget = MemoryBudget(bytes: 256 * 100, perDevice: 10)
    let turn = [DeviceID(3), DeviceID(259), DeviceID(515)]
    #expect(budget.share == 100)
    #expect(budget.charge(100, to: 3) == 0 && budget.charge(1, to: 3) == 1 && budget.charge(50, to: 4) == 0)
    #expect((0..<4).map { _ in budget.next(of: 3, devices: 600) } == turn + [nil])
    #expect(budget.charge(6, to: 3) == 0, "a sixteenth of 100 is 6")
    #expect(budget.charge(1, to: 3) == 8, "more than a sixteenth has come")
    #expect(budget.free(5, of: 3) == 3, "it goes on until the part is within its share")
    #expect(
      (0..<6).map { _ in budget.next(of: 3, devices: 600) } == turn + turn, "a turn that freed is followed by another")
    #expect(budget.next(of: 3, devices: 600) == nil)
    #expect(budget.charge(-20, to: 3) == 0 && budget.charge(15, to: 3) == 0 && budget.charge(3, to: 3) == 1)
  }
}
