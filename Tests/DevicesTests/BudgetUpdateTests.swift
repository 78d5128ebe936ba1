import APNs
import Devices
import Testing
import Timeline

@Suite("An activity's update budget")
struct BudgetUpdateTests {
  private static let began = Instant(seconds: 1_700_000_000)
  private static let windowEnd = began.advanced(by: .seconds(3600))
  private let plan = UpdateBudgetPlan()

  private func after(_ duration: Duration) -> Instant { Self.began.advanced(by: duration) }

  @Test("S108: priority 10 is granted up to the capacity, and refused from then on")
  func spends() {
    var budget = UpdateBudget()
    for number in 1...15 {
      let charge = budget.charge(.immediate, level: .standard, in: [], plan: plan, at: after(.seconds(number)))
      #expect(charge == .spent(remaining: 15 - number))
    }
    for number in 16...100 {
      let charge = budget.charge(.immediate, level: .standard, in: [], plan: plan, at: after(.seconds(number)))
      #expect(charge == .exhausted(until: after(.seconds(3601))))
    }
  }

  @Test("S108: the window opens with the first charge and closes an hour later to the nanosecond")
  func window() {
    var budget = UpdateBudget()
    #expect(budget.windowEnd(at: Self.began) == nil)
    for _ in 0..<15 { _ = budget.charge(.immediate, level: .standard, in: [], plan: plan, at: Self.began) }
    let last = Self.windowEnd.advanced(by: .nanoseconds(-1))
    #expect(budget.windowEnd(at: last) == Self.windowEnd && budget.windowEnd(at: Self.windowEnd) == nil)
    #expect(budget.remaining(level: .standard, in: [], plan: plan, at: last) == 0)
    #expect(budget.remaining(level: .standard, in: [], plan: plan, at: Self.windowEnd) == 15)
    var early = budget
    #expect(
      early.charge(.immediate, level: .standard, in: [], plan: plan, at: last) == .exhausted(until: Self.windowEnd))
    #expect(
      budget.charge(.immediate, level: .standard, in: [], plan: plan, at: Self.windowEnd) == .spent(remaining: 14))
    #expect(budget.windowEnd(at: Self.windowEnd) == Self.windowEnd.advanced(by: .seconds(3600)))
  }

  @Test("the next window opens with a charge, not where the last one closed")
  func fixedFromFirstCharge() {
    var budget = UpdateBudget()
    _ = budget.charge(.immediate, level: .standard, in: [], plan: plan, at: Self.began)
    let late = after(.seconds(5000))
    #expect(budget.windowEnd(at: late) == nil)
    _ = budget.charge(.immediate, level: .standard, in: [], plan: plan, at: late)
    #expect(budget.windowEnd(at: late) == late.advanced(by: .seconds(3600)))
  }

  @Test("S106: ten thousand of priority 5 cost nothing, open no window and are not refused when the budget is spent")
  func lowPriorityIsFree() {
    var budget = UpdateBudget()
    for number in 0..<10_000 {
      let charge = budget.charge(
        .powerAware, level: .standard, in: [.lowPower], plan: plan, at: after(.milliseconds(number)))
      guard charge == .free else {
        Issue.record("number \(number): \(charge)")
        return
      }
    }
    #expect(budget == UpdateBudget())
    for _ in 0..<20 { _ = budget.charge(.immediate, level: .standard, in: [], plan: plan, at: Self.began) }
    #expect(budget.charge(.powerAware, level: .standard, in: [], plan: plan, at: Self.began) == .free)
  }

  @Test("S112: frequent updates have a larger capacity; S113: but a finite one")
  func frequent() {
    var budget = UpdateBudget()
    for number in 1...240 {
      let charge = budget.charge(.immediate, level: .frequent, in: [], plan: plan, at: after(.seconds(number)))
      #expect(charge == .spent(remaining: 240 - number))
    }
    let until = after(.seconds(3601))
    #expect(
      budget.charge(.immediate, level: .frequent, in: [], plan: plan, at: after(.seconds(241)))
        == .exhausted(until: until))
  }

  @Test("S114: switching frequent updates off leaves the standard capacity, less what was spent")
  func switchedOff() {
    var budget = UpdateBudget()
    for _ in 0..<20 { _ = budget.charge(.immediate, level: .frequent, in: [], plan: plan, at: Self.began) }
    #expect(budget.remaining(level: .frequent, in: [], plan: plan, at: Self.began) == 220)
    #expect(budget.remaining(level: .standard, in: [], plan: plan, at: Self.began) == 0)
    #expect(
      budget.charge(.immediate, level: .standard, in: [], plan: plan, at: Self.began)
        == .exhausted(until: Self.windowEnd))
    #expect(budget.charge(.immediate, level: .frequent, in: [], plan: plan, at: Self.began) == .spent(remaining: 219))
  }

  @Test("S109: Low Power Mode refuses what a charger grants again within the same window")
  func conditionChanges() {
    var budget = UpdateBudget()
    func charge(_ condition: DeviceCondition) -> UpdateBudget.Charge {
      budget.charge(.immediate, level: .standard, in: condition, plan: plan, at: Self.began)
    }
    for left in (0..<7).reversed() { #expect(charge([.lowPower]) == .spent(remaining: left)) }
    #expect(charge([.lowPower]) == .exhausted(until: Self.windowEnd))
    #expect(charge([]) == .spent(remaining: 7))
    #expect(charge([.charging]) == .spent(remaining: 13))
    #expect(charge([.thermalSerious]) == .exhausted(until: Self.windowEnd))
  }

  @Test("an end is never withheld, costs one, and the rest does not fall below zero")
  func end() {
    var budget = UpdateBudget()
    #expect(budget.chargeEnd(level: .standard, in: [], plan: plan, at: Self.began) == .spent(remaining: 14))
    for _ in 0..<14 { _ = budget.charge(.immediate, level: .standard, in: [], plan: plan, at: Self.began) }
    for _ in 0..<3 {
      #expect(budget.chargeEnd(level: .standard, in: [], plan: plan, at: Self.began) == .spent(remaining: 0))
    }
    #expect(budget.remaining(level: .standard, in: [], plan: plan, at: Self.began) == 0)
    // Overdrawn by three: a charger's 22 leave 4.
    #expect(budget.remaining(level: .standard, in: [.charging], plan: plan, at: Self.began) == 4)
  }

  @Test(
    "S108: strict throttles sooner and lenient later, at both levels",
    arguments: [
      (.strict, .standard, 4), (.strict, .frequent, 60), (.lenient, .standard, 60), (.lenient, .frequent, 1200),
    ] as [(UpdateBudgetPlan.Preset, BudgetLevel, Int)])
  func presets(preset: UpdateBudgetPlan.Preset, level: BudgetLevel, granted: Int) {
    var budget = UpdateBudget()
    let plan = UpdateBudgetPlan(preset)
    let charges = (0..<granted + 5).map { _ in
      budget.charge(.immediate, level: level, in: [], plan: plan, at: Self.began)
    }
    #expect(charges.firstIndex(of: .exhausted(until: Self.windowEnd)) == granted)
    #expect(charges.suffix(5).allSatisfy { $0 == .exhausted(until: Self.windowEnd) })
  }

  @Test("every cost is a setting; an update above the rest is refused and changes nothing")
  func costs() {
    var plan = plan
    plan.priority10Cost = 4
    plan.priority5Cost = 1
    plan.endCost = 0
    var budget = UpdateBudget()
    for left in [11, 7, 3] {
      #expect(
        budget.charge(.immediate, level: .standard, in: [], plan: plan, at: Self.began) == .spent(remaining: left))
    }
    #expect(
      budget.charge(.immediate, level: .standard, in: [], plan: plan, at: Self.began)
        == .exhausted(until: Self.windowEnd))
    #expect(budget.charge(.powerAware, level: .standard, in: [], plan: plan, at: Self.began) == .spent(remaining: 2))
    #expect(budget.chargeEnd(level: .standard, in: [], plan: plan, at: Self.began) == .free)
  }

  @Test("a capacity of zero refuses all, for an hour from the first attempt")
  func nothing() {
    var plan = plan
    plan.standardCapacity = 0
    var budget = UpdateBudget()
    let first = budget.charge(.immediate, level: .standard, in: [], plan: plan, at: Self.began)
    let second = budget.charge(.immediate, level: .standard, in: [], plan: plan, at: after(.seconds(10)))
    #expect(first == .exhausted(until: Self.windowEnd) && second == first)
  }

  @Test("the ends of time and the largest numbers work")
  func extremes() {
    var plan = plan
    plan.frequentCapacity = .max
    plan.priority10Cost = .max
    plan.window = .seconds(Int64.max)
    var budget = UpdateBudget()
    #expect(budget.charge(.immediate, level: .frequent, in: [], plan: plan, at: .distantPast) == .spent(remaining: 0))
    let late = Instant(seconds: 1)
    let end = Instant.distantPast.advanced(by: plan.window)
    #expect(
      budget.charge(.immediate, level: .frequent, in: [], plan: plan, at: Instant(nanoseconds: -2))
        == .exhausted(until: end))
    #expect(budget.charge(.immediate, level: .frequent, in: [], plan: plan, at: late) == .spent(remaining: 0))
    #expect(
      budget.charge(.immediate, level: .frequent, in: [], plan: plan, at: late) == .exhausted(until: .distantFuture))
  }

  @Test("S118: the tally shows what priority 10 cost and priority 5 did not")
  func tally() {
    var budget = UpdateBudget()
    var tally = BudgetTally()
    for number in 0..<60 {
      let priority: Priority = number % 3 == 0 ? .immediate : .powerAware
      tally.count(budget.charge(priority, level: .standard, in: [], plan: plan, at: Self.began))
    }
    #expect(tally.spent == 15 && tally.free == 40 && tally.exhausted == 5)
  }
}
