import APNs
import Devices
import WireFormats

extension Fate.Discard {
  /// Evidence that APNs discards a push for this cause.
  package var evidence: Evidence { source.told(in: section) }

  /// Evidence that APNs discards a stored push for this cause.
  package var evidenceFromStorage: Evidence {
    switch self {
    case .appAbsent, .activityOver: .documented(metrics + ": a token that is not active any more").told(in: section)
    default: evidence
    }
  }

  /// Evidence that a push without `apns-expiration` is not stored, if a setting asks for that.
  package static let untimed = Evidence.disputed(
    "stored for 30 days according to Apple; micromdm issue 609, fleet issue 43812 and air issue 1563: sent once"
  ).told(in: "delivery.md#expiration")

  private var section: String { "delivery.md#\(rawValue)" }

  private var source: Evidence {
    switch self {
    case .appAbsent: .observed("apns2 issues 77 and 159; forum thread 670868")
    case .orphanToken: .observed("luka-ios pull request 146: weeks of accepted starts")
    case .deadStartToken: .observed("home-assistant iOS issue 5812: no start after the update to iOS 27.0")
    case .activityOver:
      .disputed("410 according to an Apple engineer and many servers, 200 forever according to one project")
    case .expired, .notStored: .documented("Apple, Sending notification requests to APNs: apns-expiration")
    case .replaced: .documented("Apple, Pushing background updates to your App")
    case .superseded:
      .disputed(
        "one per bundle id according to an article of Apple's, several according to another; a relay saw several")
    case .collapsed: .observed("home-assistant mobile-apps-fcm-push pull request 331; LoopFollow pull request 625")
    case .coalesced: .assumed("priority 5 is not delivered at once; inferred: newer replaces older")
    case .storeFull: .assumed("Pushpit's own limit")
    case .certificate: .disputed("one guide says that a certificate fails silently; on the wire APNs rejects the topic")
    case .overwritten: .documented("Apple, Troubleshooting push notifications; assumed: the time")
    case .olderKept:
      .documented("Apple, Sending notification requests to APNs: in most cases the latest; assumed: how often not")
    case .byFault, .lost: .assumed("ordered by whoever set the fault")
    }
  }
}

private let metrics = "Apple, Viewing the status of push notifications using metrics and APNs"

extension Fate.Passage {
  /// Evidence that a push is on its way for some time.
  package var evidence: Evidence {
    switch self {
    case .late, .overtaken:
      .assumed("ordered by whoever set the fault").told(in: "delivery.md#\(rawValue)")
    case .unacknowledged:
      .documented("Apple, Troubleshooting push notifications; assumed: the time").told(in: "delivery.md#overwritten")
    }
  }
}

extension Reaction.Hold {
  /// Evidence that a push is deferred for this cause.
  package var evidence: Evidence {
    switch self {
    case .budget:
      .disputed("forum thread 797554 saw them late, vendors say that they are dropped").told(
        in: "budgets.md#beyond-the-budget")
    case .lowPriority: .documented(metrics + "; assumed: the times").told(in: "delivery.md#\(rawValue)")
    case .throttled: WakeCause.throttled.evidence
    case .lowPower: WakeCause.lowPower.evidence
    case .refreshOff: WakeCause.refreshOff.evidence
    case .serviceExtension:
      .documented("Apple, UNNotificationServiceExtension: about 30 s").told(in: "notifications.md#extension-ran-out")
    }
  }
}

extension DropCause {
  /// Evidence that a phone drops a broadcast for this cause.
  package func evidence(ofBroadcast detail: DropDetail?) -> Evidence {
    if self == .awaitingPermission { return Circumstance.broadcastBeforeAllow.evidence }
    return detail?.isEqualTimestamp == true ? Circumstance.equalTimestamp.evidence : evidence
  }
}

extension DropDetail {
  /// The last timestamp once more, where any older one is documented to be dropped.
  fileprivate var isEqualTimestamp: Bool {
    if case .stale(let timestamp, let newest, _) = self { timestamp == newest } else { false }
  }
}

extension PushRecord {
  private static let article = "Apple, Starting and updating Live Activities with ActivityKit push notifications"

  /// Evidence for the phone's reaction to this push. The body may decide which evidence holds.
  package func evidence(_ reaction: Reaction) -> Evidence? {
    switch reaction {
    case .started(_, let remarks): evidence(remarks, "live-activities.md#start-by-push")
    case .updated(_, let remarks, _): evidence(remarks, "live-activities.md#timestamps")
    case .ended(_, _, let remarks, _): evidence(remarks, "live-activities.md#dismissal-date")
    case .held(let why, _): why.evidence
    case .dropped(let cause, let detail): circumstance(cause, detail)?.evidence ?? cause.evidence
    case .notified(let shown): evidence(shown.cause)
    case .background(.woken), .background(.deliveredToRunning): wakeEvidence
    case .background(.held(let cause, _)), .background(.discarded(let cause)): cause.evidence
    case .background(.notWoken): WakeCause.notWoken.evidence
    case .call(let outcome): outcome.evidence
    case .service(let service): service.evidence
    }
  }

  /// Remarks whose evidence applies in place of the article's.
  private static let deciding: Remarks = [.channelUnknown, .millisecondTimestamp]

  private func evidence(_ remarks: Remarks, _ section: String) -> Evidence {
    let known = Remarks.all.first { remarks.intersection(Self.deciding).contains($0.remark) }
    return known?.evidence ?? .documented(Self.article).told(in: section)
  }

  private func evidence(_ cause: PresentationCause) -> Evidence {
    guard cause == .noText, let payload = notification(), payload.alert == nil else {
      return cause.evidence
    }
    return PresentationCause.badgeOrSoundAlone
  }

  private var wakeEvidence: Evidence {
    guard push.type != nil else { return Self.untypedWake }
    return .documented("Apple, Pushing background updates to your App").told(in: "background-pushes.md#wake")
  }

  package static let untypedWake = Evidence.disputed(
    "Apple recommends the header; node-apn pull request 14 says that the type and the flag are both needed"
  ).told(in: "background-pushes.md#push-type-alert")

  private func circumstance(_ cause: DropCause, _ detail: DropDetail?) -> DropCause.Circumstance? {
    switch cause {
    case .wrongTokenKind:
      if case .update? = address?.slot { return .startToUpdateToken }
      return activityEvent == .update ? .updateToStartToken : nil
    case .unknownEvent: return hasEvent ? .otherEvent : nil
    case .staleTimestamp: return detail?.isEqualTimestamp == true ? .equalTimestamp : nil
    default: return nil
    }
  }
}
