import APNs
import Timeline

/// An app on a device: its tokens and its Live Activities.
package struct Install: Hashable, Sendable {
  package enum Presence: Hashable, Sendable {
    case installed
    /// Deleted; a reboot in between is what iOS 17.2 to 17.6 wants before a push-to-start token is to be had.
    case removed(rebooted: Bool)
  }

  /// Activities kept in mind per install: the limit per app is five or so, the rest are memories.
  private static let activitiesRemembered = 32

  package private(set) var presence = Presence.installed
  package private(set) var hasFreshStartToken = false
  package var appToken = TokenState()
  package private(set) var services: [TopicSuffix: TokenState] = [:]
  package private(set) var startTokens: [TokenState]
  package internal(set) var activities: [LiveActivity] = []
  private var nextActivity: UInt32 = 0

  /// An install as the world finds it: activities of the first type running since it began.
  package init(_ profile: AppProfile, _ habits: Habits, worldBegan: Instant) {
    startTokens = Array(repeating: TokenState(), count: profile.attributesTypes.count)
    for _ in 0..<(profile.attributesTypes.isEmpty ? 0 : profile.runningActivities) {
      start(type: 0, origin: .fleet, habits, at: worldBegan)
    }
  }

  package var isInstalled: Bool { presence == .installed }

  /// Whether the app has a push-to-start token on that version of iOS.
  package func hasStartToken(_ os: OSVersion) -> Bool {
    switch os.pushToStart {
    case .never: false
    case .freshInstallAfterReboot: hasFreshStartToken
    case .onLaunch: true
    }
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
    case .service(let suffix): return change(&services[suffix, default: TokenState()])
    case .pushToStart(let type):
      guard startTokens.indices.contains(type) else { return nil }
      return change(&startTokens[type])
    case .update(let number):
      guard let index = index(of: number) else { return nil }
      return change(&activities[index].token)
    }
  }

  package func activity(_ number: UInt32) -> LiveActivity? { index(of: number).map { activities[$0] } }

  /// Whether an activity of that number has run here, remembered or not.
  package func hasRun(_ number: UInt32) -> Bool { number < nextActivity }

  /// No more activities can be started: all that are kept in mind are running.
  package var isFull: Bool {
    activities.count >= Self.activitiesRemembered && activities.allSatisfy { $0.endedAt == nil }
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
    activities.append(activity)
    return activity
  }

  /// Ends an activity that has not been ended, be it at the last instant of its life.
  ///
  /// - Returns: false when there is no such activity, or it has ended.
  package mutating func end(_ number: UInt32, _ habits: Habits, isOnline: Bool, at now: Instant) -> Bool {
    guard let index = index(of: number), activities[index].endedAt == nil, now <= activities[index].expiry
    else { return false }
    activities[index].end(habits, isOnline: isOnline, at: now)
    return true
  }

  mutating func changeActivity(_ number: UInt32, _ change: (inout LiveActivity) -> Void) {
    if let index = index(of: number) { change(&activities[index]) }
  }

  /// The user swipes a card away.
  ///
  /// - Returns: whether the activity was running until then; nil when there is no card.
  package mutating func swipe(_ number: UInt32, _ habits: Habits, isOnline: Bool, at now: Instant) -> Bool? {
    guard let index = index(of: number), activities[index].state(habits, at: now) != .dismissed else { return nil }
    let wasRunning = !activities[index].isOver(at: now)
    activities[index].swipe(habits, isOnline: isOnline, at: now)
    return wasRunning
  }

  /// The phone can speak to APNs again.
  package mutating func reconnect(_ habits: Habits, at now: Instant) {
    for index in activities.indices { activities[index].tellAPNs(habits, at: now) }
  }

  /// The app is deleted: its cards vanish and its tokens are dead, which APNs learns from the pushes that follow.
  package mutating func remove(_ habits: Habits, isOnline: Bool, at now: Instant) {
    presence = .removed(rebooted: false)
    hasFreshStartToken = false
    for index in activities.indices { activities[index].swipe(habits, isOnline: isOnline, at: now) }
    rotateAll(notice: nil)
  }

  package mutating func reboot() {
    if case .removed = presence { presence = .removed(rebooted: true) }
  }

  package mutating func reinstall(at now: Instant) {
    if case .removed(let rebooted) = presence { hasFreshStartToken = rebooted }
    presence = .installed
    appToken.forget(at: now)
    for index in startTokens.indices { startTokens[index].forget(at: now) }
    // Each is changed by itself, so the order of the dictionary cannot show.
    for suffix in services.keys { services[suffix]?.forget(at: now) }
  }

  private mutating func rotateAll(notice: Instant?) {
    appToken.rotate(notice: notice)
    for index in startTokens.indices { startTokens[index].rotate(notice: notice) }
    for suffix in TokenKind.services { services[suffix, default: TokenState()].rotate(notice: notice) }
  }

  /// Activities are kept in the order of their numbers, mostly without a gap.
  func index(of number: UInt32) -> Int? {
    guard let first = activities.first?.number, number >= first else { return nil }
    let guess = Int(number - first)
    if guess < activities.count, activities[guess].number == number { return guess }
    return activities.firstIndex { $0.number == number }
  }
}
