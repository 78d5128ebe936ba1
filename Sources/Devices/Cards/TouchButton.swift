import WireFormats

/// A button that a person sees on a card or a notification.
package struct TouchButton: Hashable, Sendable {
  /// The name of its event, `button.NAME`.
  package let name: String
  package let title: String

  package init(_ name: String, title: String) {
    self.name = name
    self.title = title
  }
}

/// The actions of a notification, by `aps.category`: the `UNNotificationCategory` that an app registers.
package struct NotificationCategory: Hashable, Sendable {
  package let name: String
  package var buttons: [TouchButton] = []
  /// The title of the field for a text; nil for none.
  package var reply: String?

  package init(_ name: String) { self.name = name }
}

extension AppProfile {
  /// The names of the buttons of its cards and notifications, each once.
  package var buttons: [String] {
    let all = types.flatMap { $0.card?.buttons.map(\.name) ?? [] } + categories.flatMap { $0.buttons.map(\.name) }
    return all.enumerated().filter { !all[..<$0.offset].contains($0.element) }.map(\.element)
  }

  /// The category of a notification, if the app has registered it.
  package func category(_ name: String?) -> NotificationCategory? { categories.first { $0.name == name } }
}
