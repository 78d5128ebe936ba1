import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

@Suite("An app that starts again what has just failed")
struct ReactionLoopTests {
  /// Each refused start brings a call, and each call that ends another start.
  private static let profile = """
    bundleId: com.example.loop
    attributesTypes: [MatchAttributes]
    reports:
      inOrder: false
      on:
        activityError:
          - url: "{{backend}}/error"
            finally: [{startActivity: MatchAttributes}]
    """

  @Test("an endless loop of reactions ends: a limited number per second is done, and the rest is reported as a trouble")
  func ends() throws {
    var club = try Club(Self.profile)
    try club.launch()
    try club.order(.goOffline)
    for _ in 0..<8 { try club.order(.startActivity(app: nil, attributesType: nil)) }
    #expect(club.ends.count >= ReportRegistry.mostReactions && club.ends.count < 20 * ReportRegistry.mostReactions)
    let troubles = club.troubles.filter { $0.kind == "appReactions" }
    #expect(troubles.count == 1 && troubles.first?.peer == "d0")
    #expect(troubles.first?.sentence.contains("com.example.loop") == true)
    club.advance(by: .seconds(2))
    let before = club.ends.count
    try club.order(.startActivity(app: nil, attributesType: nil))
    #expect(club.ends.count > before, "the next second is another")
  }

  @Test("reactions without a loop are done as before: one start for each call that ends")
  func once() throws {
    var club = try Club(
      """
      bundleId: com.example.loop
      attributesTypes: [MatchAttributes]
      reports:
        on:
          action.go:
            - url: "{{backend}}/go"
              finally: [{startActivity: MatchAttributes}]
      """)
    try club.launch()
    for count in 1...3 {
      try club.use("go", ["n": .integer(Int64(count))])
      #expect(club.happened.count { if case .activityStarted = $0.what { true } else { false } } == count)
    }
    #expect(club.troubles.isEmpty)
  }
}
