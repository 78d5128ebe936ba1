import APNs
import Timeline

/// Work that is due on a phone.
extension Phone {
  /// Performs work without delay at once, and plans the rest.
  mutating func perform(_ work: PhoneWork, after delay: Duration, _ turn: inout PhoneTurn) {
    guard delay > .zero else {
      perform(work, &turn)
      return
    }
    turn.plan(work, after: delay)
  }

  package mutating func perform(_ work: PhoneWork, _ turn: inout PhoneTurn) {
    switch work {
    case .release: releaseDue(&turn)
    case .activityBegins(let app, let number): begin(app: app, activity: number, &turn)
    case .activityGoesStale(let app, let number): goStale(app: app, activity: number, &turn)
    case .activityRunsOut(let app, let number):
      _ = end(number, app: app, with: ActivityEndRequest(.lifeOver), &turn)
    case .activityDismisses(let app, let number): dismiss(app: app, activity: number, &turn)
    case .promptAnswered(let app, let number): answerByHabit(number, app: app, &turn)
    case .tap(let app, let number): _ = tapNotification(number, app: app, &turn)
    case .tokenArrives(let app, let number): receiveToken(app: app, activity: number, &turn)
    case .appWakes(let app, let number): introduce(number, to: app, &turn)
    case .runtimeEnds(let app): endRuntime(app, &turn)
    case .tokenRotates(let app, let slot): rotateByChance(app: app, slot: slot, &turn)
    case .backgroundPush(let app): releaseBackground(app, &turn)
    case .backgroundExpires(let app, let push): expireBackground(app: app, push: push, &turn)
    }
  }

  private mutating func begin(app: Int, activity number: UInt32, _ turn: inout PhoneTurn) {
    guard let place = place(of: number, app), change(place, { $0.commence(at: turn.now) }) else { return }
    turn.countDrawing()
    turn.emit(.activityStarted(number, .command), app: app)
    emit(.activityStateYielded(number, .active), to: app, &turn)
  }

  private mutating func dismiss(app: Int, activity number: UInt32, _ turn: inout PhoneTurn) {
    // The person was faster, or the dismissal date has changed.
    guard let activity = installs[app].activity(number), activity.hasEnded,
      activity.dismissal(turn.behavior.policy) == turn.now
    else { return }
    turn.emit(.activityDismissed(number), app: app)
    emit(.activityStateYielded(number, .dismissed), to: app, &turn)
  }

  private mutating func receiveToken(app: Int, activity number: UInt32, _ turn: inout PhoneTurn) {
    guard let place = place(of: number, app), change(place, { $0.receiveToken(at: turn.now) }) else { return }
    let slot = TokenSlot.update(activity: number)
    turn.emit(.tokenIssued(slot), app: app)
    emit(.tokenYielded(slot), to: app, waking: turn.behavior.policy.newTokenWakesApp ? .byToken : nil, &turn)
    planRotation(app: app, slot: slot, &turn)
  }

  /// Plans the next random replacement of a token, if the policy has one.
  mutating func planRotation(app: Int, slot: TokenSlot, _ turn: inout PhoneTurn) {
    guard let generation = installs[app].state(of: slot)?.generation,
      let wait = turn.behavior.rotation(of: slot, generation: generation, on: id, app: app)
    else { return }
    turn.plan(.tokenRotates(app: app, slot), after: wait)
  }

  private mutating func rotateByChance(app: Int, slot: TokenSlot, _ turn: inout PhoneTurn) {
    if case .update(let number) = slot {
      guard let activity = installs[app].activity(number), !activity.isOver(at: turn.now) else { return }
      rotate(app: app, slot: slot, &turn)
    } else if installs[app].hasTokens, hasStartToken(app, turn.behavior) {
      rotate(app: app, slot: slot, &turn)
    }
    // While the app is not installed or iOS is too old, keep planning, so that draws do not depend on when the token
    // exists again.
    planRotation(app: app, slot: slot, &turn)
  }

  /// The app is woken for an activity that a push has started.
  ///
  /// Observed: its push-to-start stream yields the same value again (docs/behavior/tokens.md#yielded-twice).
  private mutating func introduce(_ number: UInt32, to app: Int, _ turn: inout PhoneTurn) {
    guard let activity = installs[app].activity(number) else { return }
    let wasCold = !installs[app].life.hasProcess
    guard wake(app, launch: .byLiveActivity, &turn) else { return }
    if turn.behavior.policy.startTokens.firesTwice, installs[app].hearsStartTokens {
      let slot = TokenSlot.pushToStart(type: activity.type)
      turn.emit(.tokenYielded(slot), app: app)
    }
    // A cold launch has delivered all activities already.
    if !wasCold { emit(.activityYielded(number), to: app, &turn) }
  }
}
