import Timeline

/// What an app may still have started by push on one device within the present window.
package struct StartBudget: Hashable, Sendable {
  package enum Charge: Hashable, Sendable {
    case spent(remaining: Int)
    /// Refused. The balance is negative where refusals count.
    case exhausted(balance: Int, until: Instant)
    /// Low Power Mode lets nothing start.
    case suppressed
  }

  package enum Opening: Hashable, Sendable {
    case refilled
    case unchanged
  }

  private var windowEnd = Instant.distantPast
  private var spent = 0

  package init() {}

  /// A start has arrived. No condition but Low Power Mode matters: the budget is fixed.
  package mutating func charge(_ condition: DeviceCondition, _ plan: StartBudgetPlan, at now: Instant) -> Charge {
    if plan.lowPowerSuppresses, condition.contains(.lowPower) { return .suppressed }
    if windowEnd <= now {
      windowEnd = now.advanced(by: plan.window)
      spent = 0
    }
    let isGranted = spent < Int(plan.capacity)
    if isGranted || plan.decrementWhenExhausted { spent += 1 }
    let balance = Int(plan.capacity) - spent
    return isGranted ? .spent(remaining: balance) : .exhausted(balance: balance, until: windowEnd)
  }

  /// The person has opened the app. A refilled budget owes nothing, and its next charge opens a new window.
  package mutating func foreground(_ plan: StartBudgetPlan, at now: Instant) -> Opening {
    guard plan.refillOnForeground, now < windowEnd else { return .unchanged }
    self = StartBudget()
    return .refilled
  }

  /// What is left; below zero when refusals ran up a debt.
  package func balance(_ plan: StartBudgetPlan, at now: Instant) -> Int {
    Int(plan.capacity) - (now < windowEnd ? spent : 0)
  }

  /// When all is forgotten; nil while no window is open.
  package func windowEnd(at now: Instant) -> Instant? { now < windowEnd ? windowEnd : nil }
}
