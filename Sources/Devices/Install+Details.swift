import APNs
import Timeline

extension Install {
  /// What an app has on few phones, or for a short time only.
  struct Details: DefaultInitializable, Hashable, Sendable {
    /// When the person force-quit it, until they open it or reboot the phone. This is no part of the state of its
    /// process: a call starts the app and does not clear it.
    @OneWordInstant fileprivate(set) var forceQuitAt: Instant?
    /// When the phone looks next at a background push it holds.
    @OneWordInstant fileprivate var wakePlanned: Instant?
    /// Background pushes that have come or come again; each draw takes the next.
    fileprivate var wakeDraws: UInt64 = 0
    /// The push whose work was held last and whose notification has been shown, which was its fate.
    fileprivate var shownPush: UInt64?
    /// Updates of priority 10 since the last question under a card.
    fileprivate var urgentUpdates: UInt32 = 0
    fileprivate(set) var startBudget = StartBudget()
    /// Of all its activities, where that is the plan.
    fileprivate(set) var updateBudget = UpdateBudget()
    fileprivate(set) var notifications = NotificationList()
    fileprivate var wakes = BackgroundWakes()
    fileprivate var calls = VoIPCallReports()
    /// What its streams yield as soon as it has runtime, the oldest first.
    fileprivate var pending: [DeviceEvent] = []
    fileprivate(set) var services: [TopicSuffix: TokenState] = [:]
  }

  /// What an app without runtime is told later; older news is lost on it.
  private static let pendingAtMost = 64

  var forceQuitAt: Instant? { details.isStored ? details[0].forceQuitAt : nil }
  var startBudget: StartBudget { details.isStored ? details[0].startBudget : StartBudget() }
  var updateBudget: UpdateBudget { details.isStored ? details[0].updateBudget : UpdateBudget() }
  package var notifications: NotificationList { details.isStored ? details[0].notifications : NotificationList() }
  package var services: [TopicSuffix: TokenState] { details.isStored ? details[0].services : [:] }

  // MARK: - Force-quit

  mutating func noteForceQuit(at now: Instant) {
    details.store()
    details[0].forceQuitAt = now
  }

  mutating func forgetForceQuit() {
    if details.isStored { details[0].forceQuitAt = nil }
  }

  // MARK: - What its streams yield

  /// Something that its streams yield when it has runtime next.
  mutating func keep(_ deviceEvent: DeviceEvent) {
    details.store()
    if details[0].pending.count >= Self.pendingAtMost { details[0].pending.removeFirst() }
    details[0].pending.append(deviceEvent)
  }

  /// It has runtime: what was kept for it.
  mutating func takePending() -> [DeviceEvent] {
    guard details.isStored, !details[0].pending.isEmpty else { return [] }
    defer { details[0].pending = [] }
    return details[0].pending
  }

  // MARK: - Budgets

  mutating func chargeStart(
    _ condition: DeviceCondition, _ plan: StartBudgetPlan, at now: Instant
  ) -> StartBudget.Charge {
    details.store()
    return details[0].startBudget.charge(condition, plan, at: now)
  }

  /// The person has opened it, which may refill its budget of starts.
  mutating func refillStarts(_ plan: StartBudgetPlan, at now: Instant) {
    if details.isStored { _ = details[0].startBudget.foreground(plan, at: now) }
  }

  /// An update of one of its activities has arrived: the budget is that activity's or the app's.
  mutating func charge(
    _ priority: Priority, to index: Int, _ level: BudgetLevel, _ condition: DeviceCondition, _ plan: UpdateBudgetPlan,
    at now: Instant
  ) -> UpdateBudget.Charge {
    guard plan.scope == .app else {
      return activities[index].charge(priority, level, condition, plan, at: now)
    }
    details.store()
    return details[0].updateBudget.charge(priority, level, condition, plan, at: now)
  }

  mutating func chargeEnd(
    to index: Int, _ level: BudgetLevel, _ condition: DeviceCondition, _ plan: UpdateBudgetPlan, at now: Instant
  ) -> UpdateBudget.Charge {
    guard plan.scope == .app else { return activities[index].chargeEnd(level, condition, plan, at: now) }
    details.store()
    return details[0].updateBudget.chargeEnd(level, condition, plan, at: now)
  }

  /// Counts an update of priority 10 for one that runs.
  ///
  /// - Returns: whether that is as many as bring the question back, while it is under no card.
  mutating func countUrgent(asksAgainAfter most: UInt32, at now: Instant) -> Bool {
    details.store()
    details[0].urgentUpdates &+= 1
    guard details[0].urgentUpdates >= most,
      !activities.contains(where: { $0.phase.isAskedAgain && !$0.isOver(at: now) })
    else { return false }
    details[0].urgentUpdates = 0
    return true
  }

  mutating func forgetUrgent() {
    if details.isStored { details[0].urgentUpdates = 0 }
  }

  // MARK: - Notifications

  mutating func receiveNotification(
    _ payload: NotificationPayload, _ body: ArraySlice<UInt8>, collapseID: String?, _ here: NotificationContext,
    at now: Instant
  ) -> Presentation {
    details.store()
    return details[0].notifications.receive(payload, body, collapseID: collapseID, here, at: now)
  }

  /// The person taps one, the newest unless its number is given.
  ///
  /// - Returns: its number; nil when there is none.
  mutating func tapNotification(_ number: UInt32?) -> UInt32? {
    guard details.isStored, let number = number ?? details[0].notifications.shown.first?.number,
      details[0].notifications.tap(number) != nil
    else { return nil }
    return number
  }

  /// False when there are none.
  mutating func clearNotifications() -> Bool { details.isStored && details[0].notifications.clear() > 0 }

  /// The app has been told which notification was tapped.
  package mutating func forgetTappedNotification() {
    if details.isStored { details[0].notifications.forgetTapped() }
  }

  /// The phone needs the room.
  mutating func forgetOldestNotification() -> ShownNotification? {
    details.isStored ? details[0].notifications.forgetOldest() : nil
  }

  // MARK: - Background pushes and calls

  /// A background push arrives, or comes again.
  mutating func receiveBackground(
    _ push: UInt64, _ here: BackgroundContext, _ plan: BackgroundWakePlan, _ chance: Chance, subject: UInt64,
    at now: Instant
  ) -> BackgroundWakes.Arrival {
    details.store()
    details[0].wakeDraws &+= 1
    let draw = WakeDraw(chance, subject: subject, count: details[0].wakeDraws)
    return details[0].wakes.receive(push, here, plan, draw, at: now)
  }

  /// The phone is to look at what it holds then. False when it looks no later anyway.
  mutating func planWake(at due: Instant) -> Bool {
    details.store()
    guard details[0].wakePlanned.map({ due < $0 }) ?? true else { return false }
    details[0].wakePlanned = due
    return true
  }

  /// The background push whose time has come.
  mutating func takeDueBackground(at now: Instant) -> UInt64? {
    guard details.isStored else { return nil }
    if details[0].wakePlanned == now { details[0].wakePlanned = nil }
    return details[0].wakes.takeDue(by: now)
  }

  /// Power or a switch has changed.
  mutating func reconsiderBackground(at now: Instant) {
    if details.isStored { details[0].wakes.conditionsChanged(at: now) }
  }

  /// False when it is not held any more.
  mutating func expireBackground(_ push: UInt64) -> Bool { details.isStored && details[0].wakes.expire(push) }

  /// The push that launching the app delivers.
  mutating func launchBackground() -> UInt64? { details.isStored ? details[0].wakes.launch() : nil }

  /// The push that is lost with the app.
  mutating func discardBackground() -> UInt64? { details.isStored ? details[0].wakes.forceQuit() : nil }

  /// The notification of a push has been shown, which is its fate; its work may be held yet.
  mutating func noteShown(_ push: UInt64) {
    details.store()
    details[0].shownPush = push
  }

  func hasShown(_ push: UInt64) -> Bool { details.isStored && details[0].shownPush == push }

  mutating func countCall(reportsCall: Bool, _ plan: VoIPCallPlan, at now: Instant) -> VoIPCallReports.Outcome {
    details.store()
    return details[0].calls.receive(reportsCall: reportsCall, AppProcess(life), plan, at: now)
  }
}

extension Install.Details {
  /// The app is deleted, and all of it that the person had.
  mutating func remove() {
    pending = []
    notifications = NotificationList()
    wakes = BackgroundWakes()
    calls = VoIPCallReports()
  }

  /// The app is new to the phone, and owes nothing.
  mutating func becomeNew() {
    pending = []
    startBudget = StartBudget()
    updateBudget = UpdateBudget()
  }

  mutating func change<Result>(_ service: TopicSuffix, _ change: (inout TokenState) -> Result) -> Result {
    change(&services[service, default: TokenState()])
  }

  mutating func rotateServices(notice: Instant?) {
    for suffix in TokenKind.services { services[suffix, default: TokenState()].rotate(notice: notice) }
  }

  mutating func forgetServices(at now: Instant) {
    // Each is changed by itself, so the order of the dictionary cannot show.
    for suffix in services.keys { services[suffix]?.forget(at: now) }
  }
}
