import APNs
import Timeline

/// Work that is due on a phone.
extension Phone {
  /// Performs work without delay at once, and plans the rest.
  mutating func perform(
    _ work: PhoneWork, after delay: Duration, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    guard delay > .zero else {
      perform(work, model, at: now, &effects)
      return
    }
    effects.plan(work, due: now.advanced(by: delay))
  }

  func plan(_ work: PhoneWork, after delay: Duration, at now: Instant, _ effects: inout PhoneEffects) {
    effects.plan(work, due: now.advanced(by: delay))
  }

  package mutating func perform(_ work: PhoneWork, _ model: PhoneModel, at due: Instant, _ effects: inout PhoneEffects)
  {
    switch work {
    case .release: releaseDue(model, at: due, &effects)
    case .activityBegins(let app, let number): begin(app, number, model, at: due, &effects)
    case .activityGoesStale(let app, let number): goStale(app, number, model, at: due, &effects)
    case .activityRunsOut(let app, let number):
      _ = end(number, app: app, ActivityEndRequest(.lifeOver), model, at: due, &effects)
    case .activityDismisses(let app, let number): dismiss(app, number, model, at: due, &effects)
    case .promptAnswered(let app, let number): answerByHabit(number, app, model, at: due, &effects)
    case .tap(let app, let number): _ = tapNotification(number, app: app, model, at: due, &effects)
    case .tokenArrives(let app, let number): receiveToken(app, number, model, at: due, &effects)
    case .appWakes(let app, let number): introduce(number, to: app, model, at: due, &effects)
    case .runtimeEnds(let app): endRuntime(app, at: due, &effects)
    case .tokenRotates(let app, let slot): rotateByChance(app, slot, model, at: due, &effects)
    case .backgroundPush(let app): releaseBackground(app, model, at: due, &effects)
    case .backgroundExpires(let app, let push): expireBackground(app, push, at: due, &effects)
    }
  }

  private mutating func begin(
    _ app: Int, _ number: UInt32, _ model: PhoneModel, at due: Instant, _ effects: inout PhoneEffects
  ) {
    guard let index = installs[app].index(of: number), installs[app].activities[index].commence(at: due) else { return }
    effects.counts.drawings += 1
    effects.emit(.activityStarted(number, .command), app: app, at: due)
    emit(.activityStateYielded(number, .active), to: app, model, at: due, &effects)
  }

  private mutating func dismiss(
    _ app: Int, _ number: UInt32, _ model: PhoneModel, at due: Instant, _ effects: inout PhoneEffects
  ) {
    // The person was faster, or the dismissal date has changed.
    guard let activity = installs[app].activity(number), activity.hasEnded,
      activity.dismissal(model.policy) == due
    else { return }
    effects.emit(.activityDismissed(number), app: app, at: due)
    emit(.activityStateYielded(number, .dismissed), to: app, model, at: due, &effects)
  }

  private mutating func receiveToken(
    _ app: Int, _ number: UInt32, _ model: PhoneModel, at due: Instant, _ effects: inout PhoneEffects
  ) {
    guard let index = installs[app].index(of: number), installs[app].activities[index].receiveToken(at: due) else {
      return
    }
    let slot = TokenSlot.update(activity: number)
    effects.emit(.tokenIssued(slot), app: app, at: due)
    emit(.tokenYielded(slot), to: app, waking: model.policy.newTokenWakesApp ? .byToken : nil, model, at: due, &effects)
    planRotation(app, slot, model, at: due, &effects)
  }

  /// Plans the next random replacement of a token, if the policy has one.
  mutating func planRotation(
    _ app: Int, _ slot: TokenSlot, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    guard let generation = installs[app].state(of: slot)?.generation,
      let wait = model.rotation(of: slot, generation: generation, on: id, app: app)
    else { return }
    effects.plan(.tokenRotates(app: app, slot), due: now.advanced(by: wait))
  }

  private mutating func rotateByChance(
    _ app: Int, _ slot: TokenSlot, _ model: PhoneModel, at due: Instant, _ effects: inout PhoneEffects
  ) {
    if case .update(let number) = slot {
      guard let activity = installs[app].activity(number), !activity.isOver(at: due) else { return }
      rotate(app, slot, model, at: due, &effects)
    } else if installs[app].hasTokens, hasStartToken(app, model) {
      rotate(app, slot, model, at: due, &effects)
    }
    // While the app is not installed or iOS is too old, keep planning, so that draws do not depend on when the token
    // exists again.
    planRotation(app, slot, model, at: due, &effects)
  }

  /// The app is woken for an activity that a push has started.
  ///
  /// Observed: its push-to-start stream yields the same value again (docs/behavior/tokens.md#yielded-twice).
  private mutating func introduce(
    _ number: UInt32, to app: Int, _ model: PhoneModel, at due: Instant, _ effects: inout PhoneEffects
  ) {
    guard let activity = installs[app].activity(number) else { return }
    let wasCold = !installs[app].life.hasProcess
    guard wake(app, .byLiveActivity, model, at: due, &effects) else { return }
    if model.policy.startTokens.firesTwice, installs[app].hearsStartTokens {
      let slot = TokenSlot.pushToStart(type: activity.type)
      effects.emit(.tokenYielded(slot), app: app, at: due)
    }
    // A cold launch has delivered all activities already.
    if !wasCold { emit(.activityYielded(number), to: app, model, at: due, &effects) }
  }
}
