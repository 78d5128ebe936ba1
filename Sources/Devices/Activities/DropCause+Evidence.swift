import APNs

extension DropCause {
  /// How we know that a phone drops for it.
  package var evidence: Evidence { source.told(in: "dropped-pushes.md#\(rawValue)") }

  private var source: Evidence {
    let article = "Apple, Starting and updating Live Activities with ActivityKit push notifications"
    return switch self {
    case .notJSON, .appAbsent, .tooManyHeld, .unknownEvent, .missingTimestamp, .contradictoryInput:
      .assumed("the payload cannot be carried out; no log of a phone was found")
    case .wrongTokenKind:
      .observed("an end sent to a push-to-start token changed nothing; an update is assumed to do the same")
    case .osTooOld: .documented(article)
    case .noAlertConfiguration: .observed("device logs of iOS 26.4: the start had no alert configuration")
    case .alertNotDictionary: .observed("Server side Live Activities guide: it fails in silence")
    case .unknownAttributesType: .documented(article + "; the silence is observed")
    case .attributesDecode, .contentStateDecode: .observed("on-device study on iOS 26.5: the whole push is discarded")
    case .staleTimestamp: .documented(article + "; that an equal one is ignored is observed")
    case .combinedSize: .documented(article + "; the drop is assumed")
    case .targetLimit:
      .disputed("five per app by PushWard and OneSignal; the drop is assumed, Adobe says older ones may end")
    case .globalLimit: .assumed("the limit exists, its size is not published")
    case .activityNotActive: .documented(article)
    case .activitiesOff: .documented(article + "; that a push start is dropped in silence is assumed")
    case .awaitingPermission: .observed("forum thread 836077; mfaani.com on the Allow prompt")
    case .forceQuit: .observed("voltra issue 119: 20 to 30 minutes, then silence; off unless set")
    case .lowPower: .observed("Sitrep, a public project")
    case .startBudget: .observed("an Apple engineer in forum thread 799505: about ten, separate from updates")
    case .updateBudget: .documented(article + "; the number is not published, 15 and 240 are observed")
    case .coalesced:
      .documented(article + ": priority 5 is not delivered at once; that newer replaces older is assumed")
    case .startTooOld: .observed("mfaani.com: tens of seconds may be too old; off unless set")
    case .renderFailed: .documented("Apple, Displaying live data with Live Activities")
    }
  }
}
