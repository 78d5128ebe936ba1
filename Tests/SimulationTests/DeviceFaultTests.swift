import APNs
import Devices
import Simulation
import Testing
import Timeline

@Suite("Faults of devices")
struct DeviceFaultTests {
  private func set(_ fault: Fault, on stage: inout Stage) throws {
    try stage.world.perform(.setFault(fault), at: stage.now)
  }

  @Test("a device fault is reverted only on the devices on which it was applied")
  func done() throws {
    var stage = Stage(devices: 10)
    try stage.order(.goOffline, on: 3)
    try set(Fault("wave", .devices(.goOffline, heal: .goOnline)), on: &stage)
    try stage.order(.goOnline, on: 5)
    #expect((0..<10).count { stage.world.fleet.isOnline(DeviceID($0)) } == 1)
    try stage.world.perform(.deleteFault("wave"), at: stage.now)
    #expect((0..<10).filter { !stage.world.fleet.isOnline(DeviceID($0)) } == [3])
  }

  @Test("set again under their name last as long as the new one")
  func anew() throws {
    var stage = Stage(devices: 10)
    func wave(_ duration: Int) -> Fault {
      var fault = Fault("wave", .devices(.goOffline, heal: .goOnline))
      fault.until = stage.now.world.advanced(by: .seconds(duration))
      return fault
    }
    try set(wave(30), on: &stage)
    stage.advance(by: .seconds(20))
    try set(wave(60), on: &stage)
    stage.advance(by: .seconds(59))
    #expect(!stage.world.fleet.isOnline(DeviceID(0)))
    stage.advance(by: .seconds(1))
    #expect(stage.world.fleet.isOnline(DeviceID(0)))
  }

  @Test("a token is replaced silently: the app does not learn of it, not even when it is opened from the background")
  func silently() throws {
    for silently in [false, true] {
      var stage = Stage(devices: 2)
      try stage.order(.open(app: Stage.app))
      _ = stage.events()
      let old = try stage.token(.pushToStart(type: 0))
      let rotation = DeviceAction.rotate(
        .pushToStart, app: Stage.app, attributesType: "MatchAttributes", activity: nil, silently: silently)
      try set(Fault("f", .devices(rotation, heal: nil)), on: &stage)
      let told = stage.events().contains { event in
        if case .phone(_, _, .tokenYielded(.pushToStart), _) = event { true } else { false }
      }
      #expect(told == !silently)
      #expect(try stage.token(.pushToStart(type: 0)) != old)
      let record = try stage.pushActivity(old, event: "start", type: "MatchAttributes")
      #expect(record.status == 200 && record.fate == .discarded(.orphanToken))
      #expect(try stage.app().activities.isEmpty)
    }
  }

  @Test("people answer late, to questions shown while the fault is active, on its devices")
  func prompts() throws {
    var policy = Stage.quick
    policy.prompt.policy = .everyPushStart
    policy.prompt.after = .seconds(20)
    var stage = Stage(devices: 4, policy: policy)
    var fault = Fault("late", .prompts(PromptFault(after: .seconds(1800))))
    fault.condition.filter.devices = [DeviceID(1), DeviceID(2)]
    try set(fault, on: &stage)
    func asked(_ device: UInt32) throws -> Bool {
      _ = try stage.pushActivity(
        stage.token(.pushToStart(type: 0), on: device), event: "start", type: "MatchAttributes")
      stage.advance(by: .seconds(30))
      return try stage.app(device).activities.first?.state == .prompting
    }
    #expect(try asked(0) == false)
    #expect(try asked(1))
    stage.advance(by: .seconds(1770))
    #expect(try stage.app(1).activities.first?.state == .active)
    try stage.world.perform(.deleteFault("late"), at: stage.now)
    #expect(try asked(2) == false)
  }

  @Test("of listeners: after one is removed, the others are active again")
  func listeners() throws {
    var stage = Stage(devices: 2)
    func told() -> [String] {
      stage.events().compactMap { event in
        guard case .listener(let fault, _) = event else { return nil }
        return fault.map { "\($0)" } ?? "well"
      }
    }
    try set(Fault("old", .listener(.certificate(.expired))), on: &stage)
    try set(Fault("down", .listener(.refuse)), on: &stage)
    #expect(told().last == "refuse")
    try stage.world.perform(.deleteFault("down"), at: stage.now)
    #expect(told() == ["well", "\(ListenerFault.certificate(.expired))"])
    try stage.world.perform(.deleteAllFaults, at: stage.now)
    #expect(told() == ["well"])
  }
}
