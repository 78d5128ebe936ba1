import Devices
import Testing
import Timeline

@Suite("An app's push-to-start budget")
struct BudgetStartTests {
  private static let began = Instant(seconds: 1_700_000_000)
  private static let windowEnd = began.advanced(by: .seconds(86_400))
  private let plan = StartBudgetPlan()

  private func spent(_ plan: StartBudgetPlan, _ attempts: Int) -> StartBudget {
    var budget = StartBudget()
    for _ in 0..<attempts { _ = budget.charge([], plan, at: Self.began) }
    return budget
  }

  @Test("The budget grants ten starts; refused ones add to the debt, as the log with -5 showed")
  func debt() {
    var budget = StartBudget()
    for left in (0..<10).reversed() {
      #expect(budget.charge([], plan, at: Self.began) == .spent(remaining: left))
    }
    for balance in [-1, -2, -3, -4, -5] {
      let charge = budget.charge([], plan, at: Self.began.advanced(by: .seconds(60)))
      #expect(charge == .exhausted(balance: balance, until: Self.windowEnd))
    }
    #expect(budget.balance(plan, at: Self.began) == -5)
  }

  @Test("without counting refusals the balance stays at zero")
  func noDebt() {
    var plan = plan
    plan.decrementWhenExhausted = false
    var budget = spent(plan, 14)
    #expect(budget.charge([], plan, at: Self.began) == .exhausted(balance: 0, until: Self.windowEnd))
  }

  @Test("the debt is forgotten a day after the first start, to the nanosecond")
  func window() {
    var budget = spent(plan, 12)
    let last = Self.windowEnd.advanced(by: .nanoseconds(-1))
    #expect(budget.balance(plan, at: last) == -2 && budget.balance(plan, at: Self.windowEnd) == 10)
    #expect(budget.windowEnd(at: last) == Self.windowEnd && budget.windowEnd(at: Self.windowEnd) == nil)
    var early = budget
    #expect(early.charge([], plan, at: last) == .exhausted(balance: -3, until: Self.windowEnd))
    #expect(budget.charge([], plan, at: Self.windowEnd) == .spent(remaining: 9))
    #expect(budget.windowEnd(at: Self.windowEnd) == Self.windowEnd.advanced(by: .seconds(86_400)))
  }

  @Test("Only Low Power Mode affects the budget of starts, and suppresses every start without a charge")
  func lowPower() {
    var budget = StartBudget()
    #expect(budget.charge([.lowPower, .charging, .screenOn], plan, at: Self.began) == .suppressed)
    #expect(budget == StartBudget())
    let charge = budget.charge([.batteryBelow20, .thermalSerious, .locked], plan, at: Self.began)
    #expect(charge == .spent(remaining: 9))
    var plan = plan
    plan.lowPowerSuppresses = false
    #expect(budget.charge([.lowPower], plan, at: Self.began) == .spent(remaining: 8))
  }

  @Test("opening the app changes nothing by default")
  func foreground() {
    var budget = spent(plan, 13)
    #expect(budget.foreground(plan, at: Self.began) == .unchanged)
    #expect(budget.balance(plan, at: Self.began) == -3)
  }

  @Test("With the optimistic preset, opening the app pays the debt, and the next start opens a new window of an hour")
  func refill() {
    let plan = StartBudgetPlan(.optimistic)
    var budget = spent(plan, 13)
    let later = Self.began.advanced(by: .seconds(1800))
    #expect(budget.foreground(plan, at: later) == .refilled)
    #expect(budget.foreground(plan, at: later) == .unchanged)
    #expect(budget.balance(plan, at: later) == 10)
    #expect(budget.charge([], plan, at: later) == .spent(remaining: 9))
    #expect(budget.windowEnd(at: later) == later.advanced(by: .seconds(3600)))
  }

  @Test("opening the app after the window has closed refills nothing")
  func refillTooLate() {
    let plan = StartBudgetPlan(.optimistic)
    var budget = spent(plan, 13)
    let end = Self.began.advanced(by: .seconds(3600))
    var early = budget
    #expect(early.foreground(plan, at: end.advanced(by: .nanoseconds(-1))) == .refilled)
    #expect(budget.foreground(plan, at: end) == .unchanged && budget.balance(plan, at: end) == 10)
  }
}
