import APNs
import Devices
import TestSupport
import Testing
import Timeline

/// Each budget against an account that remembers everything and works it out anew at every question.
@Suite("Budgets against a simple model")
struct BudgetModelTests {
  /// All attempts so far, in order.
  private struct Account {
    var attempts: [(at: Int64, cost: Int)] = []

    /// Start of the window that is open, and what was spent within.
    func state(window: Int64, at now: Int64) -> (start: Int64, spent: Int)? {
      var start: Int64?
      var spent = 0
      for attempt in attempts {
        if start.map({ attempt.at - $0 >= window }) ?? true {
          start = attempt.at
          spent = 0
        }
        spent += attempt.cost
      }
      return start.flatMap { now - $0 < window ? ($0, spent) : nil }
    }
  }

  private static let conditions: [DeviceCondition] = [
    .lowPower, .batteryBelow20, .thermalSerious, .charging, .screenOn,
  ]

  /// Capacity by fractions in lowest terms.
  private func capacity(_ base: UInt32, _ condition: DeviceCondition) -> Int {
    let factors: [(DeviceCondition, Int, Int)] = [
      (.lowPower, 1, 2), (.batteryBelow20, 3, 4), (.thermalSerious, 1, 4), (.charging, 3, 2),
    ]
    let chosen = factors.filter { condition.contains($0.0) }
    return chosen.reduce(Int(base)) { $0 * $1.1 } / chosen.reduce(1) { $0 * $1.2 }
  }

  @Test("Random charges and ends of updates, levels and conditions agree with a simple model")
  func updates() {
    for seed: UInt64 in 0..<300 {
      var dice = Dice(seed: seed)
      var plan = UpdateBudgetPlan(UpdateBudgetPlan.Preset.allCases[dice.below(3)])
      plan.priority10Cost = UInt32(1 + dice.below(3))
      plan.priority5Cost = UInt32(dice.below(2))
      let window = plan.window.wholeNanoseconds
      var budget = UpdateBudget()
      var account = Account()
      var now: Int64 = 1_700_000_000_000_000_000
      for step in 0..<120 {
        let steps = [0, 1, 60_000_000_000, 400_000_000_000, window - 1, window, window + 1]
        now += steps[dice.below(dice.below(8) == 0 ? 7 : 4)]
        let condition = DeviceCondition(Self.conditions.filter { _ in dice.below(3) == 0 })
        let level = BudgetLevel.allCases[dice.below(2)]
        let capacity = capacity(level == .frequent ? plan.frequentCapacity : plan.standardCapacity, condition)
        let isEnd = dice.below(20) == 0
        let priority: Priority = dice.below(4) == 0 ? .powerAware : .immediate
        let cost = Int(isEnd ? plan.endCost : plan.cost(of: priority))
        var expected = UpdateBudget.Charge.free
        if cost > 0 {
          let state = account.state(window: window, at: now) ?? (now, 0)
          let left = capacity - state.spent
          let isGranted = isEnd || cost <= left
          account.attempts.append((now, isGranted ? cost : 0))
          expected =
            isGranted
            ? .spent(remaining: max(0, left - cost))
            : .exhausted(until: Instant(nanoseconds: state.start + window))
        }
        let at = Instant(nanoseconds: now)
        let charge =
          isEnd
          ? budget.chargeEnd(level: level, in: condition, plan: plan, at: at)
          : budget.charge(priority, level: level, in: condition, plan: plan, at: at)
        let left = max(0, capacity - (account.state(window: window, at: now)?.spent ?? 0))
        guard charge == expected, budget.remaining(level: level, in: condition, plan: plan, at: at) == left else {
          Issue.record("seed \(seed), step \(step): \(charge), not \(expected)")
          return
        }
      }
    }
  }

  @Test("Random charges of starts and openings of the app agree with a simple model")
  func starts() {
    for seed: UInt64 in 0..<300 {
      var dice = Dice(seed: seed)
      var plan = StartBudgetPlan(StartBudgetPlan.Preset.allCases[dice.below(2)])
      plan.capacity = UInt32(dice.below(12))
      plan.decrementWhenExhausted = dice.below(2) == 0
      let window = plan.window.wholeNanoseconds
      var budget = StartBudget()
      var account = Account()
      var now: Int64 = 1_700_000_000_000_000_000
      for step in 0..<120 {
        now += [0, 1, 60_000_000_000, window - 1, window, window + 1][dice.below(dice.below(10) == 0 ? 6 : 3)]
        let at = Instant(nanoseconds: now)
        if dice.below(10) == 0 {
          if plan.refillOnForeground { account.attempts = [] }
          _ = budget.foreground(plan, at: at)
        }
        let state = account.state(window: window, at: now) ?? (now, 0)
        let isGranted = state.spent < Int(plan.capacity)
        let cost = isGranted || plan.decrementWhenExhausted ? 1 : 0
        account.attempts.append((now, cost))
        let balance = Int(plan.capacity) - state.spent - cost
        let expected: StartBudget.Charge =
          isGranted
          ? .spent(remaining: balance)
          : .exhausted(balance: balance, until: Instant(nanoseconds: state.start + window))
        let charge = budget.charge([], plan, at: at)
        guard charge == expected, budget.balance(plan, at: at) == balance else {
          Issue.record("seed \(seed), step \(step): \(charge), not \(expected)")
          return
        }
      }
    }
  }
}
