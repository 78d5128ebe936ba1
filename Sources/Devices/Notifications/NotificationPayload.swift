import APNs
import WireFormats

/// The `aps` of a push to an app's device token, parsed once.
///
/// Documented: Apple, "Generating a remote notification".
package struct NotificationPayload: Hashable, Sendable {
  package let alert: AlertContent?
  /// Nil keeps the badge; 0 removes it.
  package let badge: Int?
  package let sound: NotificationSound?
  /// Groups notifications.
  package let threadID: String?
  /// Names the actions below a notification.
  package let category: String?
  /// Names the window that a tap opens.
  package let targetContentID: String?
  /// Asks for the app's notification service extension.
  package let isMutable: Bool
  /// Asks for a background wake.
  package let isContentAvailable: Bool
  package let interruption: InterruptionLevel
  /// From 0 to 1; orders a scheduled summary.
  package let relevance: Double?
  package let filterCriteria: String?
  /// Members that were ignored.
  package let remarks: PayloadRemarks

  /// - Parameters:
  ///   - type: the push type, because a background push shows nothing.
  ///   - readsBooleans: true if `true` counts as 1 for a flag.
  package init(_ root: JSONNode, as type: PushType? = nil, readingBooleans readsBooleans: Bool = true) {
    var remarks = PayloadRemarks(readingBooleans: readsBooleans)
    let aps = root["aps"].flatMap { $0.isObject ? $0 : nil }
    if aps == nil { remarks.append(.apsMissing) }
    let visible = aps?["alert", "badge", "sound"]
    let names = aps?["thread-id", "category", "target-content-id"]
    let order = aps?["interruption-level", "relevance-score", "filter-criteria"]

    alert = AlertContent(visible?.first, of: .notification, noting: &remarks)
    if visible?.first == nil, root["alert"] != nil { remarks.append(.alertBesideAps) }
    badge = Self.badge(visible?.second, noting: &remarks)
    sound = NotificationSound(visible?.third, noting: &remarks)
    threadID = remarks.string(names?.first, or: .threadType)
    category = remarks.string(names?.second, or: .categoryType)
    targetContentID = remarks.string(names?.third, or: .targetType)
    isMutable = remarks.flag(aps?["mutable-content"], or: .mutableValue)
    isContentAvailable = remarks.flag(aps?["content-available"], or: .contentAvailableValue)
    interruption = Self.interruption(order?.first, noting: &remarks)
    relevance = remarks.share(order?.second, or: .relevanceValue)
    filterCriteria = remarks.string(order?.third, or: .filterType)
    if type == .background, alert != nil || badge != nil || sound != nil { remarks.append(.visibleInBackground) }
    self.remarks = remarks
  }

  /// True if it has anything that a person could see or hear.
  package var hasVisible: Bool { alert != nil || badge != nil || sound != nil }

  /// Asks for a wake and nothing else. Documented: `content-available` alone.
  package var isBackground: Bool { isContentAvailable && !hasVisible }

  /// The use that a phone has for it.
  enum Purpose: Hashable, Sendable {
    case wake
    case presentation
    case none(WakeCause)
  }

  /// - Parameter type: nil for a push without `apns-push-type`. Disputed: then the flag is enough for a wake
  ///   (docs/behavior/background-pushes.md#push-type-alert).
  func purpose(as type: PushType?) -> Purpose {
    switch type {
    case .background: isContentAvailable ? .wake : .none(.notRequested)
    case .alert where isBackground: .none(.typeIsAlert)
    case nil where isBackground: .wake
    default: .presentation
    }
  }

  /// Assumed: a negative or fractional number is ignored, like any other value that is not a badge number.
  private static func badge(_ node: JSONNode?, noting remarks: inout PayloadRemarks) -> Int? {
    guard let node = PayloadRemarks.present(node) else { return nil }
    guard let number = node.wholeNumber.flatMap({ Int(exactly: $0) }), number >= 0 else {
      remarks.append(.badgeValue)
      return nil
    }
    return number
  }

  private static func interruption(_ node: JSONNode?, noting remarks: inout PayloadRemarks) -> InterruptionLevel {
    guard let word = remarks.string(node, or: .interruptionValue) else { return .active }
    guard let level = InterruptionLevel(rawValue: word) else {
      remarks.append(.interruptionValue)
      return .active
    }
    return level
  }
}
