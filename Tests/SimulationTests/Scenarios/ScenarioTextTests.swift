import APNs
import Simulation
import Testing
import Timeline

@testable import Devices

@Suite("Words of scenarios")
struct ScenarioTextTests {
  @Test("every event of a phone has a name for scenarios")
  func eventNames() {
    let some: [DeviceEvent] = [.tokenIssued(.app), .activityStale(0), .wentOnline, .systemUpdated(OSVersion(26, 1))]
    for deviceEvent in some { #expect(DeviceEvent.names.contains(deviceEvent.name)) }
    #expect(Set(DeviceEvent.names).count == DeviceEvent.names.count)
  }

  @Test("every fate and every drop has a name for scenarios")
  func fates() {
    let unseen = Reaction.notified(Presentation(.nothing, .permissionDenied))
    var fates: [Fate] = [.refused, .stored(.offline), .stored(.power(.lowPower, until: .distantFuture))]
    fates += [.delivered(unseen), .deliveredFromStorage(unseen)]
    for why in Fate.Passage.allCases { fates.append(.onTheWay(why, until: .distantFuture)) }
    for cause in Fate.Discard.allCases { fates += [.discarded(cause), .discardedFromStorage(cause)] }
    for cause in DropCause.allCases { fates += [.delivered(.dropped(cause)), .deliveredFromStorage(.dropped(cause))] }
    for fate in fates {
      #expect(Fate.allWords.contains(fate.words))
      #expect(fate.causes.allSatisfy { Fate.allCauses.contains($0) })
      #expect(fate.outcome.map { Fate.allOutcomes.contains($0) } ?? true)
    }
    #expect(Set(fates.map(\.words)) == Set(Fate.allWords))
  }
}
