import APNs
import Timeline

/// An app on a phone: its process, its tokens and its Live Activities.
package struct Install: Hashable, Sendable {
  package enum Presence: Hashable, Sendable {
    case installed
    /// Deleted; a reboot in between is what iOS 17.2 to 17.6 wants before a push-to-start token is to be had.
    case removed(rebooted: Bool)
  }

  /// What the person allows it.
  package struct Allowances: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let liveActivities = Allowances(rawValue: 1)
    package static let frequentUpdates = Allowances(rawValue: 2)
    package static let backgroundRefresh = Allowances(rawValue: 4)
  }

  /// Activities kept in mind per install: the limit per app is five or so, the rest are memories.
  private static let activitiesRemembered = 32
  /// What an app without runtime is told later; older news is lost on it.
  private static let pendingAtMost = 64

  // Ordered so that nothing lies idle between them: a fleet has one of these for every app of every touched phone.
  package var appToken = TokenState()
  package private(set) var presence = Presence.installed
  package internal(set) var life = AppLife.suspended
  package internal(set) var allowances: Allowances = [.liveActivities, .frequentUpdates, .backgroundRefresh]
  package internal(set) var permission = NotificationPermission.authorized
  var flags: Flags = [.observes, .hearsTokens, .hearsStartTokens]
  /// Processes it has had; the first is the one the world found.
  package var launches: UInt32 = 0
  private var nextActivity: UInt32 = 0
  var runtimeEnd = Instant.distantPast
  package private(set) var startTokens: [TokenState]
  package var activities: [LiveActivity] = []
  /// What few apps have: see `Install+Details.swift`.
  var details: OutOfLine<Details> = []

  /// An install as the world finds it: activities of the first type running since it began.
  package init(_ profile: AppProfile, _ habits: Habits, worldBegan: Instant) {
    startTokens = Array(repeating: TokenState(), count: profile.attributesTypes.count)
    for _ in 0..<(profile.attributesTypes.isEmpty ? 0 : profile.runningActivities) {
      start(type: 0, origin: .fleet, habits, at: worldBegan)
    }
    observes = profile.traits.observing.activityUpdates && profile.traits.observing.atLaunch
    awaitsTokens = !profile.traits.pushCapability
    if awaitsTokens { for index in activities.indices { activities[index].updates = .none } }
  }

  package var isInstalled: Bool { presence == .installed }
  /// Whether it has tokens at all: those of a removed app are dead, those of one never opened not yet made.
  package var hasTokens: Bool { presence == .installed && !awaitsTokens }

  /// Whether the app has a push-to-start token on that version of iOS.
  package func hasStartToken(_ os: OSVersion, _ habits: StartTokenHabits) -> Bool {
    switch habits.availability(on: os) {
    case .never: false
    case .freshInstallAfterReboot: hasFreshStartToken
    case .onLaunch: true
    }
  }

  /// The attributes types of the installed version.
  package func types(_ profile: AppProfile) -> [AttributesType] {
    isUpdated ? profile.traits.nextTypes ?? profile.types : profile.types
  }

  package func state(of slot: TokenSlot) -> TokenState? {
    switch slot {
    case .app: appToken
    case .service(let suffix): services[suffix] ?? TokenState()
    case .pushToStart(let type): startTokens.indices.contains(type) ? startTokens[type] : nil
    case .update(let number): index(of: number).map { activities[$0].token }
    }
  }

  /// Changes the state of a slot's token; nil when there is no such slot.
  package mutating func change<Result>(_ slot: TokenSlot, _ change: (inout TokenState) -> Result) -> Result? {
    switch slot {
    case .app: return change(&appToken)
    case .service(let suffix):
      details.store()
      return change(&details[0].services[suffix, default: TokenState()])
    case .pushToStart(let type):
      guard startTokens.indices.contains(type) else { return nil }
      return change(&startTokens[type])
    case .update(let number):
      guard let index = index(of: number) else { return nil }
      return change(&activities[index].token)
    }
  }

  // MARK: - Activities

  package func activity(_ number: UInt32) -> LiveActivity? { index(of: number).map { activities[$0] } }

  /// Whether an activity of that number has run here, remembered or not.
  package func hasRun(_ number: UInt32) -> Bool { number < nextActivity }

  /// No more activities can be started: all that are kept in mind are running.
  package var isFull: Bool {
    activities.count >= Self.activitiesRemembered && activities.allSatisfy { $0.endedAt == nil }
  }

  /// Activities that count to the limits.
  func counted(_ habits: Habits, at now: Instant) -> Int {
    activities.count {
      if !$0.isOver(at: now) || $0.isLeaked { return true }
      return habits.endedCounts && $0.state(habits, at: now) == .ended
    }
  }

  @discardableResult
  package mutating func start(
    type: Int, origin: LiveActivity.Origin, _ habits: Habits, at now: Instant
  ) -> LiveActivity {
    if activities.count >= Self.activitiesRemembered {
      activities.remove(at: activities.firstIndex { $0.endedAt != nil } ?? 0)
    }
    let activity = LiveActivity(
      number: nextActivity, type: type, startedAt: now, origin: origin, life: habits.activityLife)
    nextActivity += 1
    // Exactly as many as there are: arrays that double have room for eight where five run.
    activities.reserveCapacity(activities.count + 1)
    activities.append(activity)
    return activity
  }

  /// The phone can speak to APNs again.
  mutating func reconnect(_ habits: Habits, at now: Instant) {
    for index in activities.indices { activities[index].tellAPNs(habits, at: now) }
  }

  /// Activities are kept in the order of their numbers, mostly without a gap.
  func index(of number: UInt32) -> Int? { Self.index(of: number, among: activities) }

  static func index(of number: UInt32, among activities: [LiveActivity]) -> Int? {
    guard let first = activities.first?.number, number >= first else { return nil }
    let guess = Int(number - first)
    if guess < activities.count, activities[guess].number == number { return guess }
    return activities.firstIndex { $0.number == number }
  }

  // MARK: - Coming and going

  /// The app is deleted: its cards vanish and its tokens are dead, which APNs learns from the pushes that follow.
  package mutating func remove(_ habits: Habits, isOnline: Bool, at now: Instant) {
    presence = .removed(rebooted: false)
    life = .terminated
    hasFreshStartToken = false
    if details.isStored { details[0].pending = [] }
    for index in activities.indices { activities[index].swipe(habits, isOnline: isOnline, at: now) }
    if details.isStored {
      details[0].notifications = NotificationList()
      details[0].wakes = BackgroundWakes()
      details[0].calls = CallReports()
    }
    rotateAll(notice: nil)
  }

  package mutating func noteReboot() {
    if case .removed = presence { presence = .removed(rebooted: true) }
    for index in activities.indices { activities[index].isLeaked = false }
  }

  /// Installed, and not opened yet: nothing of it is known to anybody.
  package mutating func reinstall(at now: Instant) {
    if case .removed(let rebooted) = presence { hasFreshStartToken = rebooted }
    presence = .installed
    becomeNew()
    appToken.forget(at: now)
    for index in startTokens.indices { startTokens[index].forget(at: now) }
    // Each is changed by itself, so the order of the dictionary cannot show.
    for suffix in services.keys { details[0].services[suffix]?.forget(at: now) }
  }

  /// Installed again, it has the push-to-start tokens that it had.
  mutating func takeBackStartTokens() {
    for index in startTokens.indices { startTokens[index].takeBack() }
    keptStartTokens = true
  }

  /// Came from a backup to a phone that is new to it: every token is another one, where the habits do not keep it.
  mutating func restore(_ habits: Habits, isOnline: Bool, keepsStartTokens: Bool, at now: Instant) {
    for index in activities.indices {
      if activities[index].isOver(at: now) || !habits.activitiesSurviveRestore {
        activities[index].swipe(habits, isOnline: isOnline, at: now)
      } else {
        activities[index].token.rotate(notice: now.advanced(by: habits.updateTokenGrace))
      }
    }
    rotateAll(notice: nil, startTokens: !keepsStartTokens)
    hasFreshStartToken = true
    becomeNew()
    keptStartTokens = keepsStartTokens
  }

  private mutating func becomeNew() {
    life = .neverLaunched
    awaitsTokens = true
    hasYieldedStartToken = false
    keptStartTokens = false
    guard details.isStored else { return }
    details[0].pending = []
    details[0].startBudget = StartBudget()
    details[0].updateBudget = UpdateBudget()
  }

  /// Its first launch has made the tokens.
  mutating func receiveTokens() {
    awaitsTokens = false
    keptStartTokens = false
  }

  mutating func rotateAll(notice: Instant?, startTokens rotatesStarts: Bool = true) {
    appToken.rotate(notice: notice)
    for index in startTokens.indices where rotatesStarts { startTokens[index].rotate(notice: notice) }
    details.store()
    for suffix in TokenKind.services {
      details[0].services[suffix, default: TokenState()].rotate(notice: notice)
    }
  }

  /// Something that its streams yield when it has runtime next.
  mutating func keep(_ happening: Happening) {
    details.store()
    if details[0].pending.count >= Self.pendingAtMost { details[0].pending.removeFirst() }
    details[0].pending.append(happening)
  }

  /// Which of two update budgets it has.
  func level(_ profile: AppProfile) -> BudgetLevel {
    BudgetLevel(isDeclared: profile.traits.frequentUpdates, isAllowed: allowances.contains(.frequentUpdates))
  }
}
