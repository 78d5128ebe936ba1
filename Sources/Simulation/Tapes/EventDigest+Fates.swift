import Devices
import Timeline

extension EventDigest {
  mutating func add(_ fate: Fate) {
    switch fate {
    case .refused: add(1 as UInt64)
    case .delivered(let reaction):
      add(2 as UInt64)
      add(reaction)
    case .deliveredFromStorage(let reaction):
      add(3 as UInt64)
      add(reaction)
    case .stored(.offline): add(4 as UInt64)
    case .stored(.power(let until)):
      add(5 as UInt64)
      add(until)
    case .discarded(let cause):
      add(6 as UInt64)
      add(cause.rawValue)
    }
  }

  private mutating func add(_ reaction: Reaction) {
    switch reaction {
    // What a card showed before came from pushes that were summed up themselves.
    case .started(let number, let remarks): add(1, number, remarks)
    case .updated(let number, let remarks, let before):
      add(2, number, remarks)
      add(before.isStale)
    case .ended(let number, let dismissal, let remarks, let before):
      add(3, number, remarks)
      add(dismissal)
      add(before.isStale)
    case .held(let why, let until):
      add(why.rawValue)
      add(until)
    case .dropped(let cause, let detail):
      add(cause.rawValue)
      add(detail?.text ?? "")
    case .notified(let shown): add(shown)
    case .background(let outcome): add(outcome)
    case .call(let outcome): add(outcome)
    case .service(let reaction): add(reaction.rawValue)
    }
  }

  private mutating func add(_ kind: UInt64, _ number: UInt32, _ remarks: Remarks) {
    add(kind << 48 | UInt64(remarks.rawValue) << 32 | UInt64(number))
  }

  private mutating func add(_ shown: Presentation) {
    add(shown.shape.rawValue)
    add(shown.cause.rawValue)
    for number in [shown.number, shown.replaced] { add(Int64(number.map { Int64($0) } ?? -1)) }
    if let alert = shown.alert { for text in [alert.title, alert.subtitle, alert.body] { add(text) } }
    add(shown.sound?.name ?? "")
    add(Int64(shown.badge ?? -1))
    add(shown.lightsScreen)
  }

  private mutating func add(_ outcome: BackgroundWakes.Outcome) {
    switch outcome {
    case .woken(let until):
      add(1 as UInt64)
      add(until)
    case .deliveredToRunning: add(2 as UInt64)
    case .held(let cause, let until):
      add(cause.rawValue)
      add(until?.nanoseconds ?? 0)
    case .discarded(let cause): add(cause.rawValue)
    case .notWoken: add(3 as UInt64)
    }
  }

  private mutating func add(_ outcome: CallReports.Outcome) {
    add(outcome.name)
    switch outcome {
    case .rang(let launched): add(launched)
    case .killed(let failures): add(UInt64(failures))
    case .killedAndStopped(let until), .notDelivered(let until): add(until)
    }
  }
}
