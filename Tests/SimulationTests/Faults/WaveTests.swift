import APNs
import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// A fault on more devices than are reached in one piece of work.
@Suite("A fault on many devices")
struct WaveTests {
  private static let devices: UInt32 = 3_000

  private func offline(_ stage: Stage) -> Int {
    (0..<Self.devices).count { !stage.world.fleet.isOnline(DeviceID($0)) }
  }

  private func wave(_ stage: inout Stage, until: Duration? = nil) throws {
    var fault = Fault("wave", .devices(.goOffline, heal: .goOnline))
    fault.until = until.map { stage.now.world.advanced(by: $0) }
    try stage.world.perform(.setFault(fault), at: stage.now)
  }

  @Test("a fault on many devices is applied in batches, in device order")
  func order() throws {
    var stage = Stage(devices: Self.devices)
    try wave(&stage)
    #expect(offline(stage) == Portion.usual.orders)
    #expect(stage.world.waves.all.first?.next == UInt64(Portion.usual.orders))
    #expect(!stage.world.fleet.isOnline(DeviceID(0)) && stage.world.fleet.isOnline(DeviceID(Self.devices - 1)))
    stage.advance(by: .seconds(1))
    #expect(offline(stage) == Int(Self.devices) && !stage.world.hasWaves)
    #expect(stage.world.faults["wave"]?.done == (0..<Self.devices).map { DeviceID($0) })
    #expect(stage.world.nextDue == nil)
  }

  @Test("a fault that is removed halfway reaches no more devices, and is reverted on the others")
  func healed() throws {
    var stage = Stage(devices: Self.devices)
    try stage.order(.goOffline, on: 100)
    try wave(&stage)
    let reached = offline(stage)
    try stage.world.perform(.deleteFault("wave"), at: Now(world: Stage.began, wall: Stage.began))
    stage.advance(by: .seconds(1))
    #expect(reached < Int(Self.devices) && offline(stage) == 1)
    #expect(!stage.world.fleet.isOnline(DeviceID(100)))
  }

  @Test("a fault that is set again while it is reverted is applied afterwards, and reaches every device")
  func again() throws {
    var stage = Stage(devices: Self.devices)
    try wave(&stage)
    stage.advance(by: .seconds(1))
    try wave(&stage)
    #expect(offline(stage) < Int(Self.devices))
    stage.advance(by: .seconds(1))
    #expect(offline(stage) == Int(Self.devices))
    try stage.world.perform(.deleteAllFaults, at: stage.now)
    stage.advance(by: .seconds(1))
    #expect(offline(stage) == 0 && !stage.world.hasWaves)
  }

  @Test("a fault on a share of the devices begins and ends at its times")
  func times() throws {
    var stage = Stage(devices: Self.devices)
    var fault = Fault("wave", .devices(.goOffline, heal: .goOnline))
    fault.condition.filter.share = Odds(1, in: 2)
    fault.from = stage.now.world.advanced(by: .seconds(60))
    fault.until = stage.now.world.advanced(by: .seconds(120))
    try stage.world.perform(.setFault(fault), at: stage.now)
    stage.advance(by: .seconds(59))
    #expect(offline(stage) == 0)
    stage.advance(by: .seconds(2))
    #expect((1_300...1_700).contains(offline(stage)))
    stage.advance(by: .seconds(60))
    #expect(offline(stage) == 0)
  }

  @Test("a fault on many devices is recorded on a tape as its order, and replays the same")
  func tape() throws {
    var stage = Stage(devices: Self.devices)
    let before = stage.record()
    try wave(&stage, until: .seconds(30))
    _ = try stage.push(try stage.token(on: Self.devices - 1))
    _ = stage.events()
    stage.advance(by: .seconds(60))
    _ = stage.events()
    let records = try Reel(stage.batches).read.records
    var player = TapePlayer(world: before)
    for calls in records { #expect(player.play(calls) == nil) }
    #expect(records.count == stage.batches.count && player.tally.events > UInt64(Self.devices))
  }

  @Test("a fault on many devices delays no push, lets time pass, and replays the same from a tape")
  func beside() throws {
    var stage = Stage(devices: Self.devices)
    let before = stage.record()
    let last = DeviceID(Self.devices - 1)
    try stage.order(.startActivity(app: Stage.app, attributesType: nil), on: 1)
    try wave(&stage)
    let pushed = try stage.push(try stage.token(on: Self.devices - 1))
    #expect(pushed.fate.isFinal && stage.world.fleet.isOnline(last))
    stage.world.stepWaves(at: stage.now)
    #expect(offline(stage) == 2 * Portion.usual.orders)
    // The activity ends by itself meanwhile.
    let later = Now(world: stage.now.world.advanced(by: .seconds(8 * 3600 + 60)), wall: stage.now.wall)
    var steps = 0
    while stage.world.step(to: later) != nil, steps < 100 { steps += 1 }
    #expect(steps < 100 && stage.world.hasWaves && stage.world.fleet.isOnline(last))
    while stage.world.hasWaves, steps < 100 {
      stage.world.stepWaves(at: later)
      steps += 1
    }
    #expect(offline(stage) == Int(Self.devices))
    _ = stage.events()
    let records = try Reel(stage.batches).read.records
    #expect(records.flatMap { $0 }.count { $0.call == .waved } == Int(Self.devices) / Portion.usual.orders - 1)
    var player = TapePlayer(world: before)
    for calls in records { #expect(player.play(calls) == nil) }
  }

  @Test("a fault that begins later ends a step at its time, so that a scenario waits until every device has it")
  func timedStep() throws {
    var stage = Stage(devices: Self.devices)
    var fault = Fault("wave", .devices(.goOffline, heal: .goOnline))
    let begin = stage.now.world.advanced(by: .seconds(60))
    fault.from = begin
    try stage.world.perform(.setFault(fault), at: stage.now)
    var clock = WorldClock()
    clock.stand(at: stage.now.world)
    var simulator = Simulator(world: stage.world, clock: clock, pushLogCapacity: 10)
    simulator.clock.advance(by: .seconds(120))
    let isThere = simulator.step(wall: Stage.began)
    #expect(!isThere && simulator.clock.reached == begin && simulator.world.hasWaves && !simulator.isAtWork)
    #expect(simulator.wakeUp(wall: Stage.began) == Stage.began)
    while simulator.world.hasWaves { simulator.stepWaves(wall: Stage.began) }
    #expect(simulator.clock.reached == begin)
    let isDone = simulator.step(wall: Stage.began)
    #expect(isDone)
  }

  @Test("a fault on named devices examines no others")
  func named() throws {
    var stage = Stage(devices: 1_000_000)
    var fault = Fault("wave", .devices(.goOffline, heal: .goOnline))
    fault.condition.filter.devices = [DeviceID(999_999), DeviceID(5)]
    try stage.world.perform(.setFault(fault), at: stage.now)
    #expect(stage.world.faults["wave"]?.done == [DeviceID(5), DeviceID(999_999)] && !stage.world.hasWaves)
  }
}
