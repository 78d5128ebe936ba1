import APNs
import Devices
import Synchronization
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("Time passes in steps")
struct TimeStepTests {
  /// Phones that have tokens replaced every hour, each on its own.
  private func busy(devices: UInt32 = 500) throws -> Simulator {
    var policy = Stage.quick
    policy.startTokens.rotation = .seconds(3600)
    var stage = Stage(devices: devices, policy: policy)
    for device in 0..<devices { _ = try stage.relaunch(on: device) }
    _ = stage.events()
    var clock = WorldClock()
    clock.stand(at: stage.now.world)
    return Simulator(world: stage.world, clock: clock, pushLogCapacity: 10)
  }

  @Test("each with a bounded amount of work, and together the same as one step")
  func bounded() throws {
    var sliced = try busy()
    var whole = sliced
    let wall = Stage.began
    sliced.clock.advance(by: .seconds(86400))
    whole.clock.advance(by: .seconds(86400))
    var steps = 0
    var events: [WorldEvent] = []
    var latest = Stage.began
    var isThere = false
    while !isThere, steps < 10_000 {
      isThere = sliced.step(wall: wall)
      steps += 1
      let some = sliced.settle()
      // What the last thing of a step brings is told with it.
      #expect(some.count < World.eventsPerStep + 100)
      events += some
      let now = sliced.now(wall: wall).world
      #expect(now >= latest && sliced.clock.isBehind == !isThere)
      latest = now
    }
    #expect(isThere && steps > 10 && latest == sliced.clock.target(wall: wall).world)
    whole.world.advance(to: whole.clock.target(wall: wall))
    #expect(whole.settle() == events)
    #expect(!events.isEmpty && whole.world.nextDue == sliced.world.nextDue)
  }

  @Test("recorded on a tape, the same steps are repeated")
  func tape() throws {
    var simulator = try busy(devices: 200)
    let world = simulator.world
    let batches = Batches()
    simulator.record { batch in batches.add(batch) }
    simulator.clock.advance(by: .seconds(36_000))
    while !simulator.step(wall: Stage.began) { _ = simulator.settle() }
    _ = simulator.settle()
    let reel = try Reel(batches.all)
    let calls = reel.read.records.flatMap { $0 }.map(\.call)
    #expect(calls.count > 2 && calls.allSatisfy { if case .stepped = $0 { true } else { false } })
    let (player, difference) = reel.play(in: world)
    #expect(difference == nil && player.tally.events > 100)
  }

  @Test("work due at one instant is done before new work then, and in steps too")
  func oneInstant() throws {
    var stage = Stage(devices: 600)
    for device in 0..<600 { try stage.order(.startActivity(app: Stage.app, attributesType: nil), on: UInt32(device)) }
    _ = stage.events()
    var clock = WorldClock()
    clock.stand(at: stage.now.world)
    var simulator = Simulator(world: stage.world, clock: clock, pushLogCapacity: 10)
    simulator.clock.advance(by: .seconds(8 * 3600 + 60))
    let isThere = simulator.step(wall: Stage.began)
    #expect(!isThere && simulator.isAtWork)
    let first = simulator.now(wall: Stage.began).world
    #expect(simulator.world.nextDue == first)
    var steps = 1
    while simulator.isAtWork, steps < 100 {
      #expect(simulator.now(wall: Stage.began).world == first)
      simulator.step(wall: Stage.began)
      steps += 1
    }
    #expect(steps > 2 && steps < 100 && simulator.clock.isBehind)
  }

  @Test("a call that comes without its step does no more than one step, at the time that is reached")
  func withoutStep() throws {
    var stage = Stage(devices: 600)
    for device in 0..<600 { try stage.order(.startActivity(app: Stage.app, attributesType: nil), on: UInt32(device)) }
    let before = stage.record()
    stage.now = Now(world: stage.now.world.advanced(by: .seconds(8 * 3600 + 60)), wall: stage.now.wall)
    var calls = 0
    var latest = Stage.began
    while stage.world.nextDue.map({ $0 <= stage.now.world }) ?? false, calls < 100 {
      stage.world.answerWent(to: 1, on: Stage.sandbox, .reset(code: 2), at: stage.now)
      calls += 1
      let events = stage.events()
      #expect(events.count < World.eventsPerStep + 100)
      guard case .answerSent(_, _, let at)? = events.last else {
        Issue.record("\(events.count) events")
        return
      }
      #expect(at >= latest && at <= stage.now.world)
      #expect(stage.world.nextDue.map { at <= $0 } ?? true)
      latest = at
    }
    #expect(calls > 2 && calls < 100 && latest == stage.now.world)
    #expect(try Reel(stage.batches).play(in: before).difference == nil)
  }

  @Test("recorded on a tape, a clock that is moved while a fault reaches its devices replays the same")
  func movedBesideWave() throws {
    var stage = Stage(devices: 600)
    try stage.world.perform(.setFault(Fault("wave", .devices(.goOffline, heal: .goOnline))), at: stage.now)
    _ = stage.events()
    var clock = WorldClock()
    clock.stand(at: stage.now.world)
    var simulator = Simulator(world: stage.world, clock: clock, pushLogCapacity: 10)
    simulator.step(wall: Stage.began)
    let world = simulator.world
    let batches = Batches()
    simulator.record { batch in batches.add(batch) }
    simulator.clock.advance(by: .seconds(60))
    let isThere = simulator.step(wall: Stage.began)
    #expect(isThere && simulator.world.hasWaves)
    simulator.stepWaves(wall: Stage.began)
    _ = simulator.settle()
    let calls = batches.all.flatMap(\.calls)
    #expect(calls.map(\.call) == [.stepped(0), .waved])
    #expect(calls.map { Stage.began.duration(to: $0.now.world) } == [.seconds(60), .seconds(60)])
    let (player, difference) = try Reel(batches.all).play(in: world)
    let ahead = [player.world, simulator.world].map { world in world.waves.all.map(\.next) }
    #expect(difference == nil && ahead[0] == ahead[1] && !ahead[0].isEmpty)
  }

  // MARK: - The machine's clock

  @Test(
    "the world's clock never goes back with the machine's, and continues from its time",
    arguments: [1_451_606_400, 0, -1_230_768_000, Stage.began.seconds + 8] as [Int64])
  func setBack(_ seconds: Int64) throws {
    var simulator = Simulator(world: Stage().world, clock: WorldClock(), pushLogCapacity: 10)
    let batches = Batches()
    simulator.record { batch in batches.add(batch) }
    simulator.step(wall: Stage.began.advanced(by: .seconds(10)))
    let before = simulator.now(wall: Stage.began.advanced(by: .seconds(10))).world
    let wall = Instant(seconds: seconds)
    simulator.step(wall: wall)
    #expect(simulator.now(wall: wall).world == before)
    simulator.step(wall: wall.advanced(by: .seconds(5)))
    #expect(simulator.now(wall: wall.advanced(by: .seconds(5))).world == before.advanced(by: .seconds(5)))
    #expect(simulator.clock.mode == .wall, "nobody has chosen another")
    let troubles = simulator.settle().compactMap { if case .trouble(let trouble) = $0 { trouble } else { nil } }
    #expect(troubles.map(\.kind) == ["clockSetBack"] && troubles.first?.at == before)
    #expect(simulator.readers.logs.troubles.total == 1 && batches.all.isEmpty, "it is in the log, and on no tape")
    let ahead = DurationText.write(wall.duration(to: before))
    #expect(troubles.first?.sentence.contains(" \(ahead) ahead of the machine's clock") == true)
  }

  @Test("a small backward change of the machine's clock holds the world's until the machine catches up")
  func adjusted() {
    var simulator = Simulator(world: Stage().world, clock: WorldClock(), pushLogCapacity: 10)
    let wall = Stage.began.advanced(by: .seconds(10))
    simulator.step(wall: wall)
    let back = wall.advanced(by: .milliseconds(-300))
    simulator.step(wall: back)
    #expect(simulator.now(wall: back).world == wall && simulator.clock.mode == .wall)
    let later = wall.advanced(by: .milliseconds(200))
    simulator.step(wall: later)
    #expect(simulator.now(wall: later).world == later)
  }

  @Test("a machine's clock beyond the end stops the world's at the end", arguments: [7_258_118_401, 9_223_372_036])
  func beyond(_ seconds: Int64) throws {
    var stage = Stage()
    try stage.order(.startActivity(app: Stage.app, attributesType: nil))
    var simulator = Simulator(world: stage.world, clock: WorldClock(), pushLogCapacity: 10)
    let wall = Instant(seconds: seconds)
    var steps = 0
    while !simulator.step(wall: wall), steps < 1000 { steps += 1 }
    #expect(steps < 1000 && simulator.now(wall: wall).world == WorldClock.end)
    #expect(simulator.wakeUp(wall: wall) == nil)
    try simulator.world.perform(
      .device(DeviceID(1), .startActivity(app: Stage.app, attributesType: nil)), at: simulator.now(wall: wall))
    let isThere = simulator.step(wall: wall)
    #expect(isThere)
  }

  @Test("work that schedules itself again ends with the clock", .timeLimit(.minutes(15)))
  func again() throws {
    var policy = Stage.quick
    policy.startTokens.rotation = .seconds(30 * 86400)
    var stage = Stage(devices: 1, policy: policy)
    _ = try stage.relaunch()
    stage.now = Now(world: .distantFuture, wall: Stage.began)
    stage.world.advance(to: stage.now)
    _ = try stage.relaunch()
    stage.world.advance(to: stage.now)
    #expect(stage.world.nextDue == nil)
  }

  // MARK: - Waking up

  @Test("no timer is set while no work is due, nor while the clock is stopped")
  func sleeps() throws {
    var stage = Stage()
    var simulator = Simulator(world: stage.world, clock: WorldClock(), pushLogCapacity: 10)
    #expect(simulator.world.nextDue == nil && simulator.wakeUp(wall: Stage.began) == nil)
    try stage.order(.startActivity(app: Stage.app, attributesType: nil))
    simulator.world = stage.world
    #expect(simulator.world.nextDue != nil && simulator.wakeUp(wall: Stage.began) == simulator.world.nextDue)
    simulator.clock.stand(wall: Stage.began)
    #expect(simulator.wakeUp(wall: Stage.began) == nil)
  }

  @Test("on a stopped clock, work that is already due is done at once")
  func dueAlready() throws {
    var stage = Stage()
    try stage.order(.startActivity(app: Stage.app, attributesType: nil))
    var simulator = Simulator(world: stage.world, clock: WorldClock(), pushLogCapacity: 10)
    let due = try #require(simulator.world.nextDue)
    simulator.clock.stand(wall: due.advanced(by: .seconds(-1)))
    #expect(simulator.wakeUp(wall: Stage.began) == nil)
    simulator.clock.advance(by: .seconds(1))
    #expect(simulator.wakeUp(wall: Stage.began) == Stage.began)
  }

  @Test("ahead of the machine, the timer waits until the machine's clock has caught up")
  func ahead() throws {
    var stage = Stage()
    try stage.order(.startActivity(app: Stage.app, attributesType: nil))
    var clock = WorldClock()
    clock.advance(by: .milliseconds(1))
    let simulator = Simulator(world: stage.world, clock: clock, pushLogCapacity: 10)
    let due = try #require(simulator.world.nextDue)
    #expect(simulator.wakeUp(wall: Stage.began) == due.advanced(by: .milliseconds(-1)))
  }

  @Test("with a step left, it continues at once")
  func goesOn() throws {
    var simulator = try busy()
    simulator.clock.advance(by: .seconds(86400))
    let isThere = simulator.step(wall: Stage.began)
    #expect(!isThere)
    #expect(simulator.wakeUp(wall: Stage.began) == Stage.began)
  }
}

/// The batches that a simulator hands to its tape.
private final class Batches: Sendable {
  private let list = Mutex<[TapeBatch]>([])

  func add(_ batch: TapeBatch) { list.withLock { $0.append(batch) } }
  var all: [TapeBatch] { list.withLock { $0 } }
}
