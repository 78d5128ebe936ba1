import Timeline

/// What became of a push once the device had it.
///
/// The provider was answered 200 in every one of these cases; only the ledger tells them apart.
package enum Reaction: Hashable, Sendable {
  /// An ordinary notification or a push of another service. What it shows is not modelled yet.
  case received
  case started(UInt32)
  case updated(UInt32)
  case ended(UInt32, dismissal: Instant)
  case dropped(DropCause, detail: String?)

  package static func dropped(_ cause: DropCause) -> Reaction { .dropped(cause, detail: nil) }
}

/// Why a phone drops a Live Activity push in silence, by the names its log lines have.
///
/// The numbers of the table are those of the device reference, 1.12.
package enum DropCause: String, CaseIterable, Hashable, Sendable {
  case notJSON = "payload-unreadable"
  case unknownEvent = "unknown-event"
  case wrongTokenKind = "wrong-token-kind"
  case osTooOld = "os-too-old"
  case noAlertConfiguration = "no-alert-configuration"
  case alertNotDictionary = "alert-not-dictionary"
  case unknownAttributesType = "unknown-attributes-type"
  case contradictoryInput = "contradictory-input-keys"
  case attributesDecode = "attributes-decode"
  case contentStateDecode = "content-state-decode"
  case missingTimestamp = "missing-timestamp"
  case staleTimestamp = "stale-timestamp"
  case combinedSize = "combined-size"
  case targetLimit = "target-limit"
  case globalLimit = "global-limit"
  case activityNotActive = "activity-not-active"

  /// What happened, in a sentence a backend developer understands.
  package var sentence: String {
    switch self {
    case .notJSON: "the payload is no JSON object with an aps object in it"
    case .unknownEvent: "aps.event must be start, update or end"
    case .wrongTokenKind:
      "a push-to-start token only starts activities, an update token only updates and ends its own one"
    case .osTooOld: "this version of iOS knows no broadcast channels, so a start that names one starts nothing"
    case .noAlertConfiguration: "a start needs aps.alert, a dictionary with title and body"
    case .alertNotDictionary: "aps.alert of a start must be a dictionary with title and body, not a string"
    case .unknownAttributesType: "aps.attributes-type must be the name of the app's Swift type, letter by letter"
    case .contradictoryInput: "a start names input-push-token or input-push-channel, not both"
    case .attributesDecode: "aps.attributes does not decode into the app's type"
    case .contentStateDecode: "aps.content-state does not decode into the app's type"
    case .missingTimestamp: "aps.timestamp must be a number of seconds since 1970"
    case .staleTimestamp: "aps.timestamp is not newer than the last one applied to this activity"
    case .combinedSize: "attributes and content state together are larger than 4,096 bytes"
    case .targetLimit: "the app has as many Live Activities as it may"
    case .globalLimit: "the device has as many Live Activities as it may"
    case .activityNotActive: "the activity is over"
    }
  }
}
