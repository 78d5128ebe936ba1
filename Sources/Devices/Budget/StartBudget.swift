import APNs
import Timeline

/// The number of starts by push that an app has left on one device in the current window.
package struct StartBudget: Hashable, Sendable {
  package enum Charge: Hashable, Sendable {
    case spent(remaining: Int)
    /// Rejected. The balance is negative if refusals count.
    case exhausted(balance: Int, until: Instant)
    /// Nothing starts in Low Power Mode.
    case suppressed
  }

  package enum Opening: Hashable, Sendable {
    case refilled
    case unchanged
  }

  private var windowEnd = Instant.distantPast
  private var spent = 0

  package init() {}

  /// A start has arrived. Only Low Power Mode matters; the budget does not depend on other conditions.
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

  /// The person has opened the app. If that refills the budget, debts are cleared and the next charge opens a new
  /// window.
  package mutating func foreground(_ plan: StartBudgetPlan, at now: Instant) -> Opening {
    guard plan.refillOnForeground, now < windowEnd else { return .unchanged }
    self = StartBudget()
    return .refilled
  }

  /// The remaining budget; negative if refused starts were charged.
  package func balance(_ plan: StartBudgetPlan, at now: Instant) -> Int {
    Int(plan.capacity) - (now < windowEnd ? spent : 0)
  }

  /// The end of the window, at which the budget is full again; nil while no window is open.
  package func windowEnd(at now: Instant) -> Instant? { now < windowEnd ? windowEnd : nil }
}

/// The number of Live Activities that an app may start by push on one device.
///
/// Observed: a separate budget, the same with and without frequent updates and in both environments (an Apple engineer
/// in forum thread 799505).
package struct StartBudgetPlan: Hashable, Sendable {
  package enum Preset: String, CaseIterable, Hashable, Sendable {
    case conservative
    case optimistic
  }

  /// Observed: about ten in a short time, then a log line names the refusal (forum thread 799505).
  package var capacity: UInt32 = 10
  /// Length of the budget window, from its first start. Disputed: up to 24 h by an engineer quoted second hand, about
  /// an hour by one project (Sitrep).
  package var window: Duration = .seconds(24 * 3600)
  /// True if opening the app refills it. Disputed: yes by one project (Sitrep).
  package var refillOnForeground = false
  /// True if refused starts are charged too. Observed: a balance of -5 (hermes-studio pull request 3111).
  package var decrementWhenExhausted = true
  /// True if nothing starts in Low Power Mode. Observed (Sitrep). Assumed: such starts are not charged.
  package var lowPowerSuppresses = true

  package init(_ preset: Preset = .conservative) {
    switch preset {
    case .conservative: break
    case .optimistic:
      window = .seconds(3600)
      refillOnForeground = true
    }
  }
}
