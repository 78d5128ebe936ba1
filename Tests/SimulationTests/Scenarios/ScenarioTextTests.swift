import APNs
import Devices
import Simulation
import Testing
import Timeline

@Suite("Words of scenarios")
struct ScenarioTextTests {
  @Test("every event that phones can tell of has a name that can be asked for")
  func eventNames() {
    let some: [DeviceEvent] = [.tokenIssued(.app), .activityStale(0), .wentOnline, .systemUpdated(OSVersion(26, 1))]
    for deviceEvent in some { #expect(DeviceEvent.names.contains(deviceEvent.name)) }
    #expect(Set(DeviceEvent.names).count == DeviceEvent.names.count)
  }

  @Test("every fate and every drop has words that can be asked for")
  func fates() throws {
    var stage = Stage()
    try stage.permit(.denied)
    let denied = try #require(try stage.push(try stage.token()).fate.reaction)
    var fates: [Fate] = [.refused, .stored(.offline), .stored(.power(until: .distantFuture))]
    fates += [.delivered(denied), .deliveredFromStorage(denied)]
    fates += Fate.Discard.allCases.map { .discarded($0) }
    fates += DropCause.allCases.flatMap { [.delivered(.dropped($0)), .deliveredFromStorage(.dropped($0))] }
    for fate in fates {
      #expect(Fate.allWords.contains(fate.words))
      #expect(fate.causes.allSatisfy { Fate.allCauses.contains($0) })
      #expect(fate.outcome.map { Fate.allOutcomes.contains($0) } ?? true)
    }
    #expect(Set(fates.map(\.words)) == Set(Fate.allWords))
  }
}
