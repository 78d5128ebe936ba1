import APNs

extension DropCause {
  /// How we know that a phone drops for it.
  package var evidence: Evidence {
    let article = "Apple, Starting and updating Live Activities with ActivityKit push notifications"
    return switch self {
    case .notJSON, .appAbsent, .tooManyHeld, .unknownEvent, .missingTimestamp, .contradictoryInput:
      .assumed("the payload cannot be carried out; no log of a phone was found")
    case .wrongTokenKind: .observed("seed 003: nothing happens; one source claims DeviceTokenNotForTopic")
    case .osTooOld: .documented(article)
    case .noAlertConfiguration: .observed("device logs of iOS 26.4: the start had no alert configuration")
    case .alertNotDictionary: .observed("seed 003")
    case .unknownAttributesType: .documented(article + "; the silence is seed 000's")
    case .attributesDecode, .contentStateDecode: .observed("on-device study on iOS 26.5: the whole push is discarded")
    case .staleTimestamp: .documented(article + "; that an equal one is ignored is seed 002's")
    case .combinedSize: .documented(article + "; the drop is assumed")
    case .targetLimit: .observed("five per app: PushWard and OneSignal documentation")
    case .globalLimit: .assumed("the limit exists, its size is not published")
    case .activityNotActive: .documented(article)
    case .activitiesOff: .documented(article + "; that a push start is dropped in silence is assumed")
    case .awaitingPermission: .observed("forum thread 836077; mfaani.com on the Allow prompt")
    case .forceQuit: .observed("voltra issue 119: 20 to 30 minutes, then silence; off unless set")
    case .lowPower: .observed("Sitrep, a public project")
    case .startBudget: .documented("forum thread 799505, an Apple engineer: about ten, separate from updates")
    case .updateBudget: .documented(article + "; the number is not published, 15 and 240 are observed")
    case .coalesced:
      .documented(article + ": priority 5 is not delivered at once; that newer replaces older is assumed")
    case .startTooOld: .observed("mfaani.com: tens of seconds may be too old; off unless set")
    case .renderFailed: .documented("Apple, Displaying live data with Live Activities")
    }
  }
}
