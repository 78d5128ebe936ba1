import APNs
import Devices
import Simulation
import Testing

@testable import ClubSupport
@testable import Pushpit

@Suite("Orders of events for the caller of apps")
struct CallCommandsTests {
  @Test("the shell cancels what is out, and sends nothing that began and ended in one breath")
  func orders() throws {
    var club = try Club()
    var events: [WorldEvent] = []
    try club.world.perform(.device(DeviceID(0), .terminate(app: nil)), at: club.now)
    try club.world.perform(.device(DeviceID(0), .open(app: nil)), at: club.now)
    var both = club.world
    club.world.takeEvents(into: &events)
    let begun = CallCommands(events)
    let number = events.compactMap { if case .call(let record) = $0 { record.number } else { nil } }.first
    #expect(begun.started.count == 1 && begun.cancelled.isEmpty)
    try club.world.perform(.device(DeviceID(0), .forceQuit(app: nil)), at: club.now)
    club.world.takeEvents(into: &events)
    let ended = CallCommands(events)
    #expect(ended.started.isEmpty && ended.cancelled.first == number && number != nil)
    try both.perform(.device(DeviceID(0), .forceQuit(app: nil)), at: club.now)
    both.takeEvents(into: &events)
    #expect(CallCommands(events).started.isEmpty)
  }
}
