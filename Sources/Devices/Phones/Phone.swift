import APNs
import Timeline

/// A virtual iPhone that has been used: its switches, its apps, and its deferred pushes.
///
/// Three kinds of calls change it: a push arrives, the person or the system acts, or work is due.
package struct Phone: Hashable, Sendable {
  // Fields are ordered to avoid padding: a fleet may have a million phones.
  package let id: DeviceID
  package internal(set) var os: OSVersion
  package internal(set) var condition: DeviceCondition
  package let hasIsland: Bool
  package let hasWatch: Bool
  package internal(set) var isOnline: Bool
  /// Whether the end of the activities that ran from the beginning is scheduled.
  package var isWatched = false
  /// Number of pushes deferred; each draw of a delay uses the next.
  var holds: UInt32 = 0
  package var installs: [Install]
  var held = DeferredUpdates<DeferralKey, DeferredPush>()
  var details: OutOfLine<Details> = []

  /// State that a phone needs only after a push has brought content.
  struct Details: DefaultInitializable, Hashable, Sendable {
    var tally = BudgetTally()
    @OneWordInstant var releasePlanned: Instant?
    var alert: ShownAlert?
    /// Minimum time between two drawings of an activity, in nanoseconds; nil until it is computed for the current iOS.
    var spacing: Int64?
    /// Bytes already reported to the fleet.
    var charged: UInt32 = 0
    /// What the person has opened by hand.
    var openCard: OpenCard?
    /// By how much its clock is ahead, in nanoseconds.
    var clockAhead: Int64 = 0
  }

  package var tally: BudgetTally { details.isStored ? details[0].tally : BudgetTally() }

  mutating func count(_ charge: UpdateBudget.Charge) {
    details.store()
    details[0].tally.count(charge)
  }

  /// When the phone next releases deferred pushes.
  var releasePlanned: Instant? {
    get { details.isStored ? details[0].releasePlanned : nil }
    set {
      details.store()
      details[0].releasePlanned = newValue
    }
  }

  /// The most recent alert of a Live Activity.
  package internal(set) var alert: ShownAlert? {
    get { details.isStored ? details[0].alert : nil }
    set {
      details.store()
      details[0].alert = newValue
    }
  }

  /// A phone as the seed makes it.
  ///
  /// - Parameter installs: its apps when the world began, in the order of the profiles.
  package init(_ id: DeviceID, os: OSVersion, installs: [Install], _ behavior: PhoneBehavior) {
    let (mix, draws, subject) = (behavior.mix, behavior.draws, UInt64(id.number))
    self.id = id
    self.os = os
    hasIsland = behavior.hasIsland(id)
    hasWatch = draws.watch.strikes(mix.watch, subject)
    isOnline = behavior.isOnline(id)
    var condition: DeviceCondition = [.locked, .timeSensitiveAllowed]
    if draws.lowPower.strikes(mix.lowPower, subject) { condition.insert(.lowPower) }
    self.condition = condition
    self.installs = installs
    for app in installs.indices { settle(app, behavior) }
  }

  private mutating func settle(_ app: Int, _ behavior: PhoneBehavior) {
    let (mix, draws, subject) = (behavior.mix, behavior.draws, subject(app))
    var allowances: Install.Allowances = []
    // An activity that runs from the beginning was allowed once.
    let runs = !installs[app].activities.isEmpty
    // One draw answers all questions about an app, with a quarter of its bits for each.
    let bits = draws.install.wideBits(subject)
    if runs || mix.liveActivities.strikes(low: bits.0) { allowances.insert(.liveActivities) }
    if mix.frequentUpdates.strikes(low: bits.0 >> 32) { allowances.insert(.frequentUpdates) }
    if draws.backgroundRefresh.strikes(mix.backgroundRefresh, subject) { allowances.insert(.backgroundRefresh) }
    installs[app].settle(
      allowances, mix.permission(low: bits.1 >> 32), isForceQuit: mix.forceQuit.strikes(low: bits.1))
  }

  /// Minimum time between two drawings of an activity, in nanoseconds.
  mutating func spacing(_ behavior: PhoneBehavior) -> Int64 {
    details.store()
    if let spacing = details[0].spacing { return spacing }
    let spacing = behavior.budget.rendering.spacing(on: os, behavior.draws.rendering, device: UInt64(id.number))
    details[0].spacing = spacing.wholeNanoseconds
    return spacing.wholeNanoseconds
  }

  /// The spacing depends on the version of iOS, so it is computed again.
  mutating func forgetSpacing() { if details.isStored { details[0].spacing = nil } }

  /// The subject of draws about an app on this phone.
  func subject(_ app: Int) -> UInt64 { UInt64(id.number) << 16 | UInt64(app) }

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

  /// Whether Live Activities may be shown for an app.
  package func allowsActivities(_ app: Int) -> Bool {
    installs[app].allowances.contains(.liveActivities) && !condition.contains(.activitiesOff)
  }

  /// Whether an app has a push-to-start token on this phone.
  package func hasStartToken(_ app: Int, _ behavior: PhoneBehavior) -> Bool {
    installs[app].hasStartToken(os, behavior.policy.startTokens)
  }

  package var isLocked: Bool { condition.contains(.locked) }

  /// The remaining budgets of an app and, for a running activity, of its updates.
  package func budgetLeft(_ app: Int, activity number: UInt32, _ behavior: PhoneBehavior, at now: Instant) -> Int? {
    guard let activity = installs[app].activity(number) else { return nil }
    let budget = behavior.budget.update.scope == .app ? installs[app].updateBudget : activity.budget
    return budget.remaining(installs[app].level(behavior.apps[app]), condition, behavior.budget.update, at: now)
  }

  package func startsLeft(_ app: Int, _ behavior: PhoneBehavior, at now: Instant) -> Int {
    installs[app].startBudget.balance(behavior.budget.start, at: now)
  }

  package func level(_ app: Int, _ behavior: PhoneBehavior) -> BudgetLevel { installs[app].level(behavior.apps[app]) }
}
