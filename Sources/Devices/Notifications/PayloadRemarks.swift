import WireFormats

/// What was overlooked in a payload, each thing once and in the order of reading.
package struct PayloadRemarks: Hashable, Sendable {
  package private(set) var list: [PayloadRemark] = []

  package init() {}

  mutating func append(_ remark: PayloadRemark) {
    if !list.contains(remark) { list.append(remark) }
  }

  // MARK: - Reading a member, or remarking that it cannot be read

  /// Assumed: `null` is the same as nothing, and no mistake.
  static func present(_ node: JSONNode?) -> JSONNode? { node.flatMap { $0.isNull ? nil : $0 } }

  mutating func string(_ node: JSONNode?, or remark: PayloadRemark) -> String? {
    guard let node = Self.present(node) else { return nil }
    guard let text = node.string else {
      append(remark)
      return nil
    }
    return text
  }

  /// A member that says yes with the number 1.
  ///
  /// Assumed: `true` and `"1"` say nothing, as Apple asks for a number.
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

/// What a phone overlooks in a notification's payload without a word.
///
/// Documented: the type and the allowed values of each member ("Generating a remote notification"). Assumed: a member
/// of another type is taken for absent and spoils no other.
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
    case .alertTextType: "a title, subtitle or body of aps.alert is no text, and was left out"
    case .keyType: "a loc-key of aps.alert must be a string"
    case .keyOverruled: "where aps.alert has both a text and a loc-key for a line, the text is shown"
    case .argumentsType: "the loc-args of aps.alert must be an array of strings; anything else in it shows as nothing"
    case .badgeValue: "aps.badge must be a whole number, zero or above; it was ignored"
    case .soundType: "aps.sound must be a string or a dictionary; it was ignored"
    case .soundNameType: "aps.sound.name must be a string; the default sound was taken"
    case .soundCriticalValue: "aps.sound.critical must be 0 or 1; it was taken for 0"
    case .soundVolumeValue: "aps.sound.volume must be a number from 0 to 1; it was taken for 1"
    case .threadType: "aps.thread-id must be a string; it was ignored"
    case .categoryType: "aps.category must be a string; it was ignored"
    case .targetType: "aps.target-content-id must be a string; it was ignored"
    case .mutableValue: "aps.mutable-content must be the number 0 or 1; it was taken for 0"
    case .contentAvailableValue: "aps.content-available must be the number 0 or 1; it was taken for 0"
    case .interruptionValue:
      "aps.interruption-level must be passive, active, time-sensitive or critical; it was taken for active"
    case .relevanceValue: "aps.relevance-score of a notification must be a number from 0 to 1; it was ignored"
    case .filterType: "aps.filter-criteria must be a string; it was ignored"
    }
  }
}
