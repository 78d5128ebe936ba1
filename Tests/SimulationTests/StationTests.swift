import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@Suite("The station")
struct StationTests {
  private func station() -> Station {
    Station(world: Stage().world, clock: WorldClock(), ledgerCapacity: 10)
  }

  @Test("shows each event to its readers once, and hands it on")
  func settles() throws {
    var station = station()
    let now = station.now(wall: Stage.began)
    station.world.connectionOpened(ConnectionID(9), to: .sandbox, peer: "peer", at: now)
    var stage = Stage()
    let token = try stage.token()
    station.world.receive(
      HTTPRequest(
        "POST", "/3/device/" + token,
        fields: [(name: "apns-topic", value: Stage.app), (name: "authorization", value: Stage.authorization)],
        body: Array("{}".utf8)), on: StreamID(ConnectionID(9), 1), at: now)
    #expect(station.settle().count == 3)
    #expect(station.settle().isEmpty)
    #expect(station.readers.chronicle.ledger.total == 1 && station.readers.chronicle.metrics.count(.sandbox, nil) == 1)
    station.world.connectionClosed(ConnectionID(9), at: now)
    var list: [Event] = [.connectionClosed(ConnectionID(1))]
    station.settle(into: &list)
    #expect(list == [.connectionClosed(ConnectionID(9))])
    _ = try stage.push(token)
  }

  @Test("its clock decides the world's time and never the wall's")
  func clock() {
    var station = station()
    station.clock.advance(by: .seconds(60))
    let now = station.now(wall: Instant(seconds: 5))
    #expect(now == Now(world: Instant(seconds: 65), wall: Instant(seconds: 5)))
  }
}
