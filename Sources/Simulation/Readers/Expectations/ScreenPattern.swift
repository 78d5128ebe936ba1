import Devices
import WireFormats

/// A filter for screens; only the given parts are compared.
package struct ScreenPattern: Hashable, Sendable {
  /// Number of cards on the Lock Screen.
  package var cards: ClosedRange<Int>?
  /// Members that one of the cards must have: state, app, attributesType, asks, contentState, attributes.
  package var card: JSONValue?
  package var notifications: ClosedRange<Int>?
  /// Members that one of the notifications must have: app, title, subtitle, body, quiet.
  package var notification: JSONValue?
  package var badge: Int?

  package static let cardMembers = ["state", "app", "attributesType", "asks", "contentState", "attributes"]
  package static let notificationMembers = ["app", "title", "subtitle", "body", "quiet"]

  package init() {}

  /// The differences between a screen and the pattern, as text; empty if the screen matches.
  func differences(_ screen: Screen) -> [String] {
    var list: [String] = []
    func compare(_ name: String, wanted: ClosedRange<Int>?, found: Int) {
      if let wanted, !wanted.contains(found) { list.append("\(name) are \(found), not \(wanted.words)") }
    }
    compare("cards", wanted: cards, found: screen.cards.count)
    compare("notifications", wanted: notifications, found: screen.notifications.count)
    if let card { list += Self.nearest(card, named: "card", among: screen.cards.map(\.value)) }
    if let notification {
      list += Self.nearest(notification, named: "notification", among: screen.notifications.map(\.value))
    }
    if let badge {
      let found = screen.badges.reduce(0) { $0 + $1.number }
      if found != badge { list.append("badge is \(found), not \(badge)") }
    }
    return list
  }

  /// The differences of the most similar of several values; empty if one matches.
  private static func nearest(_ wanted: JSONValue, named name: String, among found: [JSONValue]) -> [String] {
    guard !found.isEmpty else { return ["there is no \(name)"] }
    let all = found.map { wanted.differences(from: $0, name) }
    return all.min { $0.count < $1.count } ?? []
  }

  /// The given parts, as text.
  package var words: String {
    let parts: [String?] = [
      cards.map { $0.counting("card") }, card.map { "a card with \($0.text)" },
      notifications.map { $0.counting("notification") }, notification.map { "a notification with \($0.text)" },
      badge.map { "the badge \($0)" },
    ]
    return parts.compactMap(\.self).joined(separator: " and ")
  }
}

extension Screen.Card {
  fileprivate var value: JSONValue {
    [
      "state": .string(state.rawValue), "app": .string(bundleID), "attributesType": .string(attributesType),
      "asks": .bool(asks), "contentState": content ?? .null, "attributes": attributes ?? .null,
    ]
  }
}

extension Screen.Notification {
  fileprivate var value: JSONValue {
    [
      "app": .string(bundleID), "title": .string(text.alert.title), "subtitle": .string(text.alert.subtitle),
      "body": .string(text.alert.body), "quiet": .bool(shown.isQuiet),
    ]
  }
}

extension ClosedRange<Int> {
  /// In the notation of scenarios.
  package var words: String {
    if lowerBound == upperBound { return "\(lowerBound)" }
    return upperBound == .max ? "\(lowerBound).." : "\(lowerBound)..\(upperBound)"
  }

  /// `1 push`, `2 pushes`, `1..3 pushes`.
  func counting(_ noun: String, _ plural: String? = nil) -> String {
    "\(words) " + (self == 1...1 ? noun : plural ?? noun + "s")
  }
}
