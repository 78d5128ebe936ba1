import Timeline

/// A push whose fate or answer may still change, as far as it has come.
///
/// A class, because the table of lives moves its entries. Immutable, because logs are values; most lives change only
/// once, and end with that.
final class PushLife: Sendable {
  /// The push, as it was read when it was answered.
  let record: PushRecord
  let fate: Fate
  /// The answer sent so far.
  let sent: SentAnswer
  /// Notes of readers, which they get back with each change of the push.
  let notes: Notes

  /// Notes of readers about a push, made when it is answered.
  struct Notes: Sendable {
    /// Number of the scenario step that sent the push; nil if no step did.
    var step: Int?
    /// Nil if the push belongs to no session.
    var owner: SessionOwner?
    /// Nil without a report, and for pushes beyond those that the report follows.
    var trace: RunTally.Trace?
  }

  /// A push that was just answered.
  convenience init(_ record: PushRecord, _ notes: Notes) {
    self.init(record, fate: record.firstFate, sent: record.firstSent, notes: notes)
  }

  init(_ record: PushRecord, fate: Fate, sent: SentAnswer, notes: Notes) {
    self.record = record
    self.fate = fate
    self.sent = sent
    self.notes = notes
  }

  var number: UInt64 { record.sequence }

  /// True if another fate or another answer is likely to follow.
  var isOpen: Bool { Self.isOpen(fate, sent) }

  @inline(__always)
  fileprivate static func isOpen(_ fate: Fate, _ sent: SentAnswer) -> Bool {
    if case .pending = sent { true } else { !fate.isFinal }
  }
}

extension PushRecord {
  /// True if another fate or another answer was likely to follow when the push was answered.
  var wasOpen: Bool { PushLife.isOpen(firstFate, firstSent) }
}

/// A change in the life of a push.
struct PushChange: Sendable {
  let before: PushLife
  /// The fate now, and the answer sent so far. One of the two may be the same as before.
  let fate: Fate
  let sent: SentAnswer

  var record: PushRecord { before.record }

  /// True if another fate or another answer is likely to follow.
  var isOpen: Bool { PushLife.isOpen(fate, sent) }

  /// The push after the change.
  func after() -> PushLife { PushLife(record, fate: fate, sent: sent, notes: before.notes) }
}
