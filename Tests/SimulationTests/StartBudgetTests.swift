import APNs
import Devices
import Simulation
import Testing
import Timeline

@Suite("The budget of starts by push in the world")
struct StartBudgetTests {
  /// Starts one activity and ends it, so that no limit of activities comes between.
  private func start(_ stage: inout Stage, _ number: UInt32) throws -> PushRecord {
    let record = try stage.launch()
    if record.fate.starts(number) { try stage.finish(#","dismissal-date":0"#, activity: number) }
    return record
  }

  @Test("ten pass, the rest are answered 200 and dropped, and refused ones add to the debt")
  func ten() throws {
    var stage = Stage()
    for number: UInt32 in 0..<10 {
      #expect(try start(&stage, number).fate.starts(number))
      #expect(try stage.app().startsLeft == 9 - Int(number))
    }
    for debt in 1...5 {
      let record = try stage.launch()
      #expect(record.status == 200 && record.fate.cause == .startBudget)
      #expect(try stage.app().startsLeft == -debt)
    }
    stage.advance(by: .seconds(24 * 3600))
    #expect(try stage.app().startsLeft == 10)
    #expect(try stage.launch().fate.starts(10))
  }

  @Test("frequent updates do not raise it")
  func frequent() throws {
    var profile = AppProfile(bundleID: Stage.app, teamID: Stage.team, attributesTypes: ["MatchAttributes"])
    profile.traits.frequentUpdates = true
    var stage = Stage(apps: [profile])
    for number: UInt32 in 0..<10 { #expect(try start(&stage, number).fate.starts(number)) }
    #expect(try stage.launch().fate.cause == .startBudget)
  }

  @Test("a malformed start costs as much as a valid one")
  func malformed() throws {
    var stage = Stage()
    #expect(try stage.launch(alert: #""Go!""#).fate.cause == .alertNotDictionary)
    #expect(try stage.app().startsLeft == 9)
  }

  @Test("with the optimistic preset opening the app refills it, and the window is an hour")
  func optimistic() throws {
    var budget = Stage.atOnce
    budget.start = StartBudgetPlan(.optimistic)
    for opens in [true, false] {
      var stage = Stage(budget: budget)
      for number: UInt32 in 0..<10 { _ = try start(&stage, number) }
      #expect(try stage.launch().fate.cause == .startBudget)
      if opens { try stage.order(.open(app: Stage.app)) } else { stage.advance(by: .seconds(3600)) }
      #expect(try stage.launch().fate.starts(10), "opens: \(opens)")
    }
    var conservative = Stage()
    for number: UInt32 in 0..<10 { _ = try start(&conservative, number) }
    try conservative.order(.open(app: Stage.app))
    #expect(try conservative.launch().fate.cause == .startBudget)
  }

  @Test("in Low Power Mode nothing starts, and nothing is charged")
  func lowPower() throws {
    var stage = Stage()
    try stage.flip(.lowPower, true)
    #expect(try stage.launch().fate.cause == .lowPower)
    #expect(try stage.app().startsLeft == 10)
  }
}
