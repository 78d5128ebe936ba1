import APNs
import Timeline
import WireFormats

/// Ordinary notifications, background pushes, calls and the pushes of other services.
extension Phone {
  /// A push on the app's device token.
  package mutating func receive(_ push: ArrivingPush, app: Int, _ turn: inout PhoneTurn) -> Reaction {
    if let type = push.type, type.isOfService {
      return reaction(to: push, of: type, app, &turn)
    }
    guard let payload = payload(of: push, turn.behavior) else { return push.unreadable }
    switch payload.purpose(as: push.type) {
    case .none(let cause): return .background(.discarded(cause))
    case .wake: return wake(app, by: push.key, until: push.expiration, &turn)
    case .presentation: break
    }
    if push.priority != .immediate, let reaction = hold(push, app: app, &turn) { return reaction }
    return present(push, payload: payload, app: app, &turn)
  }

  private func payload(of push: ArrivingPush, _ behavior: PhoneBehavior) -> NotificationPayload? {
    push.read { NotificationPayload($0, as: push.type, readingBooleans: behavior.policy.booleanFlags) }
  }

  /// Passes a notification to the app's extension if that applies, otherwise shows it.
  private mutating func present(
    _ push: ArrivingPush, payload: NotificationPayload, app: Int, _ turn: inout PhoneTurn
  ) -> Reaction {
    let passage = turn.behavior.apps[app].traits.serviceExtension.passage(
      of: payload, installs[app].permission, at: turn.now)
    if passage.presentedAt > turn.now {
      let held = DeferredPush(push: push, timestamp: 0, parsed: nil, reason: .serviceExtension)
      return keep(held, app: app, for: turn.now.duration(to: passage.presentedAt), &turn)
    }
    // Where there is no extension and none is asked for, there is nothing to tell.
    let isExpected = passage.outcome != .noExtension || payload.isMutable
    return show(push, app: app, passage: isExpected ? passage.outcome : nil, &turn)
  }

  /// Releases a deferred notification. If it was deferred for its low priority, the app's extension gets it first.
  mutating func deliverNotification(_ held: DeferredPush, app: Int, _ turn: inout PhoneTurn) {
    let push = held.push
    let payload = held.reason == .lowPriority ? payload(of: push, turn.behavior) : nil
    let reaction =
      payload.map { present(push, payload: $0, app: app, &turn) }
      ?? show(push, app: app, passage: turn.behavior.apps[app].traits.serviceExtension.outcomeOfRun, &turn)
    turn.settle(held, reaction)
  }

  /// A push on the token of another service.
  package mutating func receive(
    _ push: ArrivingPush, of service: TopicSuffix, app: Int, _ turn: inout PhoneTurn
  ) -> Reaction {
    guard service == .voip else {
      let type = push.type ?? PushType.allCases.first { $0.suffix == service }
      return reaction(to: push, of: type ?? .complication, app, &turn)
    }
    // Assumed: PushKit passes a dictionary to the app, so nothing else reaches it.
    guard push.read({ $0.isObject }) ?? false else { return push.unreadable }
    let outcome = installs[app].receiveCall(
      turn.behavior.apps[app].traits.reportsCalls, turn.behavior.policy.calls, at: turn.now)
    switch outcome {
    case .rang: _ = wake(app, launch: .byCall, &turn)
    case .killed, .reportedLate, .killedAndStopped: stop(app, as: .crashed, &turn)
    case .notDelivered: break
    }
    return .call(outcome)
  }

  private mutating func reaction(
    to push: ArrivingPush, of type: PushType, _ app: Int, _ turn: inout PhoneTurn
  ) -> Reaction {
    var here = ServiceContext(os: os)
    here.isJoined = turn.behavior.apps[app].traits.joinsChannels
    let reaction = push.read { $0.isObject ? type.serviceReaction(here, $0) ?? .acceptedNoUI : nil } ?? nil
    // Documented: such a push launches the app in the background ("Creating a Push to Talk app").
    if reaction == .reportsSpeaker { _ = wake(app, launch: .byCall, &turn) }
    return reaction.map { .service($0) } ?? push.unreadable
  }

  // MARK: - Notifications

  /// Shows a notification that is due.
  ///
  /// - Parameter passage: what the app's service extension had to do with it.
  private mutating func show(
    _ push: ArrivingPush, app: Int, passage: ServiceExtension.Outcome?, _ turn: inout PhoneTurn
  ) -> Reaction {
    guard installs[app].isInstalled else { return .dropped(.appAbsent) }
    guard let payload = payload(of: push, turn.behavior) else { return push.unreadable }
    let traits = turn.behavior.apps[app].traits
    var here = NotificationContext()
    here.permission = installs[app].permission
    if installs[app].life == .foreground { here.app = traits.presentsInForeground ? .frontShowing : .frontHiding }
    here.isFocusOn = condition.contains(.focus)
    here.allowsTimeSensitive = condition.contains(.timeSensitiveAllowed)
    here.allowsCritical = traits.criticalAlerts
    here.isScreenOn = condition.contains(.screenOn)
    here.strings = traits.strings
    here.language = turn.behavior.mix.language
    here.sounds = traits.sounds
    let collapseID = push.collapseID.map { String(decoding: push.request.storage[$0], as: UTF8.self) }
    var shown = changeNotifications(app) {
      $0.receiveNotification(payload, body: push.request.body, collapseID: collapseID, in: here, at: turn.now)
    }
    shown.passage = passage
    if shown.number != nil { evictExcessContent(&turn) }
    if let number = shown.number, installs[app].life == .foreground {
      turn.emit(.notificationYielded(number), app: app)
    }
    // A notification that is only in the list is not noticed at once. Assumed.
    if let number = shown.number, shown.shape == .banner, installs[app].life != .foreground,
      turn.behavior.draws.tap.strikes(turn.behavior.policy.taps, subject: subject(app), count: push.key)
    {
      let wait = turn.behavior.draws.tap.duration(
        in: turn.behavior.policy.tapAfter, subject: subject(app), count: ~push.key)
      turn.plan(.tap(app: app, number), after: wait)
    }
    // An alert may also request background work.
    if payload.isContentAvailable, !payload.isBackground {
      // The superseded push already has its final fate (it was shown); do not settle it twice.
      _ = wake(app, by: push.key, until: nil, &turn)
      installs[app].noteShown(push.key)
    }
    return .notified(shown)
  }

  /// Priority 5 and 1 wait until it suits the phone; nil if it does now.
  ///
  /// Documented: priority 1 prevents awakening the device ("Sending notification requests to APNs"). Assumed: it waits
  /// until the phone is in use or charges, however long that takes.
  private mutating func hold(_ push: ArrivingPush, app: Int, _ turn: inout PhoneTurn) -> Reaction? {
    let delay = lowPriorityDelay(turn.behavior)
    let waits = push.priority == .passive && !LowPriorityPlan.suits(condition)
    let wait = waits ? turn.behavior.policy.wakes.patience : delay
    guard wait > .zero else { return nil }
    switch powerStorage(of: push, turn.behavior, at: turn.now) {
    case .stores(let expires):
      let held = DeferredPush(push: push, timestamp: 0, parsed: nil, reason: .lowPriority, expires: expires)
      return keep(held, app: app, for: wait, &turn)
    case .discards(let cause): return .dropped(cause)
    case .delivers: return nil
    }
  }

  private mutating func keep(
    _ new: DeferredPush, app: Int, for delay: Duration, _ turn: inout PhoneTurn
  ) -> Reaction {
    let reason = new.reason
    let key = DeferralKey.notification(app: app, push: new.push.key)
    guard case .held(let due) = keep(new, of: key, for: delay, at: turn.now) else {
      return .dropped(.tooManyHeld)
    }
    evictExcessContent(&turn)
    guard memory <= turn.behavior.policy.memory else {
      _ = withdraw(key)
      return .dropped(.tooManyHeld)
    }
    planRelease(min(due, new.expires), &turn)
    turn.countHold(reason)
    return .held(reason, until: min(due, new.expires))
  }

  /// The person taps a notification, the newest or the one of that number, and its app opens.
  package mutating func tapNotification(_ number: UInt32?, app: Int, _ turn: inout PhoneTurn) -> Bool {
    guard let number = changeNotifications(app, { $0.tapNotification(number) }) else { return false }
    turn.emit(.notificationTapped(number), app: app)
    open(app, &turn)
    return true
  }

  /// The person answers a notification: it leaves the list, and the app gets runtime in the background.
  ///
  /// Documented: UNNotificationCategory. An action needs no unlocked phone unless the app demands it.
  ///
  /// - Parameter button: the place of the button in `AppProfile.buttons`; nil for a text.
  package mutating func answerNotification(_ number: UInt32, button: UInt16?, app: Int, _ turn: inout PhoneTurn) {
    guard changeNotifications(app, { $0.tapNotification(number) }) != nil else { return }
    if condition.contains(.beforeFirstUnlock) { unlock(&turn) }
    lightScreen(&turn)
    let pressed = button.map { DeviceEvent.notificationButtonPressed(number, button: $0) }
    turn.emit(pressed ?? .notificationAnswered(number), app: app)
    touch(app, &turn)
  }

  package mutating func clearNotifications(_ app: Int, _ turn: inout PhoneTurn) -> Bool {
    guard changeNotifications(app, { $0.clearNotifications() }) else { return false }
    turn.emit(.notificationsCleared, app: app)
    return true
  }

  // MARK: - Background pushes

  /// A background push arrives, or a deferred one is released.
  private mutating func wake(
    _ app: Int, by push: UInt64, until expiration: Instant?, _ turn: inout PhoneTurn
  ) -> Reaction {
    var here = BackgroundContext()
    here.process = AppProcess(installs[app].life)
    here.isLowPower = condition.contains(.lowPower)
    here.isRefreshOn = installs[app].allowances.contains(.backgroundRefresh)
    here.hasBackgroundMode = turn.behavior.apps[app].traits.backgroundPushes
    let draw = installs[app].drawWake(turn.behavior.draws.background, subject: subject(app))
    let expires = min(expiration ?? .distantFuture, turn.now.advanced(nanoseconds: turn.behavior.patience))
    let arrival = installs[app].receiveBackground(
      push, until: expires, in: here, plan: turn.behavior.policy.wakes, draw: draw, at: turn.now)
    if let older = arrival.superseded {
      settle(older, as: .background(.discarded(.superseded)), app: app, &turn)
    }
    switch arrival.outcome {
    case .woken(let end):
      guard wake(app, launch: .byBackgroundPush, until: end, &turn) else { return .background(.notWoken) }
      turn.emit(.backgroundPushYielded(ArrivingPush.number(of: push).number), app: app)
    case .deliveredToRunning:
      // Documented: the app has its time for each push, so one that it gets while it runs prolongs its runtime.
      _ = wake(
        app, launch: .byBackgroundPush, until: turn.now.advanced(by: turn.behavior.policy.wakes.runtime), &turn)
      turn.emit(.backgroundPushYielded(ArrivingPush.number(of: push).number), app: app)
    case .held(let cause, let until):
      planWake(app, &turn)
      if expires <= until ?? .distantFuture { turn.plan(.backgroundExpires(app: app, push: push), due: expires) }
      let reason = Reaction.Hold(cause)
      turn.countHold(reason)
      return .held(reason, until: until ?? .distantFuture)
    case .discarded, .notWoken: break
    }
    return .background(arrival.outcome)
  }

  mutating func releaseBackground(_ app: Int, _ turn: inout PhoneTurn) {
    guard let (push, expires) = takeDueBackground(app, &turn) else { return }
    let reaction = wake(app, by: push, until: expires, &turn)
    if case .background = reaction { settle(push, as: reaction, app: app, &turn) }
  }

  /// The deferred background push that is due; without a connection only one that is on the phone, because its
  /// notification was shown.
  private mutating func takeDueBackground(_ app: Int, _ turn: inout PhoneTurn) -> (push: UInt64, expires: Instant)? {
    guard let push = installs[app].heldBackground, !isOnline, !installs[app].hasShown(push.number) else {
      if let due = installs[app].takeDueBackground(at: turn.now) { return due }
      // The check was planned for an earlier push, which is gone.
      planWake(app, &turn)
      return nil
    }
    installs[app].forgetPlannedWake(at: turn.now)
    turn.plan(.backgroundExpires(app: app, push: push.number), due: max(push.expires, turn.now))
    return nil
  }

  /// Plans the next check of the deferred background push, unless an earlier one is planned.
  private mutating func planWake(_ app: Int, _ turn: inout PhoneTurn) {
    guard let due = installs[app].backgroundDue, installs[app].planWake(at: due) else { return }
    turn.plan(.backgroundPush(app: app), due: due)
  }

  /// Records the fate of a deferred background push. Background work of a notification has no fate of its own.
  private func settle(_ push: UInt64, as reaction: Reaction, app: Int, _ turn: inout PhoneTurn) {
    guard !installs[app].hasShown(push) else { return }
    turn.settle(push, reaction, held: .throttled)
  }

  mutating func expireBackground(app: Int, push: UInt64, _ turn: inout PhoneTurn) {
    guard installs[app].expireBackground(push) else { return }
    settle(push, as: .background(.discarded(.expired)), app: app, &turn)
  }

  /// Power or a switch has changed: checks the deferred pushes that waited for it.
  mutating func reconsiderBackground(_ app: Int, _ turn: inout PhoneTurn) {
    installs[app].reconsiderBackground(at: turn.now)
    releaseBackground(app, &turn)
  }

  /// Documented: launching the app delivers its deferred push at once.
  mutating func launchBackground(_ app: Int, _ turn: inout PhoneTurn) {
    guard let kept = installs[app].heldBackground else { return }
    guard isOnline || installs[app].hasShown(kept.number) else { return installs[app].hurryBackground(at: turn.now) }
    guard let push = installs[app].launchBackground() else { return }
    turn.emit(.backgroundPushYielded(ArrivingPush.number(of: push).number), app: app)
    settle(push, as: .background(.deliveredToRunning), app: app, &turn)
  }

  /// Discards the deferred background push of an app, which has that reaction.
  mutating func discardBackground(app: Int, as reaction: Reaction, _ turn: inout PhoneTurn) {
    guard let push = installs[app].discardBackground() else { return }
    settle(push, as: reaction, app: app, &turn)
  }
}
