import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Documented: APNs drops connections that collect many errors
/// (docs/behavior/connections.md#too-many-errors).
@Suite("A connection with many errors")
struct TooManyErrorsTests {
  private func stage(_ most: UInt32?) -> Stage {
    var rulebook = Rulebook()
    rulebook.errorsPerConnection = most
    return Stage(rulebook: rulebook)
  }

  private func ends(_ events: [WorldEvent]) -> [ProviderConnectionID] {
    events.compactMap { event in
      if case .wire(let connection, .goAway(_, 0, _, closes: true)) = event { connection } else { nil }
    }
  }

  @Test("a connection ends after the configured number of refusals, once the last of them is answered")
  func ended() throws {
    var stage = stage(3)
    let token = try stage.token()
    for number in 1...3 {
      #expect(try stage.push(token).status == 200)
      #expect(try stage.push("ab").reason == .badDeviceToken)
      let events = stage.events()
      #expect(ends(events) == (number == 3 ? [Stage.sandbox] : []), "after \(number)")
      guard number == 3 else { continue }
      let answered = events.lastIndex { if case .push(let push) = $0 { push.status == 400 } else { false } }
      let ended = events.firstIndex { if case .wire = $0 { true } else { false } }
      #expect(try #require(answered) < #require(ended))
      let said = events.contains {
        if case .trouble(let trouble) = $0 { trouble.kind == "tooManyErrors" } else { false }
      }
      #expect(said)
    }
    // What comes on streams above the last one is not processed.
    let pushes = try #require(stage.world.openConnections.first).pushes
    stage.world.receive(
      HTTPRequest("POST", "/3/device/" + token, fields: [], body: []), on: StreamID(Stage.sandbox, 101), at: stage.now)
    #expect(stage.world.openConnections.first?.pushes == pushes)
  }

  @Test("a connection stays open if no limit of errors is set, and a 410 does not count as an error")
  func goesOn() throws {
    var free = stage(nil)
    for _ in 0..<1500 { #expect(try free.push("ab").status == 400) }
    #expect(ends(free.events()).isEmpty)
    var stage = stage(2)
    let token = try stage.token()
    try stage.order(.uninstall(app: nil))
    #expect(try stage.push(token).fate.isDiscarded)
    stage.advance(by: .seconds(86400))
    for _ in 0..<5 { #expect(try stage.push(token).status == 410) }
    #expect(ends(stage.events()).isEmpty)
  }
}
