import APNs
import Devices
import Dispatch
import Scenarios
import Simulation
import Synchronization
import Testing
import Timeline
import Transport

@testable import ClubSupport
@testable import Pushpit

@Suite("Events and effects of the world")
struct OutletTests {
  @Test("events and effects arrive in the order of the world, whichever thread caused them")
  func order() throws {
    let simulator = Simulator(world: try Club().world, clock: WorldClock(), pushLogCapacity: 10)
    let gateway = Gateway(simulator, authorisedStreams: 1000, announcesStreams: false) { _ in }
    let arrived = Mutex<[ListenerFault?]>([])
    gateway.connect { fault, _ in arrived.withLock { $0.append(fault) } }
    let ordered = Mutex<[ListenerFault?]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<500 {
        gateway.work { simulator, wall in
          let fault = ListenerFault.slowHandshake(.milliseconds(thread * 1000 + number))
          _ = try? simulator.world.perform(
            .setFault(Fault("late", .listener(fault))), at: simulator.now(wall: wall))
          let events = simulator.settle()
          for case .listener(let fault, _) in events { ordered.withLock { $0.append(fault) } }
          return ((), events)
        }
      }
    }
    let (meant, found) = (ordered.withLock { $0 }, arrived.withLock { $0 })
    #expect(meant.count >= 2000 && found == meant)
  }

  @Test("an alarm is set for the first work that is due, and again only for earlier work")
  func alarm() {
    var alarm = DueAlarm()
    func at(_ seconds: Int64) -> Instant { Instant(seconds: seconds) }
    #expect(alarm.set(nil, wall: at(100)) == nil)
    #expect(alarm.set(at(110), wall: at(100)) == at(110))
    #expect(alarm.set(at(110), wall: at(101)) == nil && alarm.set(at(120), wall: at(101)) == nil)
    #expect(alarm.set(nil, wall: at(101)) == nil, "what was healed rings once for nothing")
    #expect(alarm.set(at(105), wall: at(102)) == at(105))
    #expect(alarm.set(at(110), wall: at(103)) == nil)
    alarm.rang()
    #expect(alarm.set(at(110), wall: at(105)) == at(110))
  }

  @Test("an alarm in the past belongs to a clock that was set since")
  func alarmOfAnotherClock() {
    var alarm = DueAlarm()
    #expect(alarm.set(Instant(seconds: 110), wall: Instant(seconds: 100)) != nil)
    #expect(alarm.set(Instant(seconds: 5010), wall: Instant(seconds: 5000)) == Instant(seconds: 5010))
    #expect(alarm.set(Instant(seconds: 50), wall: Instant(seconds: 40)) == Instant(seconds: 50))
  }

  @Test("the alarm is requested as soon as work becomes due")
  func asked() throws {
    let simulator = Simulator(world: try Club().world, clock: WorldClock(), pushLogCapacity: 10)
    let due = simulator.world.nextDue
    let gateway = Gateway(simulator, authorisedStreams: 1000, announcesStreams: false) { _ in }
    let asked = Mutex<[Instant]>([])
    gateway.connect(MainLoop().poster) { due in asked.withLock { $0.append(due) } }
    #expect(due == nil && asked.withLock { $0.isEmpty })
    let next = gateway.work { simulator, wall in
      _ = try? simulator.world.perform(.device(DeviceID(0), .open(app: nil)), at: simulator.now(wall: wall))
      _ = try? simulator.world.perform(
        .device(DeviceID(0), .startActivity(app: nil, attributesType: nil)), at: simulator.now(wall: wall))
      return (simulator.world.nextDue, simulator.settle())
    }
    #expect(next != nil && asked.withLock { $0 } == [next].compactMap(\.self))
  }
}
