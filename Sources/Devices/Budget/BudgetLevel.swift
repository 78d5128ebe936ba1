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
