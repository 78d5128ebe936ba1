import APNs
import Timeline

extension Install {
  /// State of an app that few phones need, or only for a short time.
  struct Details: DefaultInitializable, Hashable, Sendable {
    /// Time of the force-quit, until the person opens the app or reboots the phone. It is separate from the state of
    /// its process: a call starts the app without clearing it.
    @OneWordInstant fileprivate(set) var forceQuitAt: Instant?
    /// The time at which the phone next checks a deferred background push.
    @OneWordInstant fileprivate var wakePlanned: Instant?
    /// Number of background pushes received, repeats included; each draw uses the next number.
    fileprivate var wakeDraws: UInt64 = 0
    /// The push whose alert has been shown, which was its fate, while its background work is still deferred.
    fileprivate var shownPush: UInt64?
    /// Priority 10 updates since the last Allow question.
    fileprivate var urgentUpdates: UInt32 = 0
    fileprivate(set) var startBudget = StartBudget()
    /// The budget of all its activities, if the plan shares one.
    fileprivate(set) var updateBudget = UpdateBudget()
    fileprivate(set) var notifications = NotificationList()
    fileprivate var wakes = BackgroundWakes()
    fileprivate var calls = VoIPCallReports()
    /// Events for the app's streams, delivered when it next has runtime, oldest first.
    fileprivate var pending: [DeviceEvent] = []
    fileprivate(set) var services: [TopicSuffix: TokenState] = [:]
  }

  /// Maximum number of pending events for an app without runtime; older events are lost.
  private static let pendingAtMost = 64

  var forceQuitAt: Instant? { details.isStored ? details[0].forceQuitAt : nil }
  var startBudget: StartBudget { details.isStored ? details[0].startBudget : StartBudget() }
  var updateBudget: UpdateBudget { details.isStored ? details[0].updateBudget : UpdateBudget() }
  package var notifications: NotificationList { details.isStored ? details[0].notifications : NotificationList() }
  /// Memory charged for the notifications, in bytes.
  var notificationMemory: Int { details.isStored ? details[0].notifications.memory : 0 }
  package var services: [TopicSuffix: TokenState] { details.isStored ? details[0].services : [:] }

  // MARK: - Force-quit

  mutating func noteForceQuit(at now: Instant) {
    details.store()
    details[0].forceQuitAt = now
  }

  mutating func forgetForceQuit() {
    if details.isStored { details[0].forceQuitAt = nil }
  }

  // MARK: - Stream events

  /// Keeps an event until the app next has runtime.
  mutating func keep(_ deviceEvent: DeviceEvent) {
    details.store()
    if details[0].pending.count >= Self.pendingAtMost { details[0].pending.removeFirst() }
    details[0].pending.append(deviceEvent)
  }

  /// The app has runtime: returns the events kept for it.
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

  /// The person has opened it, which may refill its start budget.
  mutating func refillStarts(_ plan: StartBudgetPlan, at now: Instant) {
    if details.isStored { _ = details[0].startBudget.foreground(plan, at: now) }
  }

  /// An update of one of its activities has arrived: charges the budget of that activity or of the app.
  mutating func charge(
    _ priority: Priority, to index: Int, level: BudgetLevel, in condition: DeviceCondition, plan: UpdateBudgetPlan,
    at now: Instant
  ) -> UpdateBudget.Charge {
    guard plan.scope == .app else {
      return changeActivity(index) { $0.charge(priority, level: level, in: condition, plan: plan, at: now) }
    }
    details.store()
    return details[0].updateBudget.charge(priority, level: level, in: condition, plan: plan, at: now)
  }

  mutating func chargeEnd(
    to index: Int, level: BudgetLevel, in condition: DeviceCondition, plan: UpdateBudgetPlan, at now: Instant
  ) -> UpdateBudget.Charge {
    guard plan.scope == .app else {
      return changeActivity(index) { $0.chargeEnd(level: level, in: condition, plan: plan, at: now) }
    }
    details.store()
    return details[0].updateBudget.chargeEnd(level: level, in: condition, plan: plan, at: now)
  }

  /// Counts a priority 10 update of a running activity.
  ///
  /// - Returns: whether this update brings the Allow question back: the number is reached, and no card shows the
  ///   question now.
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
    _ payload: NotificationPayload, body: ArraySlice<UInt8>, collapseID: String?, in here: NotificationContext,
    at now: Instant
  ) -> Presentation {
    details.store()
    return details[0].notifications.receive(payload, body: body, collapseID: collapseID, in: here, at: now)
  }

  /// The person taps a notification: the newest, or the one of that number.
  ///
  /// - Returns: the notification's number; nil if it is not in the list.
  mutating func tapNotification(_ number: UInt32?) -> UInt32? {
    guard details.isStored, let number = number ?? details[0].notifications.shown.first?.number,
      details[0].notifications.tap(number) != nil
    else { return nil }
    return number
  }

  /// Removes all notifications; false if the list was empty.
  mutating func clearNotifications() -> Bool { details.isStored && details[0].notifications.clear() > 0 }

  /// Forgets the tapped notification after the app has read it.
  mutating func forgetTappedNotification() {
    if details.isStored { details[0].notifications.forgetTapped() }
  }

  /// Arrival of the oldest notification in the list; nil if the list is empty.
  var oldestNotification: Instant? { details.isStored ? details[0].notifications.shown.last?.at : nil }

  /// Removes the oldest notification because the phone needs the memory.
  mutating func forgetOldestNotification() -> ShownNotification? {
    details.isStored ? details[0].notifications.forgetOldest() : nil
  }

  // MARK: - Background pushes and calls

  /// A background push arrives, or is tried again.
  mutating func receiveBackground(
    _ push: UInt64, until expires: Instant, in here: BackgroundContext, plan: BackgroundWakePlan,
    draw: WakeDraw, at now: Instant
  ) -> BackgroundWakes.Arrival {
    details.store()
    return details[0].wakes.receive(push, until: expires, in: here, plan: plan, draw: draw, at: now)
  }

  /// The draw for the next background push.
  mutating func drawWake(_ chance: Chance, subject: UInt64) -> WakeDraw {
    details.store()
    details[0].wakeDraws &+= 1
    return WakeDraw(chance, subject: subject, count: details[0].wakeDraws)
  }

  /// The deferred background push.
  var heldBackground: (number: UInt64, expires: Instant)? {
    guard details.isStored, let push = details[0].wakes.heldPush, let expires = details[0].wakes.heldUntil else {
      return nil
    }
    return (push, expires)
  }

  /// Plans the next check of deferred background pushes. False if an earlier one is planned.
  mutating func planWake(at due: Instant) -> Bool {
    details.store()
    guard details[0].wakePlanned.map({ due < $0 }) ?? true else { return false }
    details[0].wakePlanned = due
    return true
  }

  /// Due time of the deferred background push. Nil if no push is deferred, or if the push waits until Low Power Mode or
  /// Background App Refresh changes.
  var backgroundDue: Instant? { details.isStored ? details[0].wakes.nextDue : nil }

  /// The background push that is due.
  mutating func takeDueBackground(at now: Instant) -> (push: UInt64, expires: Instant)? {
    forgetPlannedWake(at: now)
    guard let held = heldBackground else { return nil }
    return details[0].wakes.takeDue(by: now).map { ($0, held.expires) }
  }

  mutating func forgetPlannedWake(at now: Instant) {
    if details.isStored, details[0].wakePlanned == now { details[0].wakePlanned = nil }
  }

  /// The deferred push is due when the phone is connected.
  mutating func hurryBackground(at now: Instant) {
    if details.isStored { details[0].wakes.hurry(at: now) }
  }

  /// Power or a switch has changed: checks deferred pushes again.
  mutating func reconsiderBackground(at now: Instant) {
    if details.isStored { details[0].wakes.conditionsChanged(at: now) }
  }

  /// False if it is no longer deferred.
  mutating func expireBackground(_ push: UInt64) -> Bool { details.isStored && details[0].wakes.expire(push) }

  /// The deferred push, which launching the app delivers.
  mutating func launchBackground() -> UInt64? { details.isStored ? details[0].wakes.launch() : nil }

  /// The deferred push, which is lost with the app.
  mutating func discardBackground() -> UInt64? { details.isStored ? details[0].wakes.forceQuit() : nil }

  /// The notification of a push has been shown, which is its fate; its background work may still be deferred.
  mutating func noteShown(_ push: UInt64) {
    details.store()
    details[0].shownPush = push
  }

  func hasShown(_ push: UInt64) -> Bool { details.isStored && details[0].shownPush == push }

  mutating func countCall(_ reporting: CallReporting, _ plan: VoIPCallPlan, at now: Instant) -> VoIPCallReports.Outcome
  {
    details.store()
    return details[0].calls.receive(reporting: reporting, AppProcess(life), plan, at: now)
  }
}

extension Install.Details {
  /// The app is deleted with all its data on the phone.
  mutating func remove() {
    pending = []
    notifications = NotificationList()
    wakes = BackgroundWakes()
    calls = VoIPCallReports()
  }

  /// The app is newly installed; old debts are cleared.
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
    // Each is changed independently, so the order of the dictionary does not matter.
    for suffix in services.keys { services[suffix]?.forget(at: now) }
  }
}
