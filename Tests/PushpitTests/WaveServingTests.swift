import APNs
import Devices
import Simulation
import Testing
import Timeline

@testable import ClubSupport
@testable import Pushpit

@Suite("A gateway with a fault that reaches many devices")
struct WaveServingTests {
  @Test("serves others meanwhile, and reaches all devices by its alarm")
  func serving() throws {
    let simulator = Simulator(world: try Club(devices: 3_000).world, clock: WorldClock(), pushLogCapacity: 10)
    let gateway = Gateway(simulator, authorisedStreams: 1000, announcesStreams: false) { _ in }
    gateway.work { simulator, wall in
      _ = try? simulator.world.perform(
        .setFault(Fault("wave", .devices(.goOffline, heal: .goOnline))), at: simulator.now(wall: wall))
      return ((), simulator.settle())
    }
    func ahead() -> Int { gateway.work { simulator, _ in (simulator.world.devicesAhead, []) } }
    let first = ahead()
    #expect(first > 0 && ahead() == first, "whoever works here does not do the fault's work")
    var turns = 0
    while ahead() > 0, turns < 100 {
      gateway.advance()
      turns += 1
    }
    #expect(turns < 100 && turns > 1)
    let offline = gateway.work { simulator, _ in
      ((0..<3_000 as Range<UInt32>).count { !simulator.world.fleet.isOnline(DeviceID($0)) }, [])
    }
    #expect(offline == 3_000)
  }
}
