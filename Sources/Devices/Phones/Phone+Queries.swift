import APNs
import Timeline

/// Questions about a phone; asking changes nothing.
extension Phone {
  /// Documented: StandBy exists from iOS 17 on, on a locked phone that is charging and stands on its side.
  package var isInStandBy: Bool {
    os >= OSVersion(17, 0) && condition.isSuperset(of: [.onItsSide, .charging, .locked])
  }

  /// By how much the phone's clock is ahead.
  package var clockAhead: Duration { clock.ahead }

  // MARK: - Apps and activities

  /// True if Live Activities may be shown for an app.
  package func allowsActivities(_ app: Int) -> Bool {
    installs[app].allowances.contains(.liveActivities) && !condition.contains(.activitiesOff)
  }

  /// The activities of an app that have not ended, and when they expire.
  package func runningActivities(_ app: Int) -> [(number: UInt32, expiry: Instant)] {
    let activities = installs[app].activities
    return activities.indices.compactMap { index in
      activities[index].hasEnded ? nil : (activities[index].number, activities[index].expiry)
    }
  }

  /// Number of Live Activities that count towards the device's limit.
  func counted(_ policy: DevicePolicy, at now: Instant) -> Int {
    installs.reduce(0) { $0 + $1.counted(policy, at: now) }
  }

  /// True if a person can see an activity. The card of one that a push has started takes a moment to appear, and so
  /// does its alert.
  package func hasAppeared(_ activity: LiveActivity, app: Int, _ behavior: PhoneBehavior, at now: Instant) -> Bool {
    guard activity.origin == .push, now < activity.startedAt.advanced(by: behavior.policy.timing.appearance.upperBound)
    else { return true }
    let wait = behavior.draws.appearance.duration(
      in: behavior.policy.timing.appearance, subject: subject(app), count: UInt64(activity.number))
    return activity.startedAt.advanced(by: wait) <= now
  }

  // MARK: - Tokens

  /// True if an app has a push-to-start token on this phone.
  package func hasStartToken(_ app: Int, _ behavior: PhoneBehavior) -> Bool {
    installs[app].hasStartToken(os, behavior.policy.startTokens)
  }

  /// The status of a token of one of the apps.
  package func status(of address: Address, _ policy: StartTokenPolicy, at now: Instant) -> TokenStatus {
    // Fast path of nearly every push: avoids copying an install.
    if case .update(let number) = address.slot,
      let status = Install.status(of: address, number, among: installs[address.app].activities, at: now)
    {
      return status
    }
    return installs[address.app].status(of: address, os, policy, at: now)
  }

  // MARK: - Budgets

  /// The remaining updates of a running activity.
  package func budgetLeft(_ app: Int, activity number: UInt32, _ behavior: PhoneBehavior, at now: Instant) -> Int? {
    guard let activity = installs[app].activity(number) else { return nil }
    let budget = behavior.budget.update.scope == .app ? installs[app].updateBudget : activity.budget
    return budget.remaining(level: level(app, behavior), in: condition, plan: behavior.budget.update, at: now)
  }

  /// The remaining starts of an app.
  package func startsLeft(_ app: Int, _ behavior: PhoneBehavior, at now: Instant) -> Int {
    installs[app].startBudget.balance(behavior.budget.start, at: now)
  }

  package func level(_ app: Int, _ behavior: PhoneBehavior) -> BudgetLevel { installs[app].level(behavior.apps[app]) }
}
