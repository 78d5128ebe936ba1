import Timeline

extension LiveActivity {
  /// How far an activity has come by what was done to it; what the clock does to it is not in here.
  ///
  ///     scheduled ──commence──▶ running ◀──answer──▶ running, asked again ──┐
  ///                               ▲ answer                                  ├─end─▶ ended
  ///                           prompting ────────────────────────────────────┘
  enum Phase: Hashable, Sendable {
    /// Its card comes later.
    case scheduled
    /// The question under its card has not been answered.
    case prompting
    /// Asked again: the question is back under its card, which goes on running.
    case running(isAskedAgain: Bool)
    case ended(at: Instant)
  }

  /// What an answer to the question under a card leads to.
  package enum Answer: Hashable, Sendable {
    /// There is no question.
    case notAsked
    /// It may run now.
    case begins
    /// It ran before and goes on.
    case goesOn
    case denied
  }
}

extension LiveActivity.Phase {
  var endedAt: Instant? { if case .ended(let instant) = self { instant } else { nil } }
  var isRunning: Bool { if case .running = self { true } else { false } }
  var isAskedAgain: Bool { self == .running(isAskedAgain: true) }

  /// It is to begin later. Only one that has just been made can be.
  mutating func schedule() {
    guard case .running(isAskedAgain: false) = self else { return }
    self = .scheduled
  }

  /// Its date has come. False when it does not wait for one.
  mutating func commence() -> Bool {
    guard case .scheduled = self else { return false }
    self = .running(isAskedAgain: false)
    return true
  }

  /// The question is put for the first time: nothing runs before it is answered.
  mutating func ask() {
    guard case .running = self else { return }
    self = .prompting
  }

  /// The question is put once more to one that runs.
  mutating func askAgain() {
    guard case .running = self else { return }
    self = .running(isAskedAgain: true)
  }

  /// A denied one waits for its end as it is.
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

  /// False when it has ended before.
  mutating func end(at now: Instant) -> Bool {
    if case .ended = self { return false }
    self = .ended(at: now)
    return true
  }
}
