import Devices
import Simulation
import Timeline
import WireFormats

extension EventDigest {
  mutating func combine(_ fate: Fate) {
    switch fate {
    case .refused: combine(1 as UInt64)
    case .delivered(let reaction):
      combine(2 as UInt64)
      combine(reaction)
    case .deliveredFromStorage(let reaction):
      combine(3 as UInt64)
      combine(reaction)
    case .stored(.offline): combine(4 as UInt64)
    case .stored(.power(let why, let until)):
      combine(5 as UInt64)
      combine(why.rawValue)
      combine(until)
    case .discarded(let cause):
      combine(6 as UInt64)
      combine(cause.rawValue)
    case .discardedFromStorage(let cause):
      combine(7 as UInt64)
      combine(cause.rawValue)
    case .onTheWay(let why, let until):
      combine(8 as UInt64)
      combine(why.rawValue)
      combine(until)
    }
  }

  private mutating func combine(_ reaction: Reaction) {
    switch reaction {
    case .started(let number, let remarks): combine(1, number: number, remarks: remarks)
    case .updated(let number, let remarks, let before):
      combine(2, number: number, remarks: remarks)
      combine(before)
    case .ended(let number, let dismissal, let remarks, let before):
      combine(3, number: number, remarks: remarks)
      combine(dismissal)
      combine(before)
    case .held(let why, let until):
      combine(why.rawValue)
      combine(until)
    case .dropped(let cause, let detail):
      combine(cause.rawValue)
      combine(detail) { $0.combine($1) }
    case .notified(let shown): combine(shown)
    case .background(let outcome): combine(outcome)
    case .call(let outcome): combine(outcome)
    case .service(let reaction): combine(reaction.rawValue)
    }
  }

  /// Adds what the words of a reaction leave out.
  mutating func combineWordless(_ reaction: ReactionKind) {
    switch reaction {
    case .background(let outcome): combine(outcome)
    case .call(let outcome): combine(outcome)
    case .notified, .service, .started, .updated, .ended, .held, .dropped: break
    }
  }

  private mutating func combine(_ detail: DropDetail) {
    switch detail {
    // Without its text, whose dates cost more than all else of a push.
    case .stale(let timestamp, let newest, let push):
      combine(timestamp.bitPattern)
      combine(newest.bitPattern)
      combine(push) { $0.combine($1) }
    case .words, .unreadable: combine(detail.text)
    }
  }

  private mutating func combine(_ shown: Reaction.Shown) {
    combine(shown.isStale)
    switch shown.content {
    case .none: combine(0 as UInt64)
    case .push(let request):
      request.storage.withUnsafeBytes { combine(UnsafeRawBufferPointer(rebasing: $0[request.bodyStart...])) }
    case .local(let value): combine(value.text)
    }
  }

  private mutating func combine(_ kind: UInt64, number: UInt32, remarks: Remarks) {
    combine(kind << 48 | UInt64(remarks.rawValue) << 32 | UInt64(number))
  }

  private mutating func combine(_ shown: Presentation) {
    combine(shown.shape.rawValue)
    combine(shown.cause.rawValue)
    combine(shown.passage) { $0.combine($1.rawValue) }
    for number in [shown.number, shown.replaced] { combine(number) { $0.combine(UInt64($1)) } }
    combine(shown.alert) { for text in [$1.title, $1.subtitle, $1.body] { $0.combine(text) } }
    combine(shown.sound) {
      $0.combine($1.name)
      $0.combine($1.isCritical)
      $0.combine($1.volume.bitPattern)
    }
    combine(shown.badge) { $0.combine(Int64($1)) }
    combine(UInt64(shown.cleared))
    combine(UInt64(shown.remarks.bits))
    combine(shown.lightsScreen)
  }

  private mutating func combine(_ outcome: BackgroundWakes.Outcome) {
    switch outcome {
    case .woken(let until):
      combine(1 as UInt64)
      combine(until)
    case .deliveredToRunning: combine(2 as UInt64)
    case .held(let cause, let until):
      combine(cause.rawValue)
      combine(until) { $0.combine($1) }
    case .discarded(let cause): combine(cause.rawValue)
    case .notWoken: combine(3 as UInt64)
    }
  }

  private mutating func combine(_ outcome: VoIPCallReports.Outcome) {
    combine(outcome.name)
    switch outcome {
    case .rang(let launched): combine(launched)
    case .killed(let failures): combine(UInt64(failures))
    case .reportedLate(let delay, let failures):
      combine(delay.wholeNanoseconds)
      combine(UInt64(failures))
    case .killedAndStopped(let until), .notDelivered(let until): combine(until)
    }
  }
}
