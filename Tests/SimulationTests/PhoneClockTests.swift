import APNs
import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Assumed: docs/behavior/live-activities.md#the-clock-of-the-phone.
@Suite("The clock of a phone")
struct PhoneClockTests {
  private static let hour: Int64 = 3600

  private func state(_ stage: Stage) throws -> LiveActivity.State {
    try #require(try stage.app().activities.last).state
  }

  @Test("decides when content is stale: what comes while it is off, and what came before it was set")
  func stale() throws {
    for setsFirst in [true, false] {
      for ahead in [3000, -3000] as [Int64] {
        var stage = Stage()
        let date = stage.now.world.seconds + Self.hour
        if setsFirst { try stage.order(.setClock(ahead: .seconds(ahead))) }
        try stage.launch(#","stale-date":\#(date)"#)
        if !setsFirst { try stage.order(.setClock(ahead: .seconds(ahead))) }
        #expect(try stage.view().clockAhead == .seconds(ahead))
        _ = stage.events()
        stage.advance(by: .seconds(Self.hour - ahead - 1))
        #expect(try state(stage) == .active)
        stage.advance(by: .seconds(1))
        #expect(try state(stage) == .stale)
        stage.advance(by: .milliseconds(1))
        #expect(stage.happened().filter { $0 == .activityStale(0) }.count == 1)
      }
    }
  }

  @Test("a phone's clock that is set back makes stale content fresh again, and stale a second time later")
  func back() throws {
    var stage = Stage()
    try stage.launch(#","stale-date":\#(stage.now.world.seconds + Self.hour)"#)
    try stage.order(.setClock(ahead: .seconds(2 * Self.hour)))
    #expect(try state(stage) == .stale)
    try stage.order(.setClock(ahead: .zero))
    #expect(try state(stage) == .active)
    stage.advance(by: .seconds(Self.hour))
    #expect(try state(stage) == .stale)
  }

  @Test("decides when a card goes, whether it was set before the end or after", arguments: [true, false])
  func dismissal(_ setsFirst: Bool) throws {
    var stage = Stage()
    try stage.launch()
    if setsFirst { try stage.order(.setClock(ahead: .seconds(1000))) }
    let date = stage.now.world.seconds + Self.hour
    try stage.finish(#","dismissal-date":\#(date)"#)
    if !setsFirst { try stage.order(.setClock(ahead: .seconds(1000))) }
    _ = stage.events()
    stage.advance(by: .seconds(Self.hour - 1001))
    #expect(stage.screen().cards.count == 1)
    stage.advance(by: .seconds(1))
    #expect(stage.screen().cards.isEmpty && stage.happened().contains(.activityDismissed(0)))
    stage.advance(by: .seconds(86_400))
    #expect(!stage.happened().contains(.activityDismissed(0)), "it goes once")
  }

  @Test("a phone's clock that is set past a card's dismissal date removes the card at once")
  func atOnce() throws {
    var stage = Stage()
    try stage.launch()
    try stage.finish()
    try stage.order(.setClock(ahead: .seconds(5 * Self.hour)))
    #expect(stage.screen().cards.isEmpty && stage.happened().contains(.activityDismissed(0)))
  }
}
