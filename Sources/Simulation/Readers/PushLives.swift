/// The pushes whose fate or answer may still change.
///
/// Readers get each change of a push together with its earlier state, and keep no table of their own. A life ends when
/// the fate and the answer are final, or when the world begins anew. There are no more lives than pushes that the world
/// itself keeps: on phones, in the store, or with an answer that waits.
struct PushLives: Sendable {
  private var lives = NumberTable<PushLife>()

  var count: Int { lives.count }

  /// Follows a push, unless nothing about it will change.
  mutating func follow(_ life: PushLife) { if life.isOpen { lives[life.number] = life } }

  /// A push has another fate.
  ///
  /// - Returns: nil if the push is not followed.
  mutating func settle(_ number: UInt64, _ fate: Fate) -> PushChange? {
    guard let life = lives[number] else { return nil }
    return change(life, fate: fate, sent: life.sent)
  }

  /// Another answer was sent to a push.
  ///
  /// - Parameters:
  ///   - sent: the new answer.
  ///   - pushLog: has the pushes that are no longer followed; their streams may still end too early.
  /// - Returns: nil if nothing is known of the push, or if nothing more could be sent.
  mutating func answer(_ number: UInt64, sent: SentAnswer, in pushLog: PushLog) -> PushChange? {
    if let life = lives[number] { return life.sent.isOpen ? change(life, fate: life.fate, sent: sent) : nil }
    guard let record = pushLog.push(number: number), record.sent.isOpen else { return nil }
    return change(PushLife(record, fate: record.fate, sent: record.sent, notes: .init()), fate: record.fate, sent: sent)
  }

  /// The change that an event makes to a push.
  ///
  /// - Parameter index: of the event, which is read in place.
  @inline(__always)
  mutating func change(_ events: [WorldEvent], at index: Int, in pushLog: PushLog) -> PushChange? {
    switch events[index] {
    case .pushSettled(let number, _, let fate, _): settle(number, fate)
    case .answerSent(let number, let sent, _): answer(number, sent: sent, in: pushLog)
    default: nil
    }
  }

  private mutating func change(_ life: PushLife, fate: Fate, sent: SentAnswer) -> PushChange {
    let change = PushChange(before: life, fate: fate, sent: sent)
    lives[life.number] = change.isOpen ? change.after() : nil
    return change
  }

  /// Changes the notes about a push that is followed.
  mutating func note(_ number: UInt64, _ change: (inout PushLife.Notes) -> Void) {
    guard let life = lives[number] else { return }
    var notes = life.notes
    change(&notes)
    lives[number] = PushLife(life.record, fate: life.fate, sent: life.sent, notes: notes)
  }
}
