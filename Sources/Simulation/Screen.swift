import APNs
import Devices
import Timeline
import WireFormats

/// What a person would see on a device.
package struct Screen: Sendable {
  /// One Live Activity on the Lock Screen.
  package struct Card: Sendable {
    package let app: Int
    package let number: UInt32
    package let id: String
    package let bundleID: String
    package let attributesType: String
    package let state: LiveActivity.State
    package let relevance: Double
    package let startedAt: Instant
    /// When the card goes by itself, once the activity is over.
    package let dismissal: Instant?
    package let attributes: JSONValue?
    package let content: JSONValue?
  }

  package enum Island: Sendable {
    /// The device has none.
    case absent
    case empty
    /// One app: its first card, leading and trailing.
    case compact(Card)
    /// Several apps: one attached, one detached.
    case minimal([Card])
  }

  /// The Lock Screen from top to bottom.
  package let cards: [Card]
  package let island: Island
}

extension World {
  package func screen(of device: DeviceID, at now: Instant) -> Screen {
    var cards: [Screen.Card] = []
    for app in fleet.plan.apps.indices {
      for activity in fleet.install(device, app: app).activities
      where activity.state(fleet.habits, at: now) != .dismissed {
        cards.append(card(activity, app, device, at: now))
      }
    }
    // Documented: the highest relevance first, among equals the one started first.
    let order = cards.indices.sorted { left, right in
      let (a, b) = (cards[left], cards[right])
      if a.relevance != b.relevance { return a.relevance > b.relevance }
      return a.startedAt == b.startedAt ? left < right : a.startedAt < b.startedAt
    }
    let sorted = order.map { cards[$0] }
    return Screen(cards: sorted, island: island(sorted, on: device))
  }

  /// Documented: an ended activity leaves the island at once; one app shows compact, several show two minimals.
  /// Assumed: between apps, in the order of the Lock Screen.
  private func island(_ cards: [Screen.Card], on device: DeviceID) -> Screen.Island {
    guard fleet.hasIsland(device) else { return .absent }
    var winners: [Screen.Card] = []
    for card in cards where card.state == .active || card.state == .stale {
      if !winners.contains(where: { $0.app == card.app }) { winners.append(card) }
    }
    guard let first = winners.first else { return .empty }
    return winners.count == 1 ? .compact(first) : .minimal(Array(winners.prefix(2)))
  }

  private func card(_ activity: LiveActivity, _ app: Int, _ device: DeviceID, at now: Instant) -> Screen.Card {
    let profile = fleet.plan.apps[app]
    return Screen.Card(
      app: app, number: activity.number, id: fleet.activityName(device, app: app, number: activity.number),
      bundleID: profile.bundleID, attributesType: profile.types[activity.type].name,
      state: activity.state(fleet.habits, at: now), relevance: activity.relevance, startedAt: activity.startedAt,
      dismissal: activity.isOver(at: now) ? activity.dismissal(fleet.habits) : nil,
      attributes: Self.part("attributes", of: activity.start), content: Self.part("content-state", of: activity.content)
    )
  }

  private static func part(_ key: StaticString, of request: HTTPRequest?) -> JSONValue? {
    guard let request else { return nil }
    let storage = request.storage
    let read = try? JSONNode.read(storage.span, request.bodyStart..<storage.count) { $0["aps"]?[key]?.whole }
    return read ?? nil
  }
}
