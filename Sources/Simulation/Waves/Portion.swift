/// Limits of the work on many devices that is done before other work gets a turn.
///
/// A fleet within these limits is finished together with the order.
package struct Portion: Hashable, Sendable {
  let looks: Int
  let orders: Int
  let events: Int

  package init(looks: Int, orders: Int, events: Int) {
    self.looks = looks
    self.orders = orders
    self.events = events
  }

  package static let usual = Portion(looks: 5_000, orders: 200, events: 500)
}

/// Counter of the work of one portion.
struct PortionCount: Sendable {
  private var looksLeft: Int
  private var ordersLeft: Int
  /// Number of events in the list at which the portion ends.
  private let lastEvent: Int

  init(_ portion: Portion, _ output: EventList) {
    (looksLeft, ordersLeft) = (portion.looks, portion.orders)
    lastEvent = output.count + portion.events
  }

  /// True if another device may be looked at.
  func hasRoom(_ output: EventList) -> Bool { looksLeft > 0 && ordersLeft > 0 && output.count < lastEvent }

  /// Maximum number of devices that cause an event each.
  func eventsLeft(_ output: EventList) -> Int { max(0, min(looksLeft, lastEvent - output.count)) }

  mutating func look() { looksLeft -= 1 }

  /// An action on a device is far more work than a look.
  mutating func order() { ordersLeft -= 1 }
}
