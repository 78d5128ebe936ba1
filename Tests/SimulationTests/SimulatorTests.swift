import APNs
import Devices
import Scenarios
import Simulation
import Synchronization
import Testing
import Timeline
import WireFormats

@Suite("The simulator")
struct SimulatorTests {
  private func simulator() -> Simulator {
    Simulator(world: Stage().world, clock: WorldClock(), pushLogCapacity: 10)
  }

  @Test("the simulator shows each event to its readers once, and returns it")
  func settles() throws {
    var simulator = simulator()
    let now = simulator.now(wall: Stage.began)
    simulator.world.connectionOpened(ProviderConnectionID(9), to: .sandbox, peer: "peer", at: now)
    var stage = Stage()
    let token = try stage.token()
    simulator.world.receive(
      HTTPRequest(
        "POST", "/3/device/" + token,
        fields: [(name: "apns-topic", value: Stage.app), (name: "authorization", value: Stage.authorization)],
        body: Array("{}".utf8)), on: StreamID(ProviderConnectionID(9), 1), at: now)
    #expect(simulator.settle().count == 3)
    #expect(simulator.settle().isEmpty)
    #expect(simulator.readers.logs.pushLog.total == 1 && simulator.readers.logs.metrics.count(.sandbox, nil) == 1)
    simulator.world.connectionClosed(ProviderConnectionID(9), at: now)
    var list: [WorldEvent] = [.connectionClosed(ProviderConnectionID(1))]
    simulator.settle(into: &list)
    #expect(list == [.connectionClosed(ProviderConnectionID(9))])
    _ = try stage.push(token)
  }

  @Test("a client trouble is shown after the events before it, and only events of the world go to a tape")
  func beside() {
    let taped = Mutex<[TapeBatch]>([])
    var simulator = simulator()
    simulator.record { batch in taped.withLock { $0.append(batch) } }
    let now = simulator.now(wall: Stage.began)
    let opened = WorldEvent.connectionOpened(ProviderConnectionID(9), .sandbox, peer: "peer")
    let trouble = ClientTrouble(at: now.world, kind: "tls", peer: "other", sentence: "It failed.")
    simulator.world.connectionOpened(ProviderConnectionID(9), to: .sandbox, peer: "peer", at: now)
    simulator.report(trouble)
    #expect(simulator.settle() == [opened, .trouble(trouble)] && !simulator.hasEvents)
    #expect(taped.withLock { $0.map(\.events) } == [[opened]])
    #expect(simulator.readers.logs.troubles.entries.map(\.latest) == [trouble])
    simulator.report(trouble)
    #expect(simulator.hasEvents && simulator.takeBatch().events == [.trouble(trouble)] && !simulator.hasEvents)
    #expect(taped.withLock(\.count) == 1)
  }

  @Test("its clock decides the world's time and never the wall's")
  func clock() {
    var simulator = simulator()
    simulator.clock.advance(by: .seconds(60))
    let now = simulator.now(wall: Instant(seconds: 5))
    #expect(now == Now(world: Instant(seconds: 65), wall: Instant(seconds: 5)))
  }
}
