import APNs

extension DropCause {
  /// Evidence that a phone drops pushes for this cause; a `Circumstance` may have different evidence.
  package var evidence: Evidence { source.told(in: section) }

  fileprivate var section: String {
    let isByAPNs = self == .expired || self == .notStored || self == .coalesced
    let page = isByAPNs ? "delivery.md" : "dropped-pushes.md"
    return "\(page)#\(rawValue)"
  }

  private var source: Evidence {
    let article = "Apple, Starting and updating Live Activities with ActivityKit push notifications"
    return switch self {
    case .unknownEvent: .observed("node-apn issue 133: the phone logs that a message has no event type")
    case .notJSON, .noAPS, .contradictoryInput:
      .assumed("the payload cannot be processed; no log of a phone was found")
    case .appAbsent: .assumed("no app is left to receive it")
    case .tooManyHeld: .assumed("a limit of this program")
    case .wrongTokenKind: .observed("Server side Live Activities guide: an end sent to a push-to-start token")
    case .osTooOld: .assumed("the drop; Apple documents that broadcasts begin with iOS 18")
    case .expired:
      .documented("Apple, Viewing the status of push notifications using metrics and APNs")
    case .notStored: .documented("Apple, Sending notification requests to APNs: 0 is not stored")
    case .noAlertConfiguration: .observed("device logs of iOS 26.4: the start had no alert configuration")
    case .alertNotDictionary: .observed("Server side Live Activities guide: it fails silently")
    case .unknownAttributesType: .observed("Sightscreen's guide: the drop is silent; Apple documents what is required")
    case .attributesDecode, .contentStateDecode: .observed("on-device study on iOS 26.5: the whole push is discarded")
    case .missingTimestamp: .assumed("the drop; Apple documents that it is required")
    case .staleTimestamp: .documented(article + ": the newest counts")
    case .combinedSize: .assumed("the drop; Apple documents the limit")
    case .targetLimit:
      .disputed("five per app by PushWard and OneSignal; assumed: the drop; Adobe says that older ones may end")
    case .globalLimit: .assumed("the drop, and the size of the limit; Apple documents that there is one")
    case .activityNotActive: .documented("Apple, ActivityState")
    case .activitiesOff: .assumed("the silent drop; Apple documents the switch")
    case .awaitingPermission: .observed("forum thread 836077; mfaani.com on the Allow prompt")
    case .forceQuit: .observed("voltra issue 119: 20 to 30 minutes, then silence; off unless set")
    case .lowPower: .observed("Sitrep, a public project")
    case .startBudget: .observed("an Apple engineer in forum thread 799505: about ten, separate from updates")
    case .updateBudget:
      .disputed("vendors say that they are dropped, forum thread 797554 saw them late; Apple says throttled")
    case .coalesced: .assumed("the newer replaces the older; Apple documents that priority 5 may wait")
    case .startTooOld: .observed("mfaani.com: tens of seconds may be too old; off unless set")
    case .renderFailed: .assumed("the drop; Apple documents that the system might fail to start the activity")
    }
  }

  /// A property of a dropped push for which the evidence differs from that of the cause.
  package enum Circumstance: CaseIterable, Hashable, Sendable {
    /// An end was seen, an update was not.
    case updateToStartToken
    case startToUpdateToken
    /// Observed for a push without an event, but not for an unknown event.
    case otherEvent
    /// Older ones are documented.
    case equalTimestamp
    /// A setting holds it until the question is answered.
    case broadcastBeforeAllow

    package var cause: DropCause {
      switch self {
      case .updateToStartToken, .startToUpdateToken: .wrongTokenKind
      case .otherEvent: .unknownEvent
      case .equalTimestamp: .staleTimestamp
      case .broadcastBeforeAllow: .awaitingPermission
      }
    }

    package var evidence: Evidence { source.told(in: cause.section) }

    private var source: Evidence {
      switch self {
      case .updateToStartToken: .assumed("no source describes an update sent to a push-to-start token")
      case .startToUpdateToken: .assumed("no source describes a start on an update token")
      case .otherEvent: .assumed("no source describes an unknown event")
      case .equalTimestamp:
        .observed("Sightscreen's guide; Live Activities Introduction and Setup, part 2: an equal one is ignored")
      case .broadcastBeforeAllow:
        .disputed("mfaani.com saw that Allow is not needed for a broadcast; a setting differs")
      }
    }
  }
}
