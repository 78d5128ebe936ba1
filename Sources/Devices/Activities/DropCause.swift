import APNs

/// Why a phone drops a push in silence, by the names its log lines have.
///
/// The order of the pipeline; each has its section in docs/behavior/dropped-pushes.md#causes.
package enum DropCause: String, CaseIterable, Hashable, Sendable {
  case notJSON = "payload-unreadable"
  case activitiesOff = "la-disabled"
  case unknownEvent = "unknown-event"
  case wrongTokenKind = "wrong-token-kind"
  case activityNotActive = "activity-not-active"
  case awaitingPermission = "awaiting-permission"
  case forceQuit = "force-quit"
  case lowPower = "low-power"
  case startBudget = "pts-budget-exceeded"
  case updateBudget = "update-budget-exceeded"
  case coalesced = "coalesced"
  case noAlertConfiguration = "no-alert-configuration"
  case alertNotDictionary = "alert-not-dictionary"
  case unknownAttributesType = "unknown-attributes-type"
  case osTooOld = "os-too-old"
  case contradictoryInput = "contradictory-input-keys"
  case attributesDecode = "attributes-decode"
  case contentStateDecode = "content-state-decode"
  case missingTimestamp = "missing-timestamp"
  case staleTimestamp = "stale-timestamp"
  case startTooOld = "start-too-old"
  case combinedSize = "combined-size"
  case targetLimit = "target-limit"
  case globalLimit = "global-limit"
  case renderFailed = "render-failed"
  case appAbsent = "app-absent"
  case tooManyHeld = "too-many-held"

  /// What happened, in a sentence a backend developer understands.
  package var sentence: String {
    switch self {
    case .notJSON: "the payload is no JSON object with an aps object in it"
    case .activitiesOff: "Live Activities are switched off for the app or the device"
    case .unknownEvent: "aps.event must be start, update or end"
    case .wrongTokenKind:
      "a push-to-start token only starts activities, an update token only updates and ends its own one"
    case .activityNotActive: "the activity is over"
    case .awaitingPermission:
      "the person has not answered the question under the card, and until then nothing changes it"
    case .forceQuit: "the app was force-quit so long ago that its activities take no more updates"
    case .lowPower: "Low Power Mode lets no push start a Live Activity"
    case .startBudget: "the app's budget of starts by push is spent on this device"
    case .updateBudget: "the hourly budget of priority 10 updates was spent"
    case .coalesced: "it was held back for its priority 5, and a newer update took its place"
    case .osTooOld: "this version of iOS knows no broadcast channels, so a start that names one starts nothing"
    case .noAlertConfiguration: "a start needs aps.alert, a dictionary with title and body"
    case .alertNotDictionary: "aps.alert of a start must be a dictionary with title and body, not a string"
    case .unknownAttributesType: "aps.attributes-type must be the name of the app's Swift type, letter by letter"
    case .contradictoryInput: "a start names input-push-token or input-push-channel, not both"
    case .attributesDecode: "aps.attributes does not decode into the app's type"
    case .contentStateDecode: "aps.content-state does not decode into the app's type"
    case .missingTimestamp: "aps.timestamp must be a number of seconds since 1970"
    case .staleTimestamp: "aps.timestamp is not newer than the last one applied to this activity"
    case .startTooOld: "aps.timestamp of the start is too far in the past"
    case .combinedSize: "attributes and content state together are larger than 4,096 bytes"
    case .targetLimit: "the app has as many Live Activities as it may"
    case .globalLimit: "the device has as many Live Activities as it may"
    case .appAbsent: "the app was deleted while the phone held the push"
    case .tooManyHeld: "the phone holds as much as it can already"
    case .renderFailed: "an image is larger than the presentation it is drawn in, so the card was never shown"
    }
  }
}

/// What a push was dropped for, beside the cause. It is put into words where somebody reads them: a load test drops a
/// million pushes, and nobody reads why.
package enum DropDetail: Hashable, Sendable {
  case words(String)
  /// Seconds since 1970; and the push that the newest came with, where it was one.
  indirect case stale(Double, after: Double, of: UInt64?)

  package var text: String {
    switch self {
    case .words(let text): text
    case .stale(let timestamp, let newest, let push): Timestamps.stale(timestamp, after: newest, of: push)
    }
  }
}

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
