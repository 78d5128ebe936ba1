import APNs
import Timeline

/// The number of immediate updates that a Live Activity has left in the current window.
///
///     closed ──first charge──▶ open until window end ──▶ closed, budget full again
///
/// A window opens with the first update that has a cost, granted or not. The end of a window is exclusive. The capacity
/// depends on the level and condition at each charge; spent updates stay spent.
package struct UpdateBudget: Hashable, Sendable {
  package enum Charge: Hashable, Sendable {
    case spent(remaining: Int)
    case free
    /// Deferred; at `until` the window ends, unless a better condition comes sooner.
    case exhausted(until: Instant)
  }

  private var windowEnd = Instant.distantPast
  private var spent: UInt32 = 0

  package init() {}

  /// An update has arrived. A refused update costs nothing.
  package mutating func charge(
    _ priority: Priority, level: BudgetLevel, in condition: DeviceCondition, plan: UpdateBudgetPlan,
    at now: Instant
  ) -> Charge {
    let cost = Int(plan.cost(of: priority))
    guard cost > 0 else { return .free }
    openWindow(plan, at: now)
    let left = plan.capacity(level, in: condition) - Int(spent)
    guard cost <= left else { return .exhausted(until: windowEnd) }
    spend(cost)
    return .spent(remaining: left - cost)
  }

  /// An end has arrived. Assumed: it has a cost but is never deferred.
  package mutating func chargeEnd(
    level: BudgetLevel, in condition: DeviceCondition, plan: UpdateBudgetPlan, at now: Instant
  ) -> Charge {
    guard plan.endCost > 0 else { return .free }
    openWindow(plan, at: now)
    spend(Int(plan.endCost))
    return .spent(remaining: max(0, plan.capacity(level, in: condition) - Int(spent)))
  }

  /// The remaining budget; never negative, even if an end or a worse condition has overdrawn it.
  package func remaining(
    level: BudgetLevel, in condition: DeviceCondition, plan: UpdateBudgetPlan, at now: Instant
  ) -> Int {
    max(0, plan.capacity(level, in: condition) - (now < windowEnd ? Int(spent) : 0))
  }

  /// The end of the window; nil while no window is open.
  package func windowEnd(at now: Instant) -> Instant? { now < windowEnd ? windowEnd : nil }

  private mutating func spend(_ cost: Int) { spent = UInt32(clamping: Int(spent) + cost) }

  private mutating func openWindow(_ plan: UpdateBudgetPlan, at now: Instant) {
    guard windowEnd <= now else { return }
    windowEnd = now.advanced(by: plan.window)
    spent = 0
  }
}
