/// The numbers of all throttles on a phone. Apple publishes none of them, so all are settings.
package struct BudgetPlan: Hashable, Sendable {
  package var update = UpdateBudgetPlan()
  package var start = StartBudgetPlan()
  package var lowPriority = LowPriorityPlan()
  package var rendering = RenderPlan()

  package init() {}

  package init(update: UpdateBudgetPlan.Preset, start: StartBudgetPlan.Preset) {
    self.update = UpdateBudgetPlan(update)
    self.start = StartBudgetPlan(start)
  }
}

/// Which of the two update budgets an app has.
///
/// Documented: `NSSupportsLiveActivitiesFrequentUpdates` gives a higher budget, still throttled; the person can turn it
/// off by itself ("Starting and updating Live Activities with ActivityKit push notifications").
package enum BudgetLevel: String, CaseIterable, Hashable, Sendable {
  case standard
  case frequent

  /// - Parameters:
  ///   - isDeclared: the key is in the app's Info.plist.
  ///   - isAllowed: the person has left "More Frequent Updates" on.
  package init(isDeclared: Bool, isAllowed: Bool) { self = isDeclared && isAllowed ? .frequent : .standard }
}

/// Counts of a phone's updates, charged and free: the reason to prefer priority 5.
///
/// Documented: priority 10 costs battery, which is why it is budgeted
/// (docs/behavior/budgets.md#cost-in-battery).
package struct BudgetTally: Hashable, Sendable {
  /// Updates that were charged.
  package private(set) var spent: UInt32 = 0
  /// Updates that cost nothing.
  package private(set) var free: UInt32 = 0
  /// Updates deferred because the budget was spent.
  package private(set) var exhausted: UInt32 = 0

  package init() {}

  package mutating func count(_ charge: UpdateBudget.Charge) {
    switch charge {
    case .spent: spent &+= 1
    case .free: free &+= 1
    case .exhausted: exhausted &+= 1
    }
  }
}
