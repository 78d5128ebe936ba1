import Timeline

/// The Allow question of a Live Activity: asked, answered, seen again, and asked again.
extension Phone {
  /// The person answers the Allow question. False if none is open.
  package mutating func answer(
    _ number: UInt32, app: Int, allowed: Bool, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) -> Bool {
    guard let index = installs[app].index(of: number) else { return false }
    let answer = installs[app].answer(index, allowed: allowed, at: now)
    guard answer != .notAsked else { return false }
    effects.emit(.promptAnswered(number, allowed: allowed), app: app, at: now)
    switch answer {
    case .notAsked, .goesOn: break
    case .begins:
      let wait = model.draws.token.duration(in: model.policy.timing.pushedToken, subject(app), UInt64(number))
      perform(.tokenArrives(app: app, number), after: wait, model, at: now, &effects)
    case .denied:
      _ = swipe(number, app: app, .denied, model, at: now, &effects)
      // Assumed: Don't Allow switches the app's Live Activities off.
      flip(.liveActivities, on: false, app: app, model, at: now, &effects)
    }
    return true
  }

  mutating func ask(
    _ number: UInt32, _ app: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    guard let index = installs[app].index(of: number) else { return }
    installs[app].activities[index].ask()
    effects.emit(.promptShown(number), app: app, at: now)
    awaitAnswer(number, app, model, at: now, &effects)
  }

  /// A priority 10 update has arrived for a running activity; many bring the question back, if the policy says so.
  mutating func countUrgent(
    _ app: Int, _ index: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    guard let most = model.policy.prompt.asksAgainAfter, installs[app].countUrgent(asksAgainAfter: most, at: now) else {
      return
    }
    installs[app].activities[index].askAgain()
    let number = installs[app].activities[index].number
    effects.emit(.promptShown(number), app: app, at: now)
    awaitAnswer(number, app, model, at: now, &effects)
  }

  private mutating func awaitAnswer(
    _ number: UInt32, _ app: Int, _ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects
  ) {
    let prompt = model.policy.prompt
    let wait = prompt.answer == .ignore ? prompt.cleanUp : prompt.after
    effects.plan(.promptAnswered(app: app, number), due: now.advanced(by: wait))
  }

  /// The delay after which the person answers has passed.
  mutating func answerByHabit(
    _ number: UInt32, _ app: Int, _ model: PhoneModel, at due: Instant, _ effects: inout PhoneEffects
  ) {
    guard let activity = installs[app].activity(number), activity.hasQuestion, !activity.isOver(at: due) else { return }
    switch model.policy.prompt.answer {
    // An activity that was allowed before continues while the question is open.
    case .ignore where !activity.isPrompting: return
    case .ignore: _ = swipe(number, app: app, .system, model, at: due, &effects)
    // The question is on the Lock Screen; a person using an unlocked phone sees it when the phone is locked next.
    case .allow, .deny:
      guard isLocked || !model.policy.prompt.needsLockScreen, !condition.contains(.beforeFirstUnlock) else { return }
      _ = answer(number, app: app, allowed: model.policy.prompt.answer == .allow, model, at: due, &effects)
    }
  }

  /// The Lock Screen is visible again, with the questions on it.
  mutating func seePrompts(_ model: PhoneModel, at now: Instant, _ effects: inout PhoneEffects) {
    guard model.policy.prompt.answer != .ignore else { return }
    for app in installs.indices {
      for activity in installs[app].activities where activity.hasQuestion && !activity.isOver(at: now) {
        awaitAnswer(activity.number, app, model, at: now, &effects)
      }
    }
  }
}
