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
    _ order: ActivityStartRequest, app: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) -> Result<UInt32, AuthorizationError> {
    let size = order.attributes?.size(upTo: Self.mostContent) ?? 0
    // A date in the past means now.
    let begins = order.begins.flatMap { $0 > now ? $0 : nil }
    if let error = refusal(of: order, app: app, attributesSize: size, model, at: now) {
      let isOfChannel = order.isChannelUnknown && error == .persistenceFailure
      effects.emit(.activityRefused(error, isChannelUnknown: isOfChannel), app: app, at: now)
      return .failure(error)
    }
    let number = installs[app].start(
      type: order.type, origin: .command, model.policy, at: begins ?? now
    ).number
    guard let index = installs[app].index(of: number) else { return .failure(.persistenceFailure) }
    let updates = model.apps[app].traits.pushCapability ? order.updates : .none
    installs[app].activities[index].begin(order, attributesSize: size, updates)
    if model.draws.stuck.strikes(model.policy.stuckCards, subject(app), UInt64(number)) {
      installs[app].activities[index].stick()
    }
    makeRoom(model, at: now, &effects)
    // An app that starts an activity has installed its observers by then.
    if model.apps[app].traits.observing.activityUpdates { installs[app].observeActivities() }
    if let begins {
      installs[app].activities[index].schedule()
      effects.emit(.activityScheduled(number), app: app, at: now)
      effects.plan(.activityBegins(app: app, number), due: begins)
    } else {
      effects.counts.drawings += 1
      effects.emit(.activityStarted(number, .command), app: app, at: now)
      emit(.activityYielded(number), to: app, model, at: now, &effects)
    }
    let end = (begins ?? now).advanced(by: model.policy.activityLife)
    effects.plan(.activityRunsOut(app: app, number), due: end)
    readDates(of: index, app)
    watchStaleDate(app, index, at: now, &effects)
    if updates == .token {
      let wait = model.draws.token.duration(in: model.policy.timing.localToken, subject(app), UInt64(number))
      perform(.tokenArrives(app: app, number), after: wait, model, at: now, &effects)
    }
    return .success(number)
  }

  /// One guard per error. Assumed: their order.
  private func refusal(
    of order: ActivityStartRequest, app: Int, attributesSize: Int, _ model: PhoneModel, at now: Instant
  ) -> AuthorizationError? {
    let policy = model.policy
    if let injected = order.injected { return injected }
    guard os >= OSVersion(16, 1) else { return .unsupported }
    if case .channel = order.updates, os < OSVersion(18, 0) { return .unsupported }
    if order.isTransient, os < OSVersion(18, 0) { return .unsupported }
    if order.begins != nil, os < OSVersion(26, 0) || !order.alerts { return .unsupported }
    guard model.apps[app].traits.supportsLiveActivities else { return .unentitled }
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
    _ number: UInt32, app: Int, _ order: ActivityUpdateRequest, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) -> Bool {
    guard let index = installs[app].index(of: number), installs[app].activities[index].isRunning(at: now) else {
      return false
    }
    if let timestamp = order.timestamp, !installs[app].activities[index].isNewer(timestamp) { return false }
    let size = order.content.size(upTo: Self.mostContent)
    guard installs[app].activities[index].attributesSize + size <= Self.mostContent else { return false }
    let spacing = spacing(model)
    if installs[app].activities[index].needsDrawing(at: now) { effects.counts.drawings += 1 }
    _ = installs[app].activities[index].apply(order, spacing: spacing, at: now)
    readDates(of: index, app)
    makeRoom(model, at: now, &effects)
    watchStaleDate(app, index, at: now, &effects)
    emit(.contentYielded(number), to: app, model, at: now, &effects)
    return true
  }

  /// `Activity.end`. False if there is nothing to end.
  package mutating func end(
    _ number: UInt32, app: Int, _ order: ActivityEndRequest, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) -> Bool {
    guard let index = installs[app].index(of: number), !installs[app].activities[index].hasEnded,
      order.cause == .lifeOver || now <= installs[app].activities[index].expiry
    else { return false }
    // Observed: only the person can remove a card with an open question (forum thread 836077).
    if order.cause == .command, installs[app].activities[index].isPrompting { return false }
    if let content = order.content {
      if installs[app].activities[index].needsDrawing(at: now) { effects.counts.drawings += 1 }
      installs[app].activities[index].conclude(content, at: now)
    }
    end(ActivityIndex(app, index), order.cause, dismissing: instant(of: order.dismissing), model, at: now, &effects)
    makeRoom(model, at: now, &effects)
    return true
  }

  mutating func end(
    _ place: ActivityIndex, _ cause: ActivityEnd, dismissing: Instant?, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) {
    let (app, index) = (place.app, place.index)
    let number = installs[app].activities[index].number
    let dismissal = installs[app].activities[index].end(
      dismissing: dismissing, model.policy, isOnline: isOnline, at: now)
    forfeit(app, number, at: now, &effects)
    effects.emit(.activityEnded(number, cause), app: app, at: now)
    emit(.activityStateYielded(number, .ended), to: app, model, at: now, &effects)
    planDismissal(app, number, dismissal, model, at: now, &effects)
  }

  /// Removes the card of an ended activity now, or plans its removal.
  mutating func planDismissal(
    _ app: Int, _ number: UInt32, _ dismissal: Instant, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) {
    if dismissal <= now {
      recordDismissal(app, number, model, at: now, &effects)
    } else {
      effects.plan(.activityDismisses(app: app, number), due: dismissal)
    }
  }

  private mutating func recordDismissal(
    _ app: Int, _ number: UInt32, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    effects.emit(.activityDismissed(number), app: app, at: now)
    emit(.activityStateYielded(number, .dismissed), to: app, model, at: now, &effects)
  }

  // MARK: - The person

  /// The person swipes a card away, running or ended. False if there is no card.
  package mutating func swipe(
    _ number: UInt32, app: Int, _ cause: ActivityEnd, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) -> Bool {
    guard let index = installs[app].index(of: number),
      installs[app].activities[index].state(model.policy, at: now) != .dismissed
    else { return false }
    let wasRunning = !installs[app].activities[index].isOver(at: now)
    installs[app].activities[index].dismiss(model.policy, isOnline: isOnline, at: now)
    forfeit(app, number, at: now, &effects)
    if wasRunning { effects.emit(.activityEnded(number, cause), app: app, at: now) }
    recordDismissal(app, number, model, at: now, &effects)
    return true
  }

  // MARK: - The system

  /// Ends all activities of an app.
  mutating func endAll(
    _ app: Int, _ cause: ActivityEnd, dismissing: Instant? = nil, _ model: PhoneModel, at now: Instant,
    _ effects: inout PhoneEffects
  ) {
    for index in installs[app].activities.indices where !installs[app].activities[index].isOver(at: now) {
      end(ActivityIndex(app, index), cause, dismissing: dismissing, model, at: now, &effects)
    }
  }

  /// Ends the least relevant activity of the given apps, if the policy says so; among equals, the one started last.
  mutating func evict(
    from apps: [Int], _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) -> Bool {
    guard model.policy.overLimit == .evictLeastRelevant else { return false }
    var least: (app: Int, index: Int)?
    for app in apps {
      for (index, activity) in installs[app].activities.enumerated() where !activity.isOver(at: now) {
        if let best = least, installs[best.app].activities[best.index].relevance < activity.relevance { continue }
        least = (app, index)
      }
    }
    guard let least else { return false }
    end(ActivityIndex(least.app, least.index), .evicted, dismissing: now, model, at: now, &effects)
    return true
  }

  /// Plans a check of the stale date; one check is planned at a time.
  mutating func watchStaleDate(_ app: Int, _ index: Int, at now: Instant, _ effects: inout PhoneEffects) {
    guard let due = installs[app].activities[index].watchStaleDate(at: now) else { return }
    effects.plan(.activityGoesStale(app: app, installs[app].activities[index].number), due: due)
  }

  mutating func goStale(
    _ app: Int, _ number: UInt32, _ model: PhoneModel, at due: Instant, _ effects: inout PhoneEffects
  ) {
    guard let index = installs[app].index(of: number) else { return }
    switch installs[app].activities[index].goStale(at: due) {
    case .nothing: break
    case .later(let look): effects.plan(.activityGoesStale(app: app, number), due: look)
    case .stale:
      effects.emit(.activityStale(number), app: app, at: due)
      emit(.activityStateYielded(number, .stale), to: app, model, at: due, &effects)
    }
  }

  /// Presents the alert of an activity as far as this phone can.
  ///
  /// - Returns: false if it was quiet, so nobody was alerted.
  mutating func presentAlert(
    of number: UInt32, _ app: Int, _ request: HTTPRequest, _ model: PhoneModel, at now: Instant
  ) -> Bool {
    let isQuiet = condition.contains(.focus) && model.policy.focusQuietsActivities
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
      sounds: presentation != .quiet && (mayNotify || model.policy.alertSoundsWhenDenied), isOnWatch: hasWatch,
      request: request, at: now)
    return presentation != .quiet
  }
}
