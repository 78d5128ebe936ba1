import APNs
import Timeline

/// A virtual iPhone that something has happened to: its switches, its apps, and what it holds back.
///
/// Everything it does comes of three calls: a push arrives, the person or the system acts, or something falls due.
package struct Phone: Hashable, Sendable {
  // Ordered so that nothing lies idle between them: a fleet may have a million of these.
  package let id: DeviceID
  package internal(set) var os: OSVersion
  package internal(set) var condition: DeviceCondition
  package let hasIsland: Bool
  package let hasWatch: Bool
  package internal(set) var isOnline: Bool
  /// Somebody sees to it that the activities which ran from the beginning end in time.
  package var isWatched = false
  /// Pushes it has held; each draw of a delay takes the next.
  var holds: UInt32 = 0
  package var installs: [Install]
  var held = DeferredUpdates<DeferralKey, DeferredPush>()
  var details: OutOfLine<Details> = []

  /// What a phone has once a push has brought something.
  struct Details: DefaultInitializable, Hashable, Sendable {
    var tally = BudgetTally()
    @OneWordInstant var releasePlanned: Instant?
    var alert: ShownAlert?
    /// Least time between two drawings of an activity, in nanoseconds; nil until it is asked for with the present iOS.
    var spacing: Int64?
    /// Bytes that the fleet has been told of.
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

  /// When the phone looks next at what it holds.
  var releasePlanned: Instant? {
    get { details.isStored ? details[0].releasePlanned : nil }
    set {
      details.store()
      details[0].releasePlanned = newValue
    }
  }

  /// The last alert of a Live Activity.
  package internal(set) var alert: ShownAlert? {
    get { details.isStored ? details[0].alert : nil }
    set {
      details.store()
      details[0].alert = newValue
    }
  }

  /// A phone as the seed makes it.
  ///
  /// - Parameter installs: its apps as the world found them, in the order of the profiles.
  package init(_ id: DeviceID, os: OSVersion, installs: [Install], _ model: PhoneModel) {
    let (mix, draws, subject) = (model.mix, model.draws, UInt64(id.number))
    self.id = id
    self.os = os
    hasIsland = model.hasIsland(id)
    hasWatch = draws.watch.strikes(mix.watch, subject)
    isOnline = model.isOnline(id)
    var condition: DeviceCondition = [.locked, .timeSensitiveAllowed]
    if draws.lowPower.strikes(mix.lowPower, subject) { condition.insert(.lowPower) }
    self.condition = condition
    self.installs = installs
    for app in installs.indices { settle(app, model) }
  }

  private mutating func settle(_ app: Int, _ model: PhoneModel) {
    let (mix, draws, subject) = (model.mix, model.draws, subject(app))
    var allowances: Install.Allowances = []
    // What runs from the beginning has been allowed once.
    let runs = !installs[app].activities.isEmpty
    // One draw answers all the questions about an app, a quarter of its bits each.
    let bits = draws.install.wideBits(subject)
    if runs || mix.liveActivities.strikes(low: bits.0) { allowances.insert(.liveActivities) }
    if mix.frequentUpdates.strikes(low: bits.0 >> 32) { allowances.insert(.frequentUpdates) }
    if draws.backgroundRefresh.strikes(mix.backgroundRefresh, subject) { allowances.insert(.backgroundRefresh) }
    installs[app].settle(
      allowances, mix.permission(low: bits.1 >> 32), isForceQuit: mix.forceQuit.strikes(low: bits.1))
  }

  /// Least time between two drawings of an activity, in nanoseconds.
  mutating func spacing(_ model: PhoneModel) -> Int64 {
    details.store()
    if let spacing = details[0].spacing { return spacing }
    let spacing = model.budget.rendering.spacing(on: os, model.draws.rendering, device: UInt64(id.number))
    details[0].spacing = spacing.wholeNanoseconds
    return spacing.wholeNanoseconds
  }

  /// Another version of iOS spaces drawings in another way.
  mutating func forgetSpacing() { if details.isStored { details[0].spacing = nil } }

  /// The subject of draws about an app on this phone.
  func subject(_ app: Int) -> UInt64 { UInt64(id.number) << 16 | UInt64(app) }

  /// The activities of an app that have not been ended, and when they run out.
  package func runningActivities(_ app: Int) -> [(number: UInt32, expiry: Instant)] {
    let activities = installs[app].activities
    return activities.indices.compactMap { index in
      activities[index].hasEnded ? nil : (activities[index].number, activities[index].expiry)
    }
  }

  /// Live Activities that count to the limit of the device.
  func counted(_ policy: DevicePolicy, at now: Instant) -> Int {
    installs.reduce(0) { $0 + $1.counted(policy, at: now) }
  }

  /// Whether Live Activities may be shown for an app.
  package func allowsActivities(_ app: Int) -> Bool {
    installs[app].allowances.contains(.liveActivities) && !condition.contains(.activitiesOff)
  }

  /// Whether an app has a push-to-start token on this phone.
  package func hasStartToken(_ app: Int, _ model: PhoneModel) -> Bool {
    installs[app].hasStartToken(os, model.policy.startTokens)
  }

  package var isLocked: Bool { condition.contains(.locked) }

  /// What is left of the budgets of an app and, for a running activity, of its updates.
  package func budgetLeft(_ app: Int, activity number: UInt32, _ model: PhoneModel, at now: Instant) -> Int? {
    guard let activity = installs[app].activity(number) else { return nil }
    let budget = model.budget.update.scope == .app ? installs[app].updateBudget : activity.budget
    return budget.remaining(installs[app].level(model.apps[app]), condition, model.budget.update, at: now)
  }

  package func startsLeft(_ app: Int, _ model: PhoneModel, at now: Instant) -> Int {
    installs[app].startBudget.balance(model.budget.start, at: now)
  }

  package func level(_ app: Int, _ model: PhoneModel) -> BudgetLevel { installs[app].level(model.apps[app]) }
}
