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
    guard let life = lives.removeValue(forKey: number) else { return nil }
    return change(life, to: fate, life.sent)
  }

  /// Another answer was sent to a push.
  ///
  /// - Returns: nil if the push is not followed, or if nothing more could be sent.
  mutating func answer(_ number: UInt64, _ sent: SentAnswer) -> PushChange? {
    guard let life = lives.removeValue(forKey: number) else { return nil }
    guard life.sent.isOpen else {
      lives[number] = life
      return nil
    }
    return change(life, to: life.fate, sent)
  }

  private mutating func change(_ life: PushLife, to fate: Fate, _ sent: SentAnswer) -> PushChange {
    let change = PushChange(before: life, fate: fate, sent: sent)
    if change.isOpen { lives[life.number] = PushLife(life.record, fate: fate, sent: sent, life.notes) }
    return change
  }

  /// Changes the notes about a push that is followed.
  mutating func note(_ number: UInt64, _ change: (inout PushLife.Notes) -> Void) {
    guard let life = lives[number] else { return }
    var notes = life.notes
    change(&notes)
    lives[number] = PushLife(life.record, fate: life.fate, sent: life.sent, notes)
  }

  func follows(_ number: UInt64) -> Bool { lives[number] != nil }
}
