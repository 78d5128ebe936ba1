import APNs
import Timeline

/// A virtual iPhone that has been used: its switches, its apps, and its deferred pushes.
///
/// Three kinds of calls change it: a push arrives, the person or the system acts, or work is due. Each gets a
/// `PhoneTurn`.
package struct Phone: Hashable, Sendable {
  // Fields are ordered to avoid padding: a fleet may have a million phones.
  package let id: DeviceID
  package private(set) var os: OSVersion
  package private(set) var condition: DeviceCondition
  package let hasIsland: Bool
  package let hasWatch: Bool
  package private(set) var isOnline: Bool
  /// True if the end of the activities that ran from the beginning is scheduled.
  package var isWatched = false
  /// Number of pushes deferred; each draw of a delay uses the next.
  private var holds: UInt32 = 0
  package internal(set) var installs: [Install]
  private(set) var held = DeferredPushes()
  private var details: OutOfLine<Details> = []

  /// State that a phone needs only after a push has brought content.
  private struct Details: DefaultInitializable, Hashable, Sendable {
    var tally = BudgetTally()
    @OneWordInstant var releasePlanned: Instant?
    var alert: ShownAlert?
    /// Minimum time between two drawings of an activity, in nanoseconds; nil until it is computed for the current iOS.
    var spacing: Int64?
    var memory = PhoneMemory()
    /// The card that the person has opened by hand.
    var openCard: OpenCard?
    var clock = PhoneClock()
  }

  /// A phone as the seed makes it.
  ///
  /// - Parameter installs: its apps when the world began, in the order of the profiles.
  package init(_ id: DeviceID, os: OSVersion, installs: [Install], _ behavior: PhoneBehavior) {
    let (mix, draws, subject) = (behavior.mix, behavior.draws, UInt64(id.number))
    self.id = id
    self.os = os
    hasIsland = behavior.hasIsland(id)
    hasWatch = draws.watch.strikes(mix.watch, subject: subject)
    isOnline = behavior.isOnline(id)
    var condition: DeviceCondition = [.locked, .timeSensitiveAllowed]
    if draws.lowPower.strikes(mix.lowPower, subject: subject) { condition.insert(.lowPower) }
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
    if draws.backgroundRefresh.strikes(mix.backgroundRefresh, subject: subject) {
      allowances.insert(.backgroundRefresh)
    }
    installs[app].settle(
      allowances, mix.permission(low: bits.1 >> 32), isForceQuit: mix.forceQuit.strikes(low: bits.1))
  }

  /// The subject of draws about an app on this phone.
  func subject(_ app: Int) -> UInt64 { UInt64(id.number) << 16 | UInt64(app) }

  // MARK: - The device

  package var isLocked: Bool { condition.contains(.locked) }

  mutating func set(_ bits: DeviceCondition, _ on: Bool) { condition.set(bits, on) }

  /// Erased and restored from a backup: locked, and what it is connected to stays.
  mutating func resetCondition() {
    condition = condition.intersection([.charging, .timeSensitiveAllowed]).union([.locked, .beforeFirstUnlock])
  }

  mutating func connect(_ online: Bool) { isOnline = online }

  /// Another version of iOS is installed.
  mutating func install(_ version: OSVersion) {
    os = version
    // The spacing depends on the version, so it is computed again.
    if details.isStored { details[0].spacing = nil }
  }

  /// Minimum time between two drawings of an activity, in nanoseconds.
  mutating func spacing(_ behavior: PhoneBehavior) -> Int64 {
    details.store()
    if let spacing = details[0].spacing { return spacing }
    let spacing = behavior.budget.rendering.spacing(on: os, behavior.draws.rendering, device: UInt64(id.number))
    details[0].spacing = spacing.wholeNanoseconds
    return spacing.wholeNanoseconds
  }

  var clock: PhoneClock { details.isStored ? details[0].clock : PhoneClock() }

  /// Sets the clock only.
  ///
  /// - Returns: by how much later its dates are reached, in nanoseconds.
  mutating func moveClock(ahead: Duration) -> Int64 {
    details.store()
    return details[0].clock.set(ahead: ahead)
  }

  /// The card that the person has opened by hand: in StandBy, or else in the island.
  package var openCard: OpenCard? { details.isStored ? details[0].openCard : nil }

  mutating func open(_ card: OpenCard) {
    details.store()
    details[0].openCard = card
  }

  /// Closes the card that was opened by hand: whatever the person does next closes it. Assumed.
  mutating func putDown() {
    if details.isStored { details[0].openCard = nil }
  }

  /// The most recent alert of a Live Activity.
  package var alert: ShownAlert? { details.isStored ? details[0].alert : nil }

  mutating func show(_ new: ShownAlert) {
    countMemory(new.memory - (alert?.memory ?? 0))
    details.store()
    details[0].alert = new
  }

  // MARK: - Activities

  /// The position of an activity; nil if the app never had it or has forgotten it.
  func place(of number: UInt32, _ app: Int) -> ActivityIndex? {
    installs[app].index(of: number).map { ActivityIndex(app, $0) }
  }

  /// An activity, to be read.
  subscript(place: ActivityIndex) -> LiveActivity { installs[place.app].activities[place.index] }

  /// The key of the deferred update of an activity.
  func key(of place: ActivityIndex) -> DeferralKey { .activity(app: place.app, self[place].number) }

  /// Starts an activity. The app may forget one that has ended.
  mutating func startActivity(
    _ app: Int, type: Int, origin: LiveActivity.Origin, _ policy: DevicePolicy, at now: Instant
  ) -> ActivityIndex {
    countMemory(0 - installs[app].forgetEndedActivity())
    installs[app].start(type: type, origin: origin, policy, at: now)
    return ActivityIndex(app, installs[app].activities.count - 1)
  }

  /// Changes an activity in place, and counts what the phone holds after that.
  @discardableResult
  @inline(__always)  // Otherwise the closure copies what it captures: 150 instructions of a push.
  mutating func change<Result>(_ place: ActivityIndex, _ change: (inout LiveActivity) -> Result) -> Result {
    let before = Int(installs[place.app].activities[place.index].memory)
    let result = installs[place.app].changeActivity(place.index, change)
    countMemory(Int(installs[place.app].activities[place.index].memory) - before)
    return result
  }

  // MARK: - Apps

  /// Counts one request to a token; false if it exceeds the rate limit.
  package mutating func admit(_ address: Address, _ limit: RequestRate, at now: Instant) -> Bool {
    installs[address.app].admit(address.slot, limit, at: now)
  }

  /// Changes the state of a slot's token; nil if the slot does not exist.
  @discardableResult
  package mutating func changeToken<Result>(
    of slot: TokenSlot, _ app: Int, _ change: (inout TokenState) -> Result
  ) -> Result? {
    installs[app].change(slot, change)
  }

  /// Forgets the tapped notification after the app has read it.
  package mutating func forgetTappedNotification(_ app: Int) { installs[app].forgetTappedNotification() }

  /// Changes the notifications of an app, and counts what the phone holds after that.
  mutating func changeNotifications<Result>(_ app: Int, _ change: (inout Install) -> Result) -> Result {
    let before = installs[app].notificationMemory
    let result = change(&installs[app])
    countMemory(installs[app].notificationMemory - before)
    return result
  }

  // MARK: - Deferred pushes

  /// Number of the next draw of a delay.
  mutating func nextHold() -> UInt64 {
    holds &+= 1
    return UInt64(holds)
  }

  /// Defers a push. If it replaces an older one of its key, the older one is returned.
  mutating func keep(
    _ new: DeferredPush, of key: DeferralKey, for delay: Duration, at now: Instant
  ) -> DeferredPushes.Holding {
    let holding = held.hold(new, of: key, for: delay, at: now)
    switch holding {
    case .held: countMemory(new.memory)
    case .coalesced(let older, _): countMemory(new.memory - older.memory)
    case .noRoom: break
    }
    return holding
  }

  /// Takes out the deferred push of a key.
  mutating func withdraw(_ key: DeferralKey) -> DeferredPush? {
    guard held.count > 0, let push = held.withdraw(key) else { return nil }
    countMemory(0 - push.memory)
    return push
  }

  /// Takes out the earliest deferred push that is due or has expired; without a connection only what is on the phone.
  mutating func takeDue(by now: Instant) -> DeferredPushes.Release? {
    guard let release = held.takeDue(by: now, isOnline: isOnline) else { return nil }
    countMemory(0 - release.push.memory)
    return release
  }

  /// The phone is awake: the deferred pushes of low priority are due.
  mutating func makeDue(_ cause: LowPriorityPlan.FlushCause, _ plan: LowPriorityPlan, at now: Instant) {
    held.makeDue(cause, plan, at: now)
  }

  /// The time at which the phone next releases deferred pushes.
  var releasePlanned: Instant? {
    get { details.isStored ? details[0].releasePlanned : nil }
    set {
      details.store()
      details[0].releasePlanned = newValue
    }
  }

  // MARK: - Counts

  package var tally: BudgetTally { details.isStored ? details[0].tally : BudgetTally() }

  mutating func count(_ charge: UpdateBudget.Charge) {
    details.store()
    details[0].tally.count(charge)
  }

  /// Memory used for what pushes have brought, in bytes.
  ///
  /// Depends only on this phone: it is charged as if nothing were shared with other phones or the push log. So the same
  /// pushes give the same phone in any context.
  package var memory: Int { details.isStored ? details[0].memory.held : 0 }

  private mutating func countMemory(_ growth: Int) {
    guard growth != 0 else { return }
    details.store()
    details[0].memory.grow(by: growth)
  }

  /// Growth in bytes since the last call, of which the fleet's memory budget is told.
  package mutating func takeGrowth() -> Int { details.isStored ? details[0].memory.takeGrowth() : 0 }

  #if PUSHPIT_CHECKS
    /// Bytes that the fleet's memory budget was told of.
    package var chargedMemory: Int { details.isStored ? details[0].memory.charged : 0 }

    /// The sum over everything that the phone holds, which `memory` keeps.
    package var summedMemory: Int {
      var sum = alert?.memory ?? 0
      for (_, push) in held.all { sum += push.memory }
      for install in installs {
        sum += install.notificationMemory
        for activity in install.activities { sum += Int(activity.memory) }
      }
      return sum
    }
  #endif
}
