import APNs
import Timeline

/// An app on a phone: its process, its tokens and its Live Activities. Only its methods change it.
package struct Install: Hashable, Sendable {
  package enum Presence: Hashable, Sendable {
    case installed
    /// Deleted. On iOS 17.2 to 17.6, a reboot is needed before reinstalling to get a push-to-start token.
    case removed(rebooted: Bool)
  }

  /// State of the tokens of this installation.
  private enum TokenIssue: Hashable, Sendable {
    case made
    /// The first launch issues them: all, or all except the push-to-start tokens, which are kept from before.
    case awaited(keepsStartTokens: Bool)
  }

  /// Permissions that the person gives an app.
  package struct Allowances: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let liveActivities = Allowances(rawValue: 1)
    package static let frequentUpdates = Allowances(rawValue: 2)
    package static let backgroundRefresh = Allowances(rawValue: 4)
  }

  /// Boolean properties, one bit each.
  private struct Flags: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let hasAllowedStarts = Flags(rawValue: 1)
    static let isUpdated = Flags(rawValue: 2)
    static let hasFreshStartToken = Flags(rawValue: 4)
    static let hasYieldedStartToken = Flags(rawValue: 8)
  }

  /// Activities remembered per install.
  package static let activitiesRemembered = ActivityList.most

  // Fields are ordered to avoid padding: a fleet has one install for every app of every touched phone.
  package private(set) var appToken = TokenState()
  package private(set) var presence = Presence.installed
  package private(set) var allowances: Allowances = [.liveActivities, .frequentUpdates, .backgroundRefresh]
  private(set) var process: Process
  package private(set) var list = ActivityList()
  package private(set) var permission = NotificationPermission.authorized
  private var tokenIssue: TokenIssue
  private var flags: Flags = []
  package private(set) var startTokens: [TokenState]
  /// State that few apps need: see `Install+Details.swift`.
  var details: OutOfLine<Details> = []

  /// An install when the world begins, with running activities of the first type.
  package init(_ profile: AppProfile, _ policy: DevicePolicy, worldBegan: Instant) {
    startTokens = Array(repeating: TokenState(), count: profile.attributesTypes.count)
    process = Process(profile.traits.observing)
    tokenIssue = profile.traits.pushCapability ? .made : .awaited(keepsStartTokens: false)
    for _ in 0..<(profile.attributesTypes.isEmpty ? 0 : profile.runningActivities) {
      start(type: 0, origin: .fleet, policy, at: worldBegan)
    }
    if !profile.traits.pushCapability { list.changeAll { $0.listen(to: .none) } }
  }

  package var isInstalled: Bool { presence == .installed }
  /// True if it has tokens at all: not if the app was removed (they are dead) or never opened (not yet issued).
  package var hasTokens: Bool { presence == .installed && tokenIssue == .made }
  /// True if only its push-to-start tokens exist, kept from before; the others are yet to be issued.
  var keptStartTokens: Bool { tokenIssue == .awaited(keepsStartTokens: true) }
  /// True if the person has ever allowed a Live Activity that a push started.
  package var hasAllowedStarts: Bool { flags.contains(.hasAllowedStarts) }
  /// True if the installed version is the next one.
  package var isUpdated: Bool { flags.contains(.isUpdated) }
  /// True if it was reinstalled after a reboot, which gives it a push-to-start token on iOS 17.2 to 17.6.
  package var hasFreshStartToken: Bool { flags.contains(.hasFreshStartToken) }

  // MARK: - Permissions

  /// Sets the person's answers, as drawn. An activity that runs from the beginning was allowed once.
  mutating func settle(_ allowances: Allowances, _ permission: NotificationPermission, isForceQuit: Bool) {
    self.allowances = allowances
    self.permission = permission
    flags.set(.hasAllowedStarts, !activities.isEmpty)
    if isForceQuit { process.stop(.forceQuit) }
  }

  mutating func allow(_ what: Allowances, _ on: Bool) { allowances.set(what, on) }
  mutating func permit(_ permission: NotificationPermission) { self.permission = permission }

  /// The person answers the Allow question of an activity.
  mutating func answer(_ index: Int, allowed: Bool, at now: Instant) -> LiveActivity.Answer {
    let answer = list.change(index) { $0.answer(allowed: allowed, at: now) }
    switch answer {
    case .begins: flags.insert(.hasAllowedStarts)
    case .goesOn: forgetUrgent()
    case .notAsked, .denied: break
    }
    return answer
  }

  // MARK: - Its tokens

  /// Changes the state of a slot's token; nil if the slot does not exist.
  package mutating func change<Result>(_ slot: TokenSlot, _ change: (inout TokenState) -> Result) -> Result? {
    switch slot {
    case .app: return change(&appToken)
    case .service(let suffix):
      details.store()
      return details[0].change(suffix, change)
    case .pushToStart(let type):
      guard startTokens.indices.contains(type) else { return nil }
      return change(&startTokens[type])
    case .update(let number):
      guard let index = index(of: number) else { return nil }
      return list.change(index) { $0.changeToken(change) }
    }
  }

  /// Counts one request to a token; false if it exceeds the rate limit.
  mutating func admit(_ slot: TokenSlot, _ limit: RequestRate, at now: Instant) -> Bool {
    switch slot {
    case .app: return appToken.admit(limit, at: now)
    case .update(let number):
      guard let index = index(of: number) else { return true }
      return list.change(index) { $0.admit(limit, at: now) }
    case .service, .pushToStart: return change(slot) { $0.admit(limit, at: now) } ?? true
    }
  }

  /// The first launch issued the tokens.
  mutating func receiveTokens() { tokenIssue = .made }

  /// Reinstalled: it has its earlier push-to-start tokens again.
  mutating func takeBackStartTokens() {
    for index in startTokens.indices { startTokens[index].takeBack() }
    tokenIssue = .awaited(keepsStartTokens: true)
  }

  /// On iOS 17 the stream yields once. False if it has already.
  mutating func yieldStartTokenOnce() -> Bool { flags.insert(.hasYieldedStartToken).inserted }

  private mutating func rotateAll(startTokens rotatesStarts: Bool = true) {
    appToken.rotate(notice: nil)
    for index in startTokens.indices where rotatesStarts { startTokens[index].rotate(notice: nil) }
    details.store()
    details[0].rotateServices(notice: nil)
  }

  // MARK: - Activities

  package var activities: [LiveActivity] { list.all }
  /// True if an activity of that number has run here, remembered or not.
  package func hasRun(_ number: UInt32) -> Bool { list.hasRun(number) }
  /// True if no more activities can be started: all remembered activities are running.
  package var isFull: Bool { list.isFull }

  package func activity(_ number: UInt32) -> LiveActivity? { index(of: number).map { activities[$0] } }
  func index(of number: UInt32) -> Int? { list.index(of: number) }
  /// Number of activities that count towards the limits.
  func counted(_ policy: DevicePolicy, at now: Instant) -> Int { list.counted(policy, at: now) }
  /// The running activity of the least relevance; among equals, the one started last.
  func leastRelevantActivity(at now: Instant) -> Int? { list.leastRelevant(at: now) }
  /// The activity whose content is the oldest of those that are over; with `isGone`, of those without a card.
  func oldestContent(isGone: Bool, _ policy: DevicePolicy, at now: Instant) -> Int? {
    list.oldestContent(isGone: isGone, policy, at: now)
  }

  /// Starts an activity, the last of its activities then.
  @discardableResult
  package mutating func start(
    type: Int, origin: LiveActivity.Origin, _ policy: DevicePolicy, at now: Instant
  ) -> LiveActivity {
    _ = list.forgetEnded()
    list.start(type: type, origin: origin, policy, at: now)
    return activities[activities.count - 1]
  }

  /// Forgets an activity if there is no room for another.
  ///
  /// - Returns: the memory that it used, in bytes.
  mutating func forgetEndedActivity() -> Int { Int(list.forgetEnded()) }

  /// Changes an activity in place.
  @discardableResult
  @inline(__always)
  mutating func changeActivity<Result>(_ index: Int, _ change: (inout LiveActivity) -> Result) -> Result {
    list.change(index, change)
  }

  /// The phone can reach APNs again.
  mutating func reconnect(_ policy: DevicePolicy, at now: Instant) {
    list.changeAll { $0.reportToAPNs(policy, at: now) }
  }

  // MARK: - Its process

  /// A push or a token gives it runtime in the background.
  mutating func wake(until end: Instant) -> Process.Waking {
    guard isInstalled else { return .refused }
    return process.wake(until: end)
  }

  /// A new process starts.
  mutating func launch(_ observing: AppTraits.Observing, _ launch: Launch) { process.launch(observing, launch) }
  mutating func observeActivities() { process.observeActivities() }
  /// False if it does so already.
  mutating func listenToStartTokens() -> Bool { process.listenToStartTokens() }

  mutating func open() -> Process.Opening {
    forgetForceQuit()
    return process.open()
  }

  mutating func leave(until end: Instant, keepsTask: Bool) -> Bool { process.leave(until: end, keepsTask: keepsTask) }
  mutating func endRuntime(at due: Instant) -> Bool { process.endRuntime(at: due) }
  mutating func terminate() { process.stop(.terminated) }
  mutating func crash() { process.stop(.crashed) }

  /// - Parameter leaks: whether its running activities count towards the limits until a reboot.
  mutating func forceQuit(leaks: Bool, at now: Instant) {
    process.stop(.forceQuit)
    noteForceQuit(at: now)
    guard leaks else { return }
    list.changeAll { $0.leak(at: now) }
  }

  /// A VoIP push. Documented: it launches the app whatever it is doing.
  mutating func receiveCall(_ reporting: CallReporting, _ plan: VoIPCallPlan, at now: Instant)
    -> VoIPCallReports.Outcome
  {
    let outcome = countCall(reporting, plan, at: now)
    if case .rang = outcome { process.ring() }
    return outcome
  }

  /// The person touches a card or a notification. Assumed: this launches even a force-quit app, as a call does.
  mutating func touch() { process.ring() }

  // MARK: - Installing and removing

  /// The next version is installed over it.
  mutating func update() {
    flags.insert(.isUpdated)
    process.update()
  }

  /// The app is deleted: its cards disappear and its tokens are dead. APNs learns that from later pushes.
  package mutating func remove(_ policy: DevicePolicy, isOnline: Bool, at now: Instant) {
    presence = .removed(rebooted: false)
    process.stop(.terminated)
    flags.remove(.hasFreshStartToken)
    list.changeAll { $0.dismiss(policy, isOnline: isOnline, at: now) }
    if details.isStored { details[0].remove() }
    rotateAll()
  }

  package mutating func reboot() {
    list.changeAll { $0.stopLeaking() }
    forgetForceQuit()
    if isInstalled { process.reboot() } else { presence = .removed(rebooted: true) }
  }

  /// Installed but not opened yet: it has no tokens.
  package mutating func reinstall(at now: Instant) {
    if case .removed(let rebooted) = presence { flags.set(.hasFreshStartToken, rebooted) }
    presence = .installed
    becomeNew(keepsStartTokens: false)
    appToken.forget(at: now)
    for index in startTokens.indices { startTokens[index].forget(at: now) }
    if details.isStored { details[0].forgetServices(at: now) }
  }

  /// Restored from a backup to a new phone: every token changes unless the policy keeps it.
  mutating func restore(_ policy: DevicePolicy, isOnline: Bool, keepsStartTokens: Bool, at now: Instant) {
    list.changeAll { activity in
      if activity.isOver(at: now) || !policy.activitiesSurviveRestore {
        activity.dismiss(policy, isOnline: isOnline, at: now)
      } else {
        activity.rotateToken(notice: now.advanced(by: policy.updateTokenGrace))
      }
    }
    rotateAll(startTokens: !keepsStartTokens)
    flags.insert(.hasFreshStartToken)
    becomeNew(keepsStartTokens: keepsStartTokens)
  }

  private mutating func becomeNew(keepsStartTokens: Bool) {
    process.install()
    tokenIssue = .awaited(keepsStartTokens: keepsStartTokens)
    flags.remove(.hasYieldedStartToken)
    if details.isStored { details[0].becomeNew() }
  }
}
