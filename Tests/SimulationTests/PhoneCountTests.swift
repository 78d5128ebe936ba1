import APNs
import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("What pushes cost phones")
struct PhoneCountTests {
  @Test("S110 S117 S118: drawings, wakes, held and late updates are counted")
  func counted() throws {
    var budget = BudgetPlan()
    budget.update.standardCapacity = 2
    budget.rendering.from18 = .seconds(10)...(.seconds(10))
    var stage = Stage(budget: budget, rulebook: Stage.unhurried)
    try stage.order(.terminate(app: nil))
    try stage.launch()
    #expect(stage.world.phoneCounts.drawings == 1)
    #expect(stage.world.phoneCounts.wakes(.byLiveActivity) == 1)
    stage.advance(by: .seconds(60))
    // Drawn at once; then three that are one drawing, of which the last is beyond the budget.
    for score in 1...4 { try stage.update(score) }
    let counts = stage.world.phoneCounts
    #expect(counts.drawings == 3 && counts.late == 0)
    #expect(counts.holds(.budget) == 2 && counts.holds(.lowPriority) == 0)
    stage.advance(by: .seconds(120))
    // Of two that wait for the budget the newer comes in, late.
    #expect(stage.world.phoneCounts.late == 1 && stage.world.phoneCounts.drawings == 4)
    try stage.update(5, priority: 5)
    #expect(stage.world.phoneCounts.holds(.lowPriority) == 1)
    try stage.finish(#","content-state":{"score":6}"#)
    #expect(stage.world.phoneCounts.drawings == 6, "what was held, and the end")
  }

  @Test("priority 5 for all wakes and draws less than priority 10 for all")
  func compared() throws {
    var drawings: [Int: UInt64] = [:]
    for priority in [5, 10] {
      var stage = Stage(budget: BudgetPlan(), rulebook: Stage.unhurried)
      try stage.launch()
      for score in 0..<60 {
        stage.advance(by: .seconds(5))
        try stage.update(score, priority: priority)
      }
      drawings[priority] = stage.world.phoneCounts.drawings
    }
    #expect(try #require(drawings[5]) < #require(drawings[10]))
  }
}
