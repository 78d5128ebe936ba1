import Timeline

/// The question under the card of a Live Activity: put, answered, seen again, and put again.
extension Phone {
  /// The person answers the question under a card. False when none is open.
  package mutating func answer(
    _ number: UInt32, app: Int, allowed: Bool, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) -> Bool {
    guard let index = installs[app].index(of: number) else { return false }
    let answer = installs[app].answer(index, allowed: allowed, at: now)
    guard answer != .notAsked else { return false }
    news.tell(.promptAnswered(number, allowed: allowed), app: app, at: now)
    switch answer {
    case .notAsked, .goesOn: break
    case .begins:
      let wait = model.draws.token.duration(in: model.habits.timing.pushedToken, subject(app), UInt64(number))
      perform(.tokenArrives(app: app, number), after: wait, model, at: now, &news)
    case .denied:
      _ = swipe(number, app: app, .denied, model, at: now, &news)
      // Assumed: Don't Allow switches the app's Live Activities off.
      flip(.liveActivities, on: false, app: app, model, at: now, &news)
    }
    return true
  }

  mutating func ask(
    _ number: UInt32, _ app: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) {
    guard let index = installs[app].index(of: number) else { return }
    installs[app].activities[index].ask()
    news.tell(.promptShown(number), app: app, at: now)
    awaitAnswer(number, app, model, at: now, &news)
  }

  /// An update of priority 10 has come for a running activity; many bring the question back, where that is the habit.
  mutating func countUrgent(
    _ app: Int, _ index: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) {
    guard let most = model.habits.prompt.asksAgainAfter, installs[app].countUrgent(asksAgainAfter: most, at: now) else {
      return
    }
    installs[app].activities[index].askAgain()
    let number = installs[app].activities[index].number
    news.tell(.promptShown(number), app: app, at: now)
    awaitAnswer(number, app, model, at: now, &news)
  }

  private mutating func awaitAnswer(
    _ number: UInt32, _ app: Int, _ model: PhoneModel, at now: Instant, _ news: inout PhoneNews
  ) {
    let prompt = model.habits.prompt
    let wait = prompt.answer == .ignore ? prompt.cleanUp : prompt.after
    news.plan(.promptAnswered(app: app, number), due: now.advanced(by: wait))
  }

  /// The time that a person takes to answer has passed.
  mutating func answerByHabit(
    _ number: UInt32, _ app: Int, _ model: PhoneModel, at due: Instant, _ news: inout PhoneNews
  ) {
    guard let activity = installs[app].activity(number), activity.hasQuestion, !activity.isOver(at: due) else { return }
    switch model.habits.prompt.answer {
    // One that was allowed before goes on under its question.
    case .ignore where !activity.isPrompting: return
    case .ignore: _ = swipe(number, app: app, .system, model, at: due, &news)
    // The question is on the Lock Screen; whoever is beyond it sees it when the phone is locked next.
    case .allow, .deny:
      guard isLocked || !model.habits.prompt.needsLockScreen, !condition.contains(.beforeFirstUnlock) else { return }
      _ = answer(number, app: app, allowed: model.habits.prompt.answer == .allow, model, at: due, &news)
    }
  }

  /// The Lock Screen is seen again, and the questions on it.
  mutating func seePrompts(_ model: PhoneModel, at now: Instant, _ news: inout PhoneNews) {
    guard model.habits.prompt.answer != .ignore else { return }
    for app in installs.indices {
      for activity in installs[app].activities where activity.hasQuestion && !activity.isOver(at: now) {
        awaitAnswer(activity.number, app, model, at: now, &news)
      }
    }
  }
}
