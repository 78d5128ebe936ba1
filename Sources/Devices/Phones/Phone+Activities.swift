import APNs
import Timeline
import WireFormats

/// Changes of Live Activities other than by push: by their app, their owner and the system.
extension Phone {
  /// Documented: attributes and content state are at most 4,096 bytes together.
  private static let mostContent = 4096

  // MARK: - The app

  /// `Activity.request`.
  package mutating func request(
    _ order: ActivityStartRequest, app: Int, _ turn: inout PhoneTurn
  ) -> Result<UInt32, AuthorizationError> {
    let size = order.attributes?.size(upTo: Self.mostContent) ?? 0
    // A date in the past means now.
    let begins = order.begins.flatMap { $0 > turn.now ? $0 : nil }
    if let error = refusal(of: order, app: app, attributesSize: size, turn.behavior, at: turn.now) {
      let isOfChannel = order.isChannelUnknown && error == .persistenceFailure
      turn.emit(.activityRefused(error, isChannelUnknown: isOfChannel), app: app)
      return .failure(error)
    }
    let traits = turn.behavior.apps[app].traits
    let start = begins ?? turn.now
    let place = startActivity(app, type: order.type, origin: .command, turn.behavior.policy, at: start)
    let number = self[place].number
    let updates = traits.pushCapability ? order.updates : .none
    let isStuck = isStuck(number, app: app, turn.behavior)
    change(place) { activity in
      activity.begin(order, attributesSize: size, updates)
      if isStuck { activity.stick() }
    }
    evictExcessContent(&turn)
    // An app that starts an activity has installed its observers by then.
    if traits.observing.activityUpdates { installs[app].observeActivities() }
    if let begins {
      change(place) { $0.schedule() }
      turn.emit(.activityScheduled(number), app: app)
      turn.plan(.activityBegins(app: app, number), due: begins)
    } else {
      turn.countDrawing()
      turn.emit(.activityStarted(number, .command), app: app)
      emit(.activityYielded(number), to: app, &turn)
    }
    turn.plan(.activityRunsOut(app: app, number), due: start.advanced(by: turn.behavior.policy.activityLife))
    readDates(of: place)
    watchStaleDate(of: place, &turn)
    if updates == .token {
      let wait = turn.behavior.draws.token.duration(
        in: turn.behavior.policy.timing.localToken, subject: subject(app), count: UInt64(number))
      perform(.tokenArrives(app: app, number), after: wait, &turn)
    }
    return .success(number)
  }

  /// The error of a request; one guard per error. Assumed: their order.
  private func refusal(
    of order: ActivityStartRequest, app: Int, attributesSize: Int, _ behavior: PhoneBehavior, at now: Instant
  ) -> AuthorizationError? {
    let policy = behavior.policy
    if let injected = order.injected { return injected }
    guard os >= OSVersion(16, 1) else { return .unsupported }
    if case .channel = order.updates, os < OSVersion(18, 0) { return .unsupported }
    if order.isTransient, os < OSVersion(18, 0) { return .unsupported }
    if order.begins != nil, os < OSVersion(26, 0) || !order.alerts { return .unsupported }
    guard behavior.apps[app].traits.supportsLiveActivities else { return .unentitled }
    guard allowsActivities(app) else { return .denied }
    switch order.scene {
    case .foreground: guard installs[app].life == .foreground else { return .visibility }
    case .background: return .visibility
    case .intent: guard os >= OSVersion(17, 0) else { return .visibility }
    }
    let contentSize = order.content?.size(upTo: Self.mostContent) ?? 0
    guard attributesSize + contentSize <= Self.mostContent else { return .attributesTooLarge }
    guard installs[app].counted(policy, at: now) < policy.activitiesPerApp, !installs[app].isFull else {
      return .targetMaximumExceeded
    }
    guard counted(policy, at: now) < policy.activitiesPerDevice else { return .globalMaximumExceeded }
    // Documented: the start fails. Assumed: with this error.
    return order.isChannelUnknown ? .persistenceFailure : nil
  }

  /// `Activity.update`. False if the activity does not run, or newer content has been applied.
  package mutating func update(
    _ number: UInt32, app: Int, with order: ActivityUpdateRequest, _ turn: inout PhoneTurn
  ) -> Bool {
    guard let place = place(of: number, app), self[place].isRunning(at: turn.now) else { return false }
    if let timestamp = order.timestamp, !self[place].isNewer(timestamp) { return false }
    let size = order.content.size(upTo: Self.mostContent)
    guard self[place].attributesSize + size <= Self.mostContent else { return false }
    let spacing = spacing(turn.behavior)
    change(place) { activity in
      if activity.needsDrawing(at: turn.now) { turn.countDrawing() }
      _ = activity.apply(order, spacing: spacing, at: turn.now)
    }
    readDates(of: place)
    evictExcessContent(&turn)
    watchStaleDate(of: place, &turn)
    emit(.contentYielded(number), to: app, &turn)
    return true
  }

  /// `Activity.end`. False if there is nothing to end.
  package mutating func end(_ number: UInt32, app: Int, with order: ActivityEndRequest, _ turn: inout PhoneTurn) -> Bool
  {
    guard let place = place(of: number, app), !self[place].hasEnded,
      order.cause == .lifeOver || turn.now <= self[place].expiry
    else { return false }
    // Observed: only the person can remove a card with an open question (forum thread 836077).
    if order.cause == .command, self[place].isPrompting { return false }
    if let content = order.content {
      change(place) { activity in
        if activity.needsDrawing(at: turn.now) { turn.countDrawing() }
        activity.conclude(content, at: turn.now)
      }
    }
    end(place, cause: order.cause, dismissing: clock.instant(of: order.dismissing), &turn)
    evictExcessContent(&turn)
    return true
  }

  mutating func end(_ place: ActivityIndex, cause: ActivityEnd, dismissing: Instant?, _ turn: inout PhoneTurn) {
    let isOnline = isOnline
    let (number, dismissal) = change(place) { activity in
      (
        activity.number,
        activity.end(dismissing: dismissing, turn.behavior.policy, isOnline: isOnline, at: turn.now)
      )
    }
    dropDeferred(app: place.app, activity: number, &turn)
    turn.emit(.activityEnded(number, cause), app: place.app)
    emit(.activityStateYielded(number, .ended), to: place.app, &turn)
    planDismissal(app: place.app, activity: number, at: dismissal, &turn)
  }

  /// Removes the card of an ended activity now, or plans its removal.
  private mutating func planDismissal(app: Int, activity number: UInt32, at dismissal: Instant, _ turn: inout PhoneTurn)
  {
    if dismissal <= turn.now {
      recordDismissal(app: app, activity: number, &turn)
    } else {
      turn.plan(.activityDismisses(app: app, number), due: dismissal)
    }
  }

  private mutating func recordDismissal(app: Int, activity number: UInt32, _ turn: inout PhoneTurn) {
    turn.emit(.activityDismissed(number), app: app)
    emit(.activityStateYielded(number, .dismissed), to: app, &turn)
  }

  // MARK: - The person

  /// The person swipes a card away, running or ended. False if there is no card.
  package mutating func swipe(_ number: UInt32, app: Int, cause: ActivityEnd, _ turn: inout PhoneTurn) -> Bool {
    guard let place = place(of: number, app),
      self[place].state(turn.behavior.policy, at: turn.now) != .dismissed
    else { return false }
    let wasRunning = !self[place].isOver(at: turn.now)
    let isOnline = isOnline
    change(place) { $0.dismiss(turn.behavior.policy, isOnline: isOnline, at: turn.now) }
    dropDeferred(app: app, activity: number, &turn)
    if wasRunning { turn.emit(.activityEnded(number, cause), app: app) }
    recordDismissal(app: app, activity: number, &turn)
    return true
  }

  /// Sets the phone's clock: all dates of activities are now reached sooner or later by the difference.
  package mutating func setClock(ahead: Duration, _ turn: inout PhoneTurn) {
    let delay = moveClock(ahead: ahead)
    turn.emit(.clockSet(ahead))
    for app in installs.indices {
      for index in installs[app].activities.indices {
        let place = ActivityIndex(app, index)
        change(place) { $0.moveStaleDate(by: delay) }
        watchStaleDate(of: place, &turn)
        let dismissal = change(place) { $0.moveDismissal(by: delay, turn.behavior.policy, at: turn.now) }
        if let dismissal { planDismissal(app: app, activity: self[place].number, at: dismissal, &turn) }
      }
    }
  }

  /// The person opens the card of an activity by hand.
  package mutating func openCard(_ card: OpenCard, _ turn: inout PhoneTurn) {
    open(card)
    turn.emit(.cardOpened(card.activity), app: card.app)
  }

  /// The person taps the card of an activity, and its app opens.
  package mutating func tapCard(_ card: OpenCard, _ turn: inout PhoneTurn) {
    turn.emit(.cardTapped(card.activity), app: card.app)
    open(card.app, &turn)
  }

  /// The person presses a button of a card, and the app gets runtime in the background.
  ///
  /// Documented: on a locked device, it has no effect until the person unlocks it
  /// (docs/behavior/apps.md#buttons).
  ///
  /// - Parameter button: its place in `AppProfile.buttons`.
  package mutating func pressButton(_ button: UInt16, on card: OpenCard, _ turn: inout PhoneTurn) {
    if isLocked { unlock(&turn) }
    turn.emit(.cardButtonPressed(card.activity, button: button), app: card.app)
    touch(card.app, &turn)
  }

  /// Runs the app for a touch of the person.
  mutating func touch(_ app: Int, _ turn: inout PhoneTurn) {
    installs[app].touch()
    _ = wake(app, launch: .byTouch, until: turn.now.advanced(by: turn.behavior.policy.wakes.runtime), &turn)
  }

  // MARK: - The system

  /// Ends all activities of an app that `isAffected` accepts.
  mutating func endAll(
    app: Int, cause: ActivityEnd, dismissing: Instant? = nil, _ turn: inout PhoneTurn,
    where isAffected: (LiveActivity) -> Bool = { _ in true }
  ) {
    for index in installs[app].activities.indices {
      let place = ActivityIndex(app, index)
      guard !self[place].isOver(at: turn.now), isAffected(self[place]) else { continue }
      end(place, cause: cause, dismissing: dismissing, &turn)
    }
  }

  /// Ends the least relevant activity of the given apps, if the policy says so; among equals, the one started last.
  mutating func evict(from apps: [Int], _ turn: inout PhoneTurn) -> Bool {
    guard turn.behavior.policy.overLimit == .evictLeastRelevant else { return false }
    var least: ActivityIndex?
    for app in apps {
      guard let index = installs[app].leastRelevantActivity(at: turn.now) else { continue }
      let place = ActivityIndex(app, index)
      if let best = least, self[best].relevance < self[place].relevance { continue }
      least = place
    }
    guard let least else { return false }
    end(least, cause: .evicted, dismissing: turn.now, &turn)
    return true
  }

  /// True if the card of an activity is never drawn again, as drawn.
  func isStuck(_ number: UInt32, app: Int, _ behavior: PhoneBehavior) -> Bool {
    behavior.draws.stuck.strikes(behavior.policy.stuckCards, subject: subject(app), count: UInt64(number))
  }

  /// Converts the stale date that an activity got from a payload or its app, because it is a time of the phone's clock.
  mutating func readDates(of place: ActivityIndex) {
    let delay = clock.delay
    if delay != 0 { change(place) { $0.moveStaleDate(by: delay) } }
  }

  /// Plans a check of the stale date; one check is planned at a time.
  mutating func watchStaleDate(of place: ActivityIndex, _ turn: inout PhoneTurn) {
    guard let due = change(place, { $0.watchStaleDate(at: turn.now) }) else { return }
    turn.plan(.activityGoesStale(app: place.app, self[place].number), due: due)
  }

  mutating func goStale(app: Int, activity number: UInt32, _ turn: inout PhoneTurn) {
    guard let place = place(of: number, app) else { return }
    switch change(place, { $0.goStale(at: turn.now) }) {
    case .nothing: break
    case .later(let look): turn.plan(.activityGoesStale(app: app, number), due: look)
    case .stale:
      turn.emit(.activityStale(number), app: app)
      emit(.activityStateYielded(number, .stale), to: app, &turn)
    }
  }

  /// Presents the alert of an activity as far as this phone can.
  ///
  /// - Returns: false if it was quiet, so nobody was alerted.
  mutating func presentAlert(
    of place: ActivityIndex, _ request: HTTPRequest, _ behavior: PhoneBehavior, at now: Instant
  ) -> Bool {
    let isQuiet = condition.contains(.focus) && behavior.policy.focusQuietsActivities
    let presentation: ShownAlert.Presentation =
      if isQuiet || installs[place.app].life == .foreground {
        .quiet
      } else if hasIsland {
        .expanded
      } else {
        isLocked ? .lockScreen : .banner
      }
    let permission = installs[place.app].permission
    let mayNotify = permission == .authorized || permission == .ephemeral
    show(
      ShownAlert(
        app: place.app, activity: self[place].number, presentation: presentation,
        sounds: presentation != .quiet && (mayNotify || behavior.policy.alertSoundsWhenDenied), isOnWatch: hasWatch,
        request: request, at: now))
    return presentation != .quiet
  }
}
