import WireFormats

/// What was ignored in a payload: each remark once, in the order of reading.
package struct PayloadRemarks: Hashable, Sendable {
  package private(set) var list: [PayloadRemark] = []

  package init() {}

  mutating func append(_ remark: PayloadRemark) {
    if !list.contains(remark) { list.append(remark) }
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
  /// Assumed: `true` and `"1"` do not set it, because Apple asks for a number.
  mutating func flag(_ node: JSONNode?, or remark: PayloadRemark) -> Bool {
    guard let node = Self.present(node) else { return false }
    switch node.wholeNumber {
    case 1: return true
    case 0: return false
    default:
      append(remark)
      return false
    }
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

/// Mistakes in a notification's payload that a phone ignores silently.
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
  case interruptionValue = "interruption-level-value"
  case relevanceValue = "relevance-score-value"
  case filterType = "filter-criteria-type"

  package var sentence: String {
    switch self {
    case .apsMissing: "the payload has no aps object, so the phone has nothing to show"
    case .alertBesideAps: "an alert beside aps is the app's own data; the phone shows the one within aps"
    case .alertType: "aps.alert must be a string or a dictionary, and for a Live Activity a dictionary"
    case .alertTextType: "a title, subtitle or body of aps.alert must be a string; it was ignored"
    case .keyType: "a loc-key of aps.alert must be a string"
    case .keyOverruled: "aps.alert has both a text and a loc-key for a line; the text is shown"
    case .argumentsType: "the loc-args of aps.alert must be an array of strings; other elements show as empty text"
    case .badgeValue: "aps.badge must be a whole number, 0 or more; it was ignored"
    case .soundType: "aps.sound must be a string or a dictionary; it was ignored"
    case .soundNameType: "aps.sound.name must be a string; the default sound was used"
    case .soundCriticalValue: "aps.sound.critical must be 0 or 1; 0 was used"
    case .soundVolumeValue: "aps.sound.volume must be a number from 0 to 1; 1 was used"
    case .threadType: "aps.thread-id must be a string; it was ignored"
    case .categoryType: "aps.category must be a string; it was ignored"
    case .targetType: "aps.target-content-id must be a string; it was ignored"
    case .mutableValue: "aps.mutable-content must be the number 0 or 1; 0 was used"
    case .contentAvailableValue: "aps.content-available must be the number 0 or 1; 0 was used"
    case .interruptionValue:
      "aps.interruption-level must be passive, active, time-sensitive or critical; active was used"
    case .relevanceValue: "aps.relevance-score of a notification must be a number from 0 to 1; it was ignored"
    case .filterType: "aps.filter-criteria must be a string; it was ignored"
    }
  }
}
