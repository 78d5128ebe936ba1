import APNs
import Devices
import Timeline

/// The effect of a push after validation, from APNs to the app.
///
/// Documented: the wording is that of Apple's push console and metrics ("Viewing the status of push notifications using
/// metrics and APNs"). Where Apple has no term, the wording is ours (docs/behavior/delivery.md).
package enum Fate: Hashable, Sendable {
  /// APNs rejected it.
  case refused
  /// The device received it.
  case delivered(Reaction)
  case deliveredFromStorage(Reaction)
  case stored(Storage)
  /// APNs has sent it, and the phone has not received it yet.
  case onTheWay(Passage, until: Instant)
  case discarded(Discard)
  /// The push was stored, and its token was unregistered when APNs delivered the push.
  case discardedFromStorage(Discard)

  /// The reason why APNs stores a push.
  package enum Storage: Hashable, Sendable {
    case offline
    /// Delivered when it suits the device.
    case power(Reaction.Hold, until: Instant)
  }

  /// The reason why a push is on its way for some time.
  package enum Passage: String, CaseIterable, Hashable, Sendable {
    case late = "late-on-the-way"
    /// The next push for its token arrives before it.
    case overtaken = "overtaken-on-the-way"
    /// The phone has not acknowledged it.
    case unacknowledged

    package var sentence: String {
      switch self {
      case .late: "it is on its way to the phone, which a fault makes long"
      case .overtaken:
        "it is on its way to the phone, and a fault lets the next push for its token overtake it"
      case .unacknowledged: "it is on its way to the phone, which has not acknowledged it (delivery.acknowledge)"
      }
    }
  }

  /// The reason why APNs discards a push after answering 200. docs/behavior/delivery.md#causes-of-a-discard has a
  /// section for each.
  package enum Discard: String, CaseIterable, Hashable, Sendable {
    /// The app was deleted, but APNs did not know it.
    case appAbsent = "app-absent"
    /// The token was replaced, but APNs did not know it.
    case orphanToken = "orphan-token"
    /// The push-to-start token stopped working with an update of iOS, but neither APNs nor the app knows it.
    case deadStartToken = "dead-start-token"
    /// The Live Activity has ended, but APNs did not know it.
    case activityOver = "activity-not-active"
    case expired
    /// The expiration of the push was 0, so APNs tried only once.
    case notStored = "not-stored"
    case superseded = "superseded-in-store"
    case collapsed
    case coalesced
    /// A background push that had to wait, and was replaced by a newer one.
    case replaced = "superseded"
    /// The storage limit was reached.
    case storeFull = "store-full"
    /// A Live Activity was sent by certificate, and a setting makes that fail silently.
    case certificate
    /// A fault ordered it.
    case byFault = "fault"
    /// A fault lost it between APNs and the phone.
    case lost = "lost-on-the-way"
    /// A newer push replaced it before the phone had acknowledged it.
    case overwritten
    /// An older push in storage was kept in its place.
    case olderKept = "older-kept"

    package var sentence: String {
      switch self {
      case .appAbsent:
        "the app was deleted, but APNs does not know it yet: it answers 200 for now, and 410 after"
          + " lives.uninstallNotice; the clock, or a fault that answers Unregistered, brings the 410 at once"
      case .orphanToken: "the token was replaced by a newer one, but APNs does not know it yet"
      case .deadStartToken:
        "the push-to-start token stopped working when iOS was updated, but neither APNs nor the app knows it; switching"
          + " Live Activities of the app off and on brings a new one"
      case .activityOver:
        "the activity has ended, and its token is still answered 200; lives.deadActivityAnswer sets for how long"
      case .expired: "it could not be delivered before its apns-expiration, or while APNs stores a push without one"
      case .notStored:
        "it could not be delivered at once, because the device is offline or saves power, and APNs stores no push with"
          + " apns-expiration 0"
      case .superseded: "the device is offline, and a newer push replaced it in storage, by the rule of store.per"
      case .collapsed: "the device is offline, and a newer push with the same apns-collapse-id replaced it in storage"
      case .coalesced: "it was deferred because of its priority 5, and a newer update of the same activity replaced it"
      case .replaced: WakeCause.superseded.sentence
      case .storeFull: "Pushpit's storage limit was reached"
      case .certificate:
        "it was sent by certificate, which cannot reach a Live Activity; rules.certificateLiveActivities makes APNs"
          + " answer 200 nevertheless"
      case .byFault: "a fault discarded it"
      case .overwritten:
        "a newer push overwrote it before the phone had acknowledged it (delivery.acknowledge): send what belongs"
          + " together in one push"
      case .olderKept:
        "the device is offline, and APNs kept an older push in its place (store.keeps): it does not promise to keep the"
          + " newest"
      case .lost: "it was lost on the way from APNs to the phone, by a fault"
      }
    }

    /// Of a push that APNs had stored.
    package var sentenceFromStorage: String {
      switch self {
      case .appAbsent: "the app was deleted while APNs kept the push, so its token is not registered any more"
      case .activityOver: "the activity ended while APNs kept the push, so its token is not registered any more"
      default: sentence
      }
    }
  }

  package var words: String { status.words }

  package var status: DeliveryStatus {
    switch self {
    case .refused: .refused
    case .delivered: isDisabled ? .discardedDisabled : .delivered
    case .deliveredFromStorage: isDisabled ? .discardedDisabledFromStorage : .deliveredFromStorage
    case .stored(.offline): .storedOffline
    case .stored(.power): .storedForPower
    case .onTheWay: .onTheWay
    case .discarded(let cause):
      switch cause {
      case .appAbsent, .orphanToken, .deadStartToken, .activityOver: .discardedUnregistered
      case .expired: .discardedExpired
      case .notStored, .storeFull: .discardedNotStored
      case .superseded, .collapsed, .coalesced, .replaced, .overwritten, .olderKept: .discardedReplaced
      case .certificate: .discardedForCertificate
      case .byFault: .discardedByFault
      case .lost: .lostOnTheWay
      }
    case .discardedFromStorage: .discardedUnregisteredFromStorage
    }
  }

  /// The reason why APNs discarded the push; nil if APNs did not.
  package var discard: Discard? {
    switch self {
    case .discarded(let cause), .discardedFromStorage(let cause): cause
    case .refused, .delivered, .deliveredFromStorage, .stored, .onTheWay: nil
    }
  }

  /// The device's reaction, if it received the push.
  package var reaction: Reaction? {
    switch self {
    case .delivered(let reaction), .deliveredFromStorage(let reaction): reaction
    case .refused, .stored, .onTheWay, .discarded, .discardedFromStorage: nil
    }
  }

  /// True if the phone discarded the push because notifications of the app are off.
  package var isDisabled: Bool {
    if case .notified(let shown)? = reaction { shown.cause == .permissionDenied } else { false }
  }

  /// True if the fate will not change any more.
  package var isFinal: Bool {
    switch self {
    case .stored, .onTheWay: return false
    case .refused, .delivered, .deliveredFromStorage, .discarded, .discardedFromStorage: break
    }
    return reaction?.isFinal ?? true
  }
}

/// A later fate of a push, and when it was reached.
package struct FateStep: Hashable, Sendable {
  package let fate: Fate
  package let at: Instant
}
