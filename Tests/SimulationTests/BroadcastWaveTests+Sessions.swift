import APNs
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Sessions that are closed while a broadcast is on its way.
extension BroadcastWaveTests {
  private func simulator(_ stage: Stage) throws -> Simulator {
    var clock = WorldClock()
    clock.stand(at: stage.now.world)
    var simulator = Simulator(world: stage.world, clock: clock, pushLogCapacity: 100)
    for name in ["s", "t"] {
      var order = SessionRequest()
      order.name = name
      order.scope.devices = [DeviceID(name == "s" ? 9 : 8)]
      _ = try simulator.openSession(order, at: Now(world: stage.now.world, wall: stage.now.wall))
    }
    return simulator
  }

  private func end(_ simulator: inout Simulator, _ stage: Stage) -> Int {
    var turns = 0
    while simulator.hasEndingSessions {
      var work = 1_000
      _ = simulator.endSessions(wall: stage.now.wall, work: &work)
      turns += 1
    }
    return turns
  }

  @Test("A session is closed when earlier broadcasts have reached their phones, although nobody waits for the answer")
  func closing() throws {
    var (stage, channel) = try stage()
    publish(&stage, channel, 7)
    var simulator = try simulator(stage)
    try simulator.beginClosing("s", at: stage.now.world)
    let number = try simulator.readers.sessions.session("s").number
    #expect(try simulator.isEnding(number) && simulator.readers.sessions.session("s").isOpen)
    // Asked again, it is the same closing.
    try simulator.beginClosing("s", at: stage.now.world)
    let turns = end(&simulator, stage)
    #expect(try turns >= 3 && !simulator.readers.sessions.session("s").isOpen && !simulator.isEnding(number))
    #expect(!simulator.world.hasWaves)
  }

  @Test("a session that is deleted while it waits for a broadcast is not closed, nor is a later one of the same name")
  func deletedWhileClosing() throws {
    var (stage, channel) = try stage()
    publish(&stage, channel, 7)
    var simulator = try simulator(stage)
    for name in ["s", "t"] { try simulator.beginClosing(name, at: stage.now.world) }
    for name in ["s", "t"] { try simulator.deleteSession(name) }
    var order = SessionRequest()
    order.name = "s"
    order.scope.devices = [DeviceID(9)]
    _ = try simulator.openSession(order, at: Now(world: stage.now.world, wall: stage.now.wall))
    _ = end(&simulator, stage)
    #expect(try simulator.readers.sessions.session("s").isOpen)
  }
}
