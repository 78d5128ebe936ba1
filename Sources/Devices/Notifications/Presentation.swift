/// How a notification came before a person, if it did.
package struct Presentation: Hashable, Sendable {
  package enum Shape: String, CaseIterable, Hashable, Sendable {
    /// A banner, or a card on the Lock Screen, and a place in the list.
    case banner
    case listOnly = "list-only"
    case nothing
  }

  package let shape: Shape
  package let cause: PresentationCause
  /// Its number in the list.
  package let number: UInt32?
  /// The number of the one whose place it has taken.
  package let replaced: UInt32?
  package let alert: RenderedAlert?
  /// What was heard.
  package let sound: NotificationSound?
  /// What the badge was set to; nil when the push left it alone.
  package let badge: Int?
  /// Whether it woke a dark screen.
  package let lightsScreen: Bool

  init(
    _ shape: Shape, _ cause: PresentationCause, number: UInt32? = nil, replaced: UInt32? = nil,
    alert: RenderedAlert? = nil, sound: NotificationSound? = nil, badge: Int? = nil, lightsScreen: Bool = false
  ) {
    self.shape = shape
    self.cause = cause
    self.number = number
    self.replaced = replaced
    self.alert = alert
    self.sound = sound
    self.badge = badge
    self.lightsScreen = lightsScreen
  }
}
