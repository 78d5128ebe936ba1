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
    // A date in the past means turn.now.
    let begins = order.begins.flatMap { $0 > turn.now ? $0 : nil }
    if let error = refusal(of: order, app: app, attributesSize: size, turn.behavior, at: turn.now) {
      let isOfChannel = order.isChannelUnknown && error == .persistenceFailure
      turn.emit(.activityRefused(error, isChannelUnknown: isOfChannel), app: app)
      return .failure(error)
    }
    let number = installs[app].start(
      type: order.type, origin: .command, turn.behavior.policy, at: begins ?? turn.now
    ).number
    guard let index = installs[app].index(of: number) else { return .failure(.persistenceFailure) }
    let updates = turn.behavior.apps[app].traits.pushCapability ? order.updates : .none
    installs[app].activities[index].begin(order, attributesSize: size, updates)
    if turn.behavior.draws.stuck.strikes(turn.behavior.policy.stuckCards, subject(app), UInt64(number)) {
      installs[app].activities[index].stick()
    }
    makeRoom(&turn)
    // An app that starts an activity has installed its observers by then.
    if turn.behavior.apps[app].traits.observing.activityUpdates { installs[app].observeActivities() }
    if let begins {
      installs[app].activities[index].schedule()
      turn.emit(.activityScheduled(number), app: app)
      turn.plan(.activityBegins(app: app, number), due: begins)
    } else {
      turn.countDrawing()
      turn.emit(.activityStarted(number, .command), app: app)
      emit(.activityYielded(number), to: app, &turn)
    }
    let end = (begins ?? turn.now).advanced(by: turn.behavior.policy.activityLife)
    turn.plan(.activityRunsOut(app: app, number), due: end)
    readDates(of: index, app)
    watchStaleDate(app, index, &turn)
    if updates == .token {
      let wait = turn.behavior.draws.token.duration(
        in: turn.behavior.policy.timing.localToken, subject(app), UInt64(number))
      perform(.tokenArrives(app: app, number), after: wait, &turn)
    }
    return .success(number)
  }

  /// One guard per error. Assumed: their order.
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
    _ number: UInt32, app: Int, _ order: ActivityUpdateRequest, _ turn: inout PhoneTurn
  ) -> Bool {
    guard let index = installs[app].index(of: number), installs[app].activities[index].isRunning(at: turn.now) else {
      return false
    }
    if let timestamp = order.timestamp, !installs[app].activities[index].isNewer(timestamp) { return false }
    let size = order.content.size(upTo: Self.mostContent)
    guard installs[app].activities[index].attributesSize + size <= Self.mostContent else { return false }
    let spacing = spacing(turn.behavior)
    if installs[app].activities[index].needsDrawing(at: turn.now) { turn.countDrawing() }
    _ = installs[app].activities[index].apply(order, spacing: spacing, at: turn.now)
    readDates(of: index, app)
    makeRoom(&turn)
    watchStaleDate(app, index, &turn)
    emit(.contentYielded(number), to: app, &turn)
    return true
  }

  /// `Activity.end`. False if there is nothing to end.
  package mutating func end(
    _ number: UInt32, app: Int, _ order: ActivityEndRequest, _ turn: inout PhoneTurn
  ) -> Bool {
    guard let index = installs[app].index(of: number), !installs[app].activities[index].hasEnded,
      order.cause == .lifeOver || turn.now <= installs[app].activities[index].expiry
    else { return false }
    // Observed: only the person can remove a card with an open question (forum thread 836077).
    if order.cause == .command, installs[app].activities[index].isPrompting { return false }
    if let content = order.content {
      if installs[app].activities[index].needsDrawing(at: turn.now) { turn.countDrawing() }
      installs[app].activities[index].conclude(content, at: turn.now)
    }
    end(ActivityIndex(app, index), order.cause, dismissing: instant(of: order.dismissing), &turn)
    makeRoom(&turn)
    return true
  }

  mutating func end(
    _ place: ActivityIndex, _ cause: ActivityEnd, dismissing: Instant?, _ turn: inout PhoneTurn
  ) {
    let (app, index) = (place.app, place.index)
    let number = installs[app].activities[index].number
    let dismissal = installs[app].activities[index].end(
      dismissing: dismissing, turn.behavior.policy, isOnline: isOnline, at: turn.now)
    forfeit(app, number, &turn)
    turn.emit(.activityEnded(number, cause), app: app)
    emit(.activityStateYielded(number, .ended), to: app, &turn)
    planDismissal(app, number, dismissal, &turn)
  }

  /// Removes the card of an ended activity now, or plans its removal.
  mutating func planDismissal(
    _ app: Int, _ number: UInt32, _ dismissal: Instant, _ turn: inout PhoneTurn
  ) {
    if dismissal <= turn.now {
      recordDismissal(app, number, &turn)
    } else {
      turn.plan(.activityDismisses(app: app, number), due: dismissal)
    }
  }

  private mutating func recordDismissal(
    _ app: Int, _ number: UInt32, _ turn: inout PhoneTurn
  ) {
    turn.emit(.activityDismissed(number), app: app)
    emit(.activityStateYielded(number, .dismissed), to: app, &turn)
  }

  // MARK: - The person

  /// The person swipes a card away, running or ended. False if there is no card.
  package mutating func swipe(
    _ number: UInt32, app: Int, _ cause: ActivityEnd, _ turn: inout PhoneTurn
  ) -> Bool {
    guard let index = installs[app].index(of: number),
      installs[app].activities[index].state(turn.behavior.policy, at: turn.now) != .dismissed
    else { return false }
    let wasRunning = !installs[app].activities[index].isOver(at: turn.now)
    installs[app].activities[index].dismiss(turn.behavior.policy, isOnline: isOnline, at: turn.now)
    forfeit(app, number, &turn)
    if wasRunning { turn.emit(.activityEnded(number, cause), app: app) }
    recordDismissal(app, number, &turn)
    return true
  }

  // MARK: - The system

  /// Ends all activities of an app.
  mutating func endAll(
    _ app: Int, _ cause: ActivityEnd, dismissing: Instant? = nil, _ turn: inout PhoneTurn
  ) {
    for index in installs[app].activities.indices where !installs[app].activities[index].isOver(at: turn.now) {
      end(ActivityIndex(app, index), cause, dismissing: dismissing, &turn)
    }
  }

  /// Ends the least relevant activity of the given apps, if the policy says so; among equals, the one started last.
  mutating func evict(
    from apps: [Int], _ turn: inout PhoneTurn
  ) -> Bool {
    guard turn.behavior.policy.overLimit == .evictLeastRelevant else { return false }
    var least: (app: Int, index: Int)?
    for app in apps {
      for (index, activity) in installs[app].activities.enumerated() where !activity.isOver(at: turn.now) {
        if let best = least, installs[best.app].activities[best.index].relevance < activity.relevance { continue }
        least = (app, index)
      }
    }
    guard let least else { return false }
    end(ActivityIndex(least.app, least.index), .evicted, dismissing: turn.now, &turn)
    return true
  }

  /// Plans a check of the stale date; one check is planned at a time.
  mutating func watchStaleDate(_ app: Int, _ index: Int, _ turn: inout PhoneTurn) {
    guard let due = installs[app].activities[index].watchStaleDate(at: turn.now) else { return }
    turn.plan(.activityGoesStale(app: app, installs[app].activities[index].number), due: due)
  }

  mutating func goStale(
    _ app: Int, _ number: UInt32, _ turn: inout PhoneTurn
  ) {
    guard let index = installs[app].index(of: number) else { return }
    switch installs[app].activities[index].goStale(at: turn.now) {
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
    of number: UInt32, _ app: Int, _ request: HTTPRequest, _ behavior: PhoneBehavior, at now: Instant
  ) -> Bool {
    let isQuiet = condition.contains(.focus) && behavior.policy.focusQuietsActivities
    let presentation: ShownAlert.Presentation =
      if isQuiet || installs[app].life == .foreground {
        .quiet
      } else if hasIsland {
        .expanded
      } else {
        isLocked ? .lockScreen : .banner
      }
    let mayNotify = installs[app].permission == .authorized || installs[app].permission == .ephemeral
    alert = ShownAlert(
      app: app, activity: number, presentation: presentation,
      sounds: presentation != .quiet && (mayNotify || behavior.policy.alertSoundsWhenDenied), isOnWatch: hasWatch,
      request: request, at: now)
    return presentation != .quiet
  }
}
