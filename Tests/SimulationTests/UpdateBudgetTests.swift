import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// The cost of priority 10, and the effect on updates beyond the budget.
@Suite("The budget of updates in the world")
struct UpdateBudgetTests {
  private func stage(_ change: (inout BudgetPlan) -> Void = { _ in }, frequent: Bool = false) throws -> Stage {
    var budget = Stage.atOnce
    change(&budget)
    var profile = AppProfile(
      bundleID: Stage.app, teamID: Stage.team, attributesTypes: ["MatchAttributes", "RaceAttributes"])
    profile.traits.frequentUpdates = frequent
    var stage = Stage(apps: [profile], budget: budget, rulebook: Stage.unhurried)
    try stage.launch()
    return stage
  }

  /// Priority 10 updates that go through at once; the one too many is sent, too.
  private func spend(_ stage: inout Stage) throws -> Int {
    for score in 1... {
      let record = try stage.update(score)
      #expect(record.status == 200)
      guard record.fate.isUpdate else { return score - 1 }
    }
    return 0
  }

  @Test("S108: fifteen of priority 10 pass; the next is answered 200 and deferred for 30 to 60 s")
  func overBudget() throws {
    var stage = try stage()
    #expect(try spend(&stage) == 15)
    #expect(stage.score() == 15)
    let record = try stage.update(17)
    #expect(record.status == 200 && record.fate.hold == .budget)
    let until = try #require(record.fate.heldUntil)
    let wait = stage.now.world.duration(to: until)
    #expect(wait >= .seconds(30) && wait <= .seconds(60))
    stage.advance(by: wait)
    #expect(stage.score() == 17 && stage.fate(of: record).isUpdate)
  }

  @Test("S108: over budget the screen changes in steps of 30 s and more, all answered 200, newest first")
  func coarse() throws {
    var stage = try stage()
    _ = try spend(&stage)
    var steps: [(at: Instant, score: Int64)] = []
    for second in 1...600 {
      stage.advance(by: .seconds(1))
      let record = try stage.update(1000 + second)
      #expect(record.status == 200 && record.fate.hold == .budget)
      if let score = stage.score(), steps.last?.score != score { steps.append((stage.now.world, score)) }
    }
    let gaps = zip(steps, steps.dropFirst()).map { $0.at.duration(to: $1.at) }
    #expect(gaps.count >= 9 && gaps.allSatisfy { $0 >= .seconds(30) && $0 <= .seconds(62) }, "\(gaps)")
    // The newest of a step wins, so the screen is never further behind than a step is long.
    let behind = steps.dropFirst(2).map { $0.at.seconds - Stage.began.seconds - ($0.score - 1000) }
    #expect(behind.allSatisfy { (0...2).contains($0) }, "\(behind)")
  }

  @Test("S108: the others are dropped for the budget, and the explanation gives the reason")
  func causes() throws {
    var stage = try stage()
    _ = try spend(&stage)
    let older = try stage.update(100)
    let newer = try stage.update(101)
    #expect(stage.fate(of: older).cause == .updateBudget)
    stage.advance(by: .seconds(60))
    #expect(stage.fate(of: newer).isUpdate && stage.score() == 101)
  }

  @Test("S108: where the excess is dropped instead, nothing changes until the hour is over")
  func dropped() throws {
    var stage = try stage { $0.update.overflow = .drop }
    #expect(try spend(&stage) == 15)
    stage.advance(by: .seconds(3600) - .nanoseconds(1))
    #expect(try stage.update(50).fate.cause == .updateBudget && stage.score() == 15)
    stage.advance(by: .nanoseconds(1))
    #expect(try stage.update(51).fate.isUpdate && stage.score() == 51)
  }

  @Test("the hour begins with the first charge, and its end resets all")
  func window() throws {
    var stage = try stage()
    stage.advance(by: .seconds(1800))
    #expect(try stage.update(1).fate.isUpdate)
    stage.advance(by: .seconds(3599))
    #expect(try stage.budgetLeft() == 14)
    stage.advance(by: .seconds(1))
    #expect(try stage.budgetLeft() == 15)
    #expect(try spend(&stage) == 15)
  }

  @Test("a push deferred for the budget is not released by screen, app or cable")
  func noFlush() throws {
    var stage = try stage()
    _ = try spend(&stage)
    let record = try stage.update(99)
    try stage.order(.open(app: Stage.app))
    #expect(stage.fates(of: record).count == 1 && stage.score() == 15)
  }

  @Test(
    "S112 S113: the presets differ, the frequent level is higher, and every level is finite",
    arguments: UpdateBudgetPlan.Preset.allCases, [false, true])
  func presets(_ preset: UpdateBudgetPlan.Preset, _ frequent: Bool) throws {
    var stage = try stage({ $0.update = UpdateBudgetPlan(preset) }, frequent: frequent)
    let expected =
      switch preset {
      case .standard: frequent ? 240 : 15
      case .strict: frequent ? 60 : 4
      case .lenient: frequent ? 1200 : 60
      }
    #expect(try stage.app().level == (frequent ? .frequent : .standard))
    #expect(try stage.budgetLeft() == expected)
    #expect(try spend(&stage) == expected)
  }

  @Test(
    "S109: the condition of the phone multiplies its budget",
    arguments: [
      ([.lowPower], 7), ([.batteryLow], 11), ([.thermalPressure], 3), ([.charging], 22), ([.lowPower, .charging], 11),
      ([.lowPower, .batteryLow, .thermalPressure], 1),
    ] as [([PhoneSwitch], Int)])
  func condition(_ switches: [PhoneSwitch], _ capacity: Int) throws {
    var stage = try stage()
    for what in switches { try stage.flip(what, true) }
    #expect(try stage.budgetLeft() == capacity)
    #expect(try spend(&stage) == capacity)
    // With the condition gone, the rest of the hour's budget is there again.
    for what in switches { try stage.flip(what, false) }
    #expect(try stage.budgetLeft() == 15 - min(15, capacity))
  }

  @Test("the remaining budget is shown as it falls, priority 10 by one and priority 5 by nothing")
  func headroom() throws {
    var stage = try stage()
    var seen: [Int?] = [try stage.budgetLeft()]
    for (score, priority) in [(1, 10), (2, 5), (3, 10), (4, 10)] {
      try stage.update(score, priority: priority)
      seen.append(try stage.budgetLeft())
    }
    #expect(seen == [15, 14, 14, 13, 12])
    try stage.finish()
    #expect(try stage.budgetLeft() == nil, "what is over has no budget")
  }

  @Test("each activity has its own budget, or the app has one for all")
  func scope() throws {
    var own = try stage()
    try own.launch()
    _ = try spend(&own)
    #expect(try own.update(1, activity: 1).fate.isUpdate)
    var shared = try stage { $0.update.scope = .app }
    try shared.launch()
    _ = try spend(&shared)
    #expect(try shared.update(1, activity: 1).fate.hold == .budget)
  }

  @Test("an end is never deferred, even over budget")
  func end() throws {
    var stage = try stage()
    _ = try spend(&stage)
    #expect(try stage.finish().fate.ends(0))
  }

  /// Twenty overs, a ball every 40 s: what was throttled, and what was applied at once.
  private func innings(_ priority: (Int) -> Int) throws -> (atOnce: Int, throttled: Int, firstAt: Duration?) {
    var stage = try stage()
    var result: (atOnce: Int, throttled: Int, firstAt: Duration?) = (0, 0, nil)
    for ball in 1...120 {
      let record = try stage.update(ball, priority: priority(ball))
      #expect(record.status == 200)
      if record.fate.isUpdate { result.atOnce += 1 }
      if record.fate.hold == .budget {
        result.throttled += 1
        result.firstAt = result.firstAt ?? Stage.began.duration(to: stage.now.world)
      }
      stage.advance(by: .seconds(40))
    }
    return result
  }

  @Test("S111: cricket with priority 10 for every ball is throttled long before the innings ends")
  func cricket() throws {
    let all = try innings { _ in 10 }
    let first = try #require(all.firstAt)
    #expect(first == .seconds(15 * 40) && all.throttled > 60)
  }

  @Test("S117: with priority 5 for all but the wickets nothing is throttled, and the wickets show at once")
  func mixed() throws {
    let mixed = try innings { $0 % 12 == 0 ? 10 : 5 }
    #expect(mixed.throttled == 0 && mixed.atOnce == 10)
  }

  @Test("S118: the phone counts the cost of updates")
  func tally() throws {
    var stage = try stage()
    for score in 1...5 { try stage.update(score, priority: 5) }
    _ = try spend(&stage)
    let tally = stage.world.fleet.phone(DeviceID(0)).tally
    #expect(tally.spent == 15 && tally.free == 5 && tally.exhausted == 1)
  }

  @Test("S110: the applied and the drawn content differ for as long as the phone spaces its drawings")
  func lag() throws {
    var stage = Stage(budget: BudgetPlan(), rulebook: Stage.unhurried)
    try stage.launch()
    stage.advance(by: .seconds(60))
    #expect(try stage.update(1).fate.isUpdate)
    #expect(stage.score() == 1, "the first after a rest is drawn at once")
    let record = try stage.update(2)
    let card = try #require(stage.screen().cards.first)
    #expect(card.content?["score"] == 1 && card.coming?.content?["score"] == 2)
    let due = try #require(card.coming?.at)
    let lag = stage.now.world.duration(to: due)
    #expect(lag >= .seconds(5) && lag <= .seconds(15))
    let line = PushStory(record).lines.last
    #expect(line?.process == .chronod && line?.event == "notRendered" && line?.cause == "render-delayed")
    try stage.update(3)
    #expect(stage.screen().cards.first?.coming?.at == due, "a third does not put it off")
    stage.advance(by: lag)
    #expect(stage.score() == 3 && stage.screen().cards.first?.coming == nil)
  }

  @Test("S110: before iOS 18 a phone draws once a second")
  func lagBefore18() throws {
    var stage = Stage(os: OSVersion(17, 6), budget: BudgetPlan(), rulebook: Stage.unhurried)
    try stage.order(.startActivity(app: Stage.app, attributesType: "MatchAttributes"))
    stage.advance(by: .seconds(1))
    try stage.update(1)
    try stage.update(2)
    #expect(stage.score() == 1)
    stage.advance(by: .seconds(1))
    #expect(stage.score() == 2)
  }
}
