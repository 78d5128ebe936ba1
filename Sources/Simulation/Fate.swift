import APNs
import Devices
import Timeline

/// What became of a push after the gate.
///
/// Documented: the words are those of Apple's push console and metrics ("Viewing the status of push notifications
/// using metrics and APNs"); where Apple has none, they are our own
/// (docs/behavior/delivery.md).
package enum Fate: Hashable, Sendable {
  /// APNs did not take it.
  case refused
  /// The device has it.
  case delivered(Reaction)
  case deliveredFromStorage(Reaction)
  case stored(Storage)
  case discarded(Discard)

  /// Why APNs keeps a push for later.
  package enum Storage: Hashable, Sendable {
    case offline
    /// Priority 5 waits until it suits the device.
    case power(until: Instant)
  }

  /// Why APNs, having said 200, gives a push up. Each has its section in
  /// docs/behavior/delivery.md#causes-of-a-discard.
  package enum Discard: String, CaseIterable, Hashable, Sendable {
    /// The app was deleted, and APNs did not know it.
    case appAbsent = "app-absent"
    /// The token was replaced by another, and APNs did not know it.
    case orphanToken = "orphan-token"
    /// The Live Activity is over, and APNs did not know it.
    case activityOver = "activity-not-active"
    case expired
    /// Its expiration was 0, so it had one attempt.
    case notStored = "not-stored"
    case superseded = "superseded-in-store"
    case collapsed
    case coalesced
    /// Too much is stored already.
    case storeFull = "store-full"
    /// A fault ordered it.
    case byFault = "fault"

    package var sentence: String {
      switch self {
      case .appAbsent: "the app was deleted, which APNs does not know yet; it answers 200 until it does, then 410"
      case .orphanToken: "the token was replaced by a newer one, which APNs does not know yet"
      case .activityOver:
        "the activity is over, and its token still answers 200; until when, lives.deadActivityAnswer decides"
      case .expired: "it could not be delivered before its apns-expiration, or while APNs keeps a push without one"
      case .notStored: "the device is offline, and with apns-expiration 0 APNs makes one attempt and stores nothing"
      case .superseded: "the device is offline, and a newer push to the same token took its place in storage"
      case .collapsed: "the device is offline, and a newer push of the same apns-collapse-id took its place in storage"
      case .coalesced: "it waited for its priority 5, and a newer update of the same activity took its place"
      case .storeFull: "more is stored than Pushpit keeps"
      case .byFault: "a fault that is set ordered that it be lost"
      }
    }
  }

  package var words: String { Self.allWords[number] }

  /// What the device made of it, if it has it.
  package var reaction: Reaction? {
    switch self {
    case .delivered(let reaction), .deliveredFromStorage(let reaction): reaction
    case .refused, .stored, .discarded: nil
    }
  }

  /// Whether this is the last word on the push.
  package var isFinal: Bool {
    if case .stored = self { return false }
    return reaction?.isFinal ?? true
  }
}

/// A later station of a push, and when it was reached.
package struct FateStep: Hashable, Sendable {
  package let fate: Fate
  package let at: Instant
}
