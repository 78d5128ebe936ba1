import Timeline

extension LiveActivity {
  /// The phase of an activity as far as actions decide it; what only the clock decides is not included.
  ///
  ///     scheduled ──commence──▶ running ◀──answer──▶ running, asked again ──┐
  ///                               ▲ answer                                  ├─end─▶ ended
  ///                           prompting ────────────────────────────────────┘
  enum Phase: Hashable, Sendable {
    /// The date of its start has not come, and no card is shown.
    case scheduled
    /// The Allow question on its card is not answered.
    case prompting
    /// The question may be asked again: it is back on the card while the activity keeps running.
    case running(isAskedAgain: Bool)
    case ended(at: Instant)
  }

  /// The effect of an answer to the Allow question.
  package enum Answer: Hashable, Sendable {
    /// There is no question.
    case notAsked
    /// Allowed for the first time: the activity begins to run.
    case begins
    /// Allowed when asked again: the activity keeps running.
    case goesOn
    case denied
  }
}

extension LiveActivity.Phase {
  var endedAt: Instant? { if case .ended(let instant) = self { instant } else { nil } }
  var isRunning: Bool { if case .running = self { true } else { false } }
  var isAskedAgain: Bool { self == .running(isAskedAgain: true) }

  /// Schedules it for later. Only possible for a new activity.
  mutating func schedule() {
    guard case .running(isAskedAgain: false) = self else { return }
    self = .scheduled
  }

  /// Starts a scheduled activity, because its date has come. Returns false if the activity is not scheduled.
  mutating func commence() -> Bool {
    guard case .scheduled = self else { return false }
    self = .running(isAskedAgain: false)
    return true
  }

  /// The question is asked for the first time: the activity does not run before it is answered.
  mutating func ask() {
    guard case .running = self else { return }
    self = .prompting
  }

  /// The question is asked again while it runs.
  mutating func askAgain() {
    guard case .running = self else { return }
    self = .running(isAskedAgain: true)
  }

  /// A denied activity stays as it is until it is ended.
  mutating func answer(allowed: Bool) -> LiveActivity.Answer {
    switch self {
    case .scheduled, .ended, .running(isAskedAgain: false): return .notAsked
    case .prompting:
      guard allowed else { return .denied }
      self = .running(isAskedAgain: false)
      return .begins
    case .running(isAskedAgain: true):
      self = .running(isAskedAgain: false)
      return allowed ? .goesOn : .denied
    }
  }

  /// False if it had ended before.
  mutating func end(at now: Instant) -> Bool {
    if case .ended = self { return false }
    self = .ended(at: now)
    return true
  }
}
