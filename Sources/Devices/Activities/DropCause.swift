import APNs
import WireFormats

/// The reason why a phone drops a push silently. The raw values appear in the log.
///
/// The cases are in the order of the phone's checks; docs/behavior/dropped-pushes.md#causes has a section for each.
package enum DropCause: String, CaseIterable, Hashable, Sendable {
  case notJSON = "payload-unreadable"
  case noAPS = "aps-missing"
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
  /// APNs discards it before the phone receives it, as it does with what is coalesced.
  case expired = "expired"
  case notStored = "not-stored"

  /// A clause about the cause, for backend developers.
  package var sentence: String {
    switch self {
    case .notJSON: "the payload is not a JSON object in UTF-8"
    case .noAPS: "the payload is JSON, but it has no aps object"
    case .activitiesOff: "Live Activities are turned off for the app or the device"
    case .unknownEvent: "aps.event must be start, update or end"
    case .wrongTokenKind:
      "a push-to-start token only starts activities, an update token only updates and ends its own activity"
    case .activityNotActive: "the activity has ended"
    case .awaitingPermission:
      "the person has not yet answered Allow or Don't Allow on the card; until then updates are dropped"
    case .forceQuit: "the app was force-quit so long ago that its activities no longer accept updates"
    case .lowPower: "in Low Power Mode a push cannot start a Live Activity"
    case .startBudget: "the app's budget of starts by push on this device was spent"
    case .updateBudget: "the hourly budget of priority 10 updates was spent"
    case .coalesced: "it was deferred because of its priority 5, and a newer update replaced it"
    case .osTooOld: "this version of iOS does not support broadcast channels, so a start that names one is ignored"
    case .noAlertConfiguration: "a start needs aps.alert, a dictionary with title and body"
    case .alertNotDictionary: "aps.alert of a start must be a dictionary with title and body, not a string"
    case .unknownAttributesType: "aps.attributes-type must be the name of the app's Swift type, with the same case"
    case .contradictoryInput: "a start must name input-push-token or input-push-channel, not both"
    case .attributesDecode: "aps.attributes does not decode into the app's type"
    case .contentStateDecode: "aps.content-state does not decode into the app's type"
    case .missingTimestamp: "aps.timestamp must be a number of seconds since 1970"
    case .staleTimestamp: "aps.timestamp is not newer than the last one applied to this activity"
    case .startTooOld: "aps.timestamp of the start is too far in the past"
    case .combinedSize: "attributes and content state together are larger than 4,096 bytes"
    case .targetLimit: "the app has reached its limit of Live Activities"
    case .globalLimit: "the device has reached its limit of Live Activities"
    case .appAbsent: "the app was deleted, or the phone was restored, while the push waited"
    case .expired: "it could not be delivered before its apns-expiration"
    case .notStored: "it had to wait, and with apns-expiration 0 APNs does not store a push"
    case .tooManyHeld: "the phone cannot hold more pushes"
    case .renderFailed: "an image is larger than the presentation it is drawn in, so the activity did not start"
    }
  }
}

/// Details of a drop, besides its cause. They are turned into text only on request: a load test drops a million
/// pushes, but few of these details are ever read.
package enum DropDetail: Hashable, Sendable {
  case words(String)
  /// Seconds since 1970, and the number of the push with the newest timestamp, if a push brought it.
  indirect case stale(Double, after: Double, of: UInt64?)
  /// The push whose payload is not a JSON object.
  indirect case unreadable(UnreadableBody)

  package var text: String {
    switch self {
    case .words(let text): text
    case .unreadable(let body): JSONFault.sentence(ofNoObject: body.request.body)
    case .stale(let timestamp, let newest, let push): Timestamps.stale(timestamp, after: newest, of: push)
    }
  }
}

/// A payload that is not a JSON object. Two are equal if their bytes are, whatever else is in their requests.
package struct UnreadableBody: Hashable, Sendable {
  let request: HTTPRequest

  package static func == (left: UnreadableBody, right: UnreadableBody) -> Bool {
    left.request.body == right.request.body
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(request.body) }
}
