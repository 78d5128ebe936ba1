/// What updates have cost a phone: the reason to try priority 5 first.
///
/// Documented: priority 10 costs battery, which is why it is budgeted
/// (docs/behavior/budgets.md#cost-in-battery).
package struct BudgetTally: Hashable, Sendable {
  /// Updates that were charged for.
  package private(set) var spent: UInt32 = 0
  /// Updates that cost nothing.
  package private(set) var free: UInt32 = 0
  /// Updates kept back because the budget was spent.
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
