import APNs
import Timeline
import WireFormats

/// The ignored members of a payload: each remark once, in the order of the cases.
package struct PayloadRemarks: Hashable, Sendable {
  /// A bit for each case, and `strict`.
  package private(set) var bits: UInt32

  /// Set if `true` and `false` are not read as 1 and 0 where Apple asks for these numbers.
  private static let strict: UInt32 = 1 << 31

  package init(readingBooleans: Bool = true) { bits = readingBooleans ? 0 : Self.strict }

  /// Reads what is ignored in the push of a Live Activity.
  package init(ofActivity root: JSONNode) {
    self.init()
    if let payload = ActivityPayload(root) { self = payload.allRemarks }
  }

  package var isEmpty: Bool { bits & ~Self.strict == 0 }

  package var list: [PayloadRemark] {
    isEmpty ? [] : PayloadRemark.allCases.enumerated().filter { bits & 1 << $0.offset != 0 }.map(\.element)
  }

  mutating func append(_ remark: PayloadRemark) {
    bits |= 1 << (PayloadRemark.allCases.firstIndex(of: remark) ?? 0)
  }

  /// Appends a remark on a member that should not be there; `null` is not there.
  mutating func append(_ remark: PayloadRemark, if node: JSONNode?) {
    if Self.present(node) != nil { append(remark) }
  }

  // MARK: - Reading a member, or recording a remark

  /// Assumed: `null` is the same as a missing member, and not a mistake.
  static func present(_ node: JSONNode?) -> JSONNode? { node.flatMap { $0.isNull ? nil : $0 } }

  mutating func string(_ node: JSONNode?, or remark: PayloadRemark) -> String? {
    guard let node = Self.present(node) else { return nil }
    guard let text = node.string else {
      append(remark)
      return nil
    }
    return text
  }

  /// A flag that is set by the number 1.
  ///
  /// Disputed: `true` sets it too (docs/behavior/notifications.md#flag-boolean). Assumed: `"1"` does not.
  mutating func flag(_ node: JSONNode?, or remark: PayloadRemark) -> Bool {
    guard let node = Self.present(node) else { return false }
    if bits & Self.strict == 0, let isSet = node.bool {
      append(.flagBoolean)
      return isSet
    }
    switch node.wholeNumber {
    case 1: return true
    case 0: return false
    default:
      append(remark)
      return false
    }
  }

  mutating func number(_ node: JSONNode?, or remark: PayloadRemark) -> Double? {
    guard let node else { return nil }
    if let number = node.double { return number }
    append(remark, if: node)
    return nil
  }

  /// A date in seconds since 1970. Nil for a date after 2255, such as every date in milliseconds.
  ///
  /// - Parameter epoch: recorded for a date that is past because it counts from now or from 2001. Assumed: 0 and 1
  ///   are past on purpose.
  mutating func date(_ node: JSONNode?, or remark: PayloadRemark, _ epoch: PayloadRemark) -> Instant? {
    guard let seconds = number(node, or: remark) else { return nil }
    guard abs(seconds) < 9e9 else {
      append(remark)
      return nil
    }
    if seconds > 1, DateUnit(of: seconds) != .seconds { append(epoch) }
    return Instant(nanoseconds: Int64(seconds * 1e9))
  }

  /// A number from 0 to 1.
  mutating func share(_ node: JSONNode?, or remark: PayloadRemark) -> Double? {
    guard let node = Self.present(node) else { return nil }
    guard let number = node.double, (0...1).contains(number) else {
      append(remark)
      return nil
    }
    return number
  }
}

/// Mistakes in the payload of a notification or a Live Activity that a phone ignores silently.
///
/// Documented: the type and the allowed values of each member ("Generating a remote notification"). Assumed: a member
/// of another type is ignored and does not affect the others.
package enum PayloadRemark: String, CaseIterable, Hashable, Sendable {
  case apsMissing = "aps-missing"
  case alertBesideAps = "alert-beside-aps"
  case alertType = "alert-type"
  case alertTextType = "alert-text-type"
  case keyType = "loc-key-type"
  case keyOverruled = "loc-key-overruled"
  case argumentsType = "loc-args-type"
  case badgeValue = "badge-value"
  case soundType = "sound-type"
  case soundNameType = "sound-name-type"
  case soundCriticalValue = "sound-critical-value"
  case soundVolumeValue = "sound-volume-value"
  case threadType = "thread-id-type"
  case categoryType = "category-type"
  case targetType = "target-content-id-type"
  case mutableValue = "mutable-content-value"
  case contentAvailableValue = "content-available-value"
  case flagBoolean = "flag-boolean"
  case interruptionValue = "interruption-level-value"
  case relevanceValue = "relevance-score-value"
  case filterType = "filter-criteria-type"
  case visibleInBackground = "visible-in-background"
  case staleDateValue = "stale-date-value"
  case staleDateEpoch = "stale-date-epoch"
  case dismissalDateValue = "dismissal-date-value"
  case dismissalDateEpoch = "dismissal-date-epoch"
  case dismissalDateIgnored = "dismissal-date-ignored"
  case relevanceType = "relevance-score-type"
  case channelType = "input-push-channel-type"
  case soundBesideAlert = "sound-beside-alert"

  /// True if a member had no effect.
  package var isAboutIgnored: Bool { self != .flagBoolean && self != .keyOverruled }

  package var sentence: String {
    switch self {
    case .apsMissing: "the payload has no aps object, so the phone has nothing to show"
    case .alertBesideAps: "an alert beside aps is the app's own data; the phone shows the one within aps"
    case .alertType: "aps.alert must be a string or a dictionary, and for a Live Activity a dictionary; it was ignored"
    case .alertTextType: "a title, subtitle or body of aps.alert must be a string; it was ignored"
    case .keyType: "a loc-key of aps.alert must be a string; it was ignored"
    case .keyOverruled: "aps.alert has both a text and a loc-key for a line; the text is shown"
    case .argumentsType:
      "the loc-args of aps.alert must be an array of strings; null shows as <null>, anything else as empty text"
    case .badgeValue: "aps.badge must be a whole number, 0 or more; it was ignored"
    case .soundType: "the sound must be a string or a dictionary; it was ignored"
    case .soundNameType: "the name of the sound must be a string; the default sound was used"
    case .soundCriticalValue: "critical of the sound must be 0 or 1; 0 was used"
    case .soundVolumeValue: "the volume of the sound must be a number from 0 to 1; 1 was used"
    case .threadType: "aps.thread-id must be a string; it was ignored"
    case .categoryType: "aps.category must be a string; it was ignored"
    case .targetType: "aps.target-content-id must be a string; it was ignored"
    case .mutableValue: "aps.mutable-content must be the number 0 or 1; 0 was used"
    case .contentAvailableValue: "aps.content-available must be the number 0 or 1; 0 was used"
    case .flagBoolean: "a flag of aps is true or false, read as 1 or 0; Apple asks for the number"
    case .interruptionValue:
      "aps.interruption-level must be passive, active, time-sensitive or critical; active was used"
    case .relevanceValue: "aps.relevance-score of a notification must be a number from 0 to 1; it was ignored"
    case .filterType: "aps.filter-criteria must be a string; it was ignored"
    case .visibleInBackground: "a push of type background never shows its alert, badge or sound"
    case .staleDateValue:
      "aps.stale-date must be a number of seconds since 1970, not of milliseconds; it was ignored"
    case .staleDateEpoch:
      "aps.stale-date must count seconds since 1970; it seems to count from now or from 2001, so it has passed already"
    case .dismissalDateValue:
      "aps.dismissal-date must be a number of seconds since 1970, not of milliseconds; it was ignored"
    case .dismissalDateEpoch:
      "aps.dismissal-date must count seconds since 1970; it seems to count from now or from 2001, so the card went at"
        + " once"
    case .dismissalDateIgnored: "aps.dismissal-date belongs to an end; in a start or update it is ignored"
    case .relevanceType: "aps.relevance-score of a Live Activity must be a number; 0 was used"
    case .channelType: "aps.input-push-channel must be a string, the id of a channel; it was ignored"
    case .soundBesideAlert: "aps.sound of a Live Activity is ignored; the sound belongs inside aps.alert"
    }
  }
}

extension PayloadRemark {
  package var evidence: Evidence {
    source.told(in: "\(member == nil ? "notifications" : "live-activities").md#\(rawValue)")
  }

  /// The path of the member of a Live Activity that it is about; nil if it is about a notification or an alert.
  var member: String? {
    switch self {
    case .staleDateValue, .staleDateEpoch: "aps.stale-date"
    case .dismissalDateValue, .dismissalDateEpoch, .dismissalDateIgnored: "aps.dismissal-date"
    case .relevanceType: "aps.relevance-score"
    case .channelType: "aps.input-push-channel"
    case .soundBesideAlert: "aps.sound"
    default: nil
    }
  }

  private var source: Evidence {
    switch self {
    case .dismissalDateIgnored: .assumed("for a start, a card that stayed: forum thread 836077")
    case .staleDateValue, .staleDateEpoch, .dismissalDateValue, .dismissalDateEpoch, .relevanceType, .channelType,
      .soundBesideAlert:
      .assumed("what the phone does then; Apple documents each member of a Live Activity's push")
    case .keyOverruled: .observed("apns4ex issue 15")
    case .alertBesideAps: .documented(Self.article + ": keys beside aps are the app's own")
    case .argumentsType:
      .assumed(
        "other values are empty; observed: null (AppleApnPush issue 33), text (node-pushnotifications issue 150)")
    case .badgeValue:
      .assumed("it is ignored; observed for text (RMSPushNotificationsBundle issue 62), disputed for -1")
    case .flagBoolean: .disputed("Apple asks for a number; vapor-apns issue 52 says that true works like 1")
    case .visibleInBackground:
      .disputed(
        "documented: they are absent; observed: forum thread 745345; apn pull request 128 saw the alert in 2021"
      )
    case .apsMissing, .alertType, .alertTextType, .keyType, .soundType, .soundNameType, .soundCriticalValue,
      .soundVolumeValue, .threadType, .categoryType, .targetType, .mutableValue, .contentAvailableValue,
      .interruptionValue, .relevanceValue, .filterType:
      .assumed("what the phone does then; Apple documents the type and the values of each member")
    }
  }

  private static let article = "Apple, Generating a remote notification"
}
