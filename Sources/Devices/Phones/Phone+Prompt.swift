import Timeline

/// The Allow question of a Live Activity: asked, answered, seen again, and asked again.
extension Phone {
  /// The person answers the Allow question. False if none is open.
  package mutating func answer(_ number: UInt32, app: Int, allowed: Bool, _ turn: inout PhoneTurn) -> Bool {
    guard let place = place(of: number, app) else { return false }
    let answer = installs[app].answer(place.index, allowed: allowed, at: turn.now)
    guard answer != .notAsked else { return false }
    turn.emit(.promptAnswered(number, allowed: allowed), app: app)
    switch answer {
    case .notAsked, .goesOn: break
    case .begins:
      let wait = turn.behavior.draws.token.duration(
        in: turn.behavior.policy.timing.pushedToken, subject: subject(app), count: UInt64(number))
      perform(.tokenArrives(app: app, number), after: wait, &turn)
    case .denied:
      _ = swipe(number, app: app, cause: .denied, &turn)
      // Assumed: Don't Allow switches the app's Live Activities off.
      flip(.liveActivities, on: false, app: app, &turn)
    }
    return true
  }

  mutating func ask(_ place: ActivityIndex, _ turn: inout PhoneTurn) {
    change(place) { $0.ask() }
    showQuestion(of: place, &turn)
  }

  /// A priority 10 update has arrived for a running activity; many bring the question back, if the policy says so.
  mutating func countUrgent(_ place: ActivityIndex, _ turn: inout PhoneTurn) {
    guard let most = turn.behavior.policy.prompt.asksAgainAfter,
      installs[place.app].countUrgent(asksAgainAfter: most, at: turn.now)
    else {
      return
    }
    change(place) { $0.askAgain() }
    showQuestion(of: place, &turn)
  }

  private func showQuestion(of place: ActivityIndex, _ turn: inout PhoneTurn) {
    let number = self[place].number
    turn.emit(.promptShown(number), app: place.app)
    awaitAnswer(number, app: place.app, &turn)
  }

  private func awaitAnswer(_ number: UInt32, app: Int, _ turn: inout PhoneTurn) {
    let prompt = turn.behavior.policy.prompt
    let wait = prompt.answer == .ignore ? prompt.cleanUp : prompt.after
    turn.plan(.promptAnswered(app: app, number), after: wait)
  }

  /// The delay after which the person answers has passed.
  mutating func answerByHabit(_ number: UInt32, app: Int, _ turn: inout PhoneTurn) {
    guard let activity = installs[app].activity(number), activity.hasQuestion, !activity.isOver(at: turn.now) else {
      return
    }
    switch turn.behavior.policy.prompt.answer {
    // An activity that was allowed before continues while the question is open.
    case .ignore where !activity.isPrompting: return
    case .ignore: _ = swipe(number, app: app, cause: .system, &turn)
    // The question is on the Lock Screen; a person using an unlocked phone sees it when the phone is locked next.
    case .allow, .deny:
      guard isLocked || !turn.behavior.policy.prompt.needsLockScreen, !condition.contains(.beforeFirstUnlock) else {
        return
      }
      _ = answer(number, app: app, allowed: turn.behavior.policy.prompt.answer == .allow, &turn)
    }
  }

  /// The Lock Screen is visible again, with the questions on it.
  mutating func seePrompts(_ turn: inout PhoneTurn) {
    guard turn.behavior.policy.prompt.answer != .ignore else { return }
    for app in installs.indices {
      for activity in installs[app].activities where activity.hasQuestion && !activity.isOver(at: turn.now) {
        awaitAnswer(activity.number, app: app, &turn)
      }
    }
  }
}
