import APNs
import Timeline
import WireFormats

/// What becomes of Live Activities beside the pushes: their app, their owner and the system.
extension Phone {
  // MARK: - The app

  /// `Activity.request`.
  package mutating func request(
    _ order: StartOrder, app: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) -> Result<UInt32, AuthorizationError> {
    let size = (order.attributes?.text.utf8.count ?? 0)
    // A date that is past is now.
    let begins = order.begins.flatMap { $0 > now ? $0 : nil }
    if let error = refusal(of: order, app: app, attributesSize: size, model, at: now) {
      news.tell(.activityRefused(error), app: app, at: now)
      return .failure(error)
    }
    let number = installs[app].start(
      type: order.type, origin: .command, model.habits, at: begins ?? now
    ).number
    guard let index = installs[app].index(of: number) else { return .failure(.persistenceFailure) }
    let updates = model.apps[app].traits.pushCapability ? order.updates : .none
    installs[app].activities[index].begin(order, attributesSize: size, updates)
    if model.draws.stuck.strikes(model.habits.stuckCards, subject(app), UInt64(number)) {
      installs[app].activities[index].stick()
    }
    makeRoom(model, at: now, &news)
    // An app that makes an activity installs its observers at the latest then.
    if model.apps[app].traits.observing.activityUpdates { installs[app].observeActivities() }
    if let begins {
      installs[app].activities[index].schedule()
      news.tell(.activityScheduled(number), app: app, at: now)
      news.plan(.activityBegins(app: app, number), due: begins)
    } else {
      news.tell(.activityStarted(number, .command), app: app, at: now)
      tell(.activityYielded(number), to: app, model, at: now, &news)
    }
    let end = (begins ?? now).advanced(by: model.habits.activityLife)
    news.plan(.activityRunsOut(app: app, number), due: end)
    watchStaleDate(app, index, at: now, &news)
    if updates == .token {
      let wait = model.draws.token.duration(in: model.habits.timing.localToken, subject(app), UInt64(number))
      perform(.tokenArrives(app: app, number), after: wait, model, at: now, &news)
    }
    return .success(number)
  }

  /// One guard per error. Assumed: their order.
  private func refusal(
    of order: StartOrder, app: Int, attributesSize: Int, _ model: PhoneModel, at now: Instant
  ) -> AuthorizationError? {
    let habits = model.habits
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
    guard attributesSize + (order.content?.text.utf8.count ?? 0) <= 4096 else { return .attributesTooLarge }
    guard installs[app].counted(habits, at: now) < habits.activitiesPerApp, !installs[app].isFull else {
      return .targetMaximumExceeded
    }
    guard counted(habits, at: now) < habits.activitiesPerDevice else { return .globalMaximumExceeded }
    return nil
  }

  /// `Activity.update`. False when the activity does not run, or something newer has been applied.
  package mutating func update(
    _ number: UInt32, app: Int, _ order: UpdateOrder, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) -> Bool {
    guard let index = installs[app].index(of: number), installs[app].activities[index].isRunning(at: now) else {
      return false
    }
    if let timestamp = order.timestamp, timestamp <= installs[app].activities[index].lastTimestamp { return false }
    // Documented: attributes and content state are at most 4,096 bytes together.
    guard installs[app].activities[index].attributesSize + order.content.text.utf8.count <= 4096 else { return false }
    let spacing = spacing(model)
    _ = installs[app].activities[index].apply(order, spacing: spacing, at: now)
    makeRoom(model, at: now, &news)
    watchStaleDate(app, index, at: now, &news)
    tell(.contentYielded(number), to: app, model, at: now, &news)
    return true
  }

  /// `Activity.end`. False when there is nothing to end.
  package mutating func end(
    _ number: UInt32, app: Int, _ order: EndOrder, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) -> Bool {
    guard let index = installs[app].index(of: number), !installs[app].activities[index].hasEnded,
      order.cause == .lifeOver || now <= installs[app].activities[index].expiry
    else { return false }
    // Observed: nobody but the person gets rid of a card whose question is open (forum thread 836077).
    if order.cause == .command, installs[app].activities[index].isPrompting { return false }
    if let content = order.content { installs[app].activities[index].conclude(content, at: now) }
    end(ActivityPlace(app, index), order.cause, dismissing: order.dismissing, model, at: now, &news)
    makeRoom(model, at: now, &news)
    return true
  }

  mutating func end(
    _ place: ActivityPlace, _ cause: ActivityEnd, dismissing: Instant?, _ model: PhoneModel, at now: Instant,
    _ news: inout PhoneNews
  ) {
    let (app, index) = (place.app, place.index)
    let number = installs[app].activities[index].number
    let dismissal = installs[app].activities[index].end(
      dismissing: dismissing, model.habits, isOnline: isOnline, at: now)
    forfeit(app, number, at: now, &news)
    news.tell(.activityEnded(number, cause), app: app, at: now)
    tell(.activityStateYielded(number, .ended), to: app, model, at: now, &news)
    if dismissal <= now {
      noteDismissal(app, number, model, at: now, &news)
    } else {
      news.plan(.activityDismisses(app: app, number), due: dismissal)
    }
  }

  private mutating func noteDismissal(
    _ app: Int, _ number: UInt32, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) {
    news.tell(.activityDismissed(number), app: app, at: now)
    tell(.activityStateYielded(number, .dismissed), to: app, model, at: now, &news)
  }

  // MARK: - The person

  /// The person swipes a card away, running or ended. False when there is no card.
  package mutating func swipe(
    _ number: UInt32, app: Int, _ cause: ActivityEnd, _ model: PhoneModel, at now: Instant,
    _ news: inout PhoneNews
  ) -> Bool {
    guard let index = installs[app].index(of: number),
      installs[app].activities[index].state(model.habits, at: now) != .dismissed
    else { return false }
    let wasRunning = !installs[app].activities[index].isOver(at: now)
    installs[app].activities[index].dismiss(model.habits, isOnline: isOnline, at: now)
    forfeit(app, number, at: now, &news)
    if wasRunning { news.tell(.activityEnded(number, cause), app: app, at: now) }
    noteDismissal(app, number, model, at: now, &news)
    return true
  }

  // MARK: - The system

  /// All activities of an app end.
  mutating func endAll(
    _ app: Int, _ cause: ActivityEnd, dismissing: Instant? = nil, _ model: PhoneModel, at now: Instant,
    _ news: inout PhoneNews
  ) {
    for index in installs[app].activities.indices where !installs[app].activities[index].isOver(at: now) {
      end(ActivityPlace(app, index), cause, dismissing: dismissing, model, at: now, &news)
    }
  }

  /// Ends the least relevant activity of some apps, the one started last among equals, where that is the habit.
  mutating func evict(
    from apps: [Int], _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) -> Bool {
    guard model.habits.overLimit == .evictLeastRelevant else { return false }
    var least: (app: Int, index: Int)?
    for app in apps {
      for (index, activity) in installs[app].activities.enumerated() where !activity.isOver(at: now) {
        if let best = least, installs[best.app].activities[best.index].relevance < activity.relevance { continue }
        least = (app, index)
      }
    }
    guard let least else { return false }
    end(ActivityPlace(least.app, least.index), .evicted, dismissing: now, model, at: now, &news)
    return true
  }

  /// Sees to it that the phone looks when the content becomes stale: one look is planned at a time.
  mutating func watchStaleDate(_ app: Int, _ index: Int, at now: Instant, _ news: inout PhoneNews) {
    guard let due = installs[app].activities[index].watchStaleDate(at: now) else { return }
    news.plan(.activityGoesStale(app: app, installs[app].activities[index].number), due: due)
  }

  mutating func goStale(
    _ app: Int, _ number: UInt32, _ model: PhoneModel, at due: Instant, _ news: inout PhoneNews
  ) {
    guard let index = installs[app].index(of: number) else { return }
    switch installs[app].activities[index].goStale(at: due) {
    case .nothing: break
    case .later(let look): news.plan(.activityGoesStale(app: app, number), due: look)
    case .stale:
      news.tell(.activityStale(number), app: app, at: due)
      tell(.activityStateYielded(number, .stale), to: app, model, at: due, &news)
    }
  }

  /// Shows the alert of an activity the way this phone can.
  mutating func presentAlert(
    of number: UInt32, _ app: Int, _ request: HTTPRequest, _ model: PhoneModel, at now: Instant
  ) {
    let isQuiet = condition.contains(.focus) && model.habits.focusQuietsActivities
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
      sounds: presentation != .quiet && (mayNotify || model.habits.alertSoundsWhenDenied), isOnWatch: hasWatch,
      request: request, at: now)
  }
}
