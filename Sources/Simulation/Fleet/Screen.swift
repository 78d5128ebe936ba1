import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// The screen of a device, as a person sees it.
package struct Screen: Sendable {
  /// A Live Activity on the Lock Screen.
  package struct Card: Sendable {
    package let app: Int
    package let number: UInt32
    package let id: String
    package let bundleID: String
    package let attributesType: String
    package let state: LiveActivity.State
    package let relevance: Double
    package let startedAt: Instant
    /// Time at which the card disappears by itself after the activity has ended.
    package let dismissal: Instant?
    package let attributes: JSONValue?
    /// The drawn content.
    package let content: JSONValue?
    /// Content that is applied but not drawn yet, and when it will be; nil for never.
    package let coming: (content: JSONValue?, at: Instant?)?
    package let hasPlaceholders: Bool
    /// True if it shows the Allow question.
    package let asks: Bool
    /// True if its widget supplies the small presentation.
    package let hasSmall: Bool
    /// The drawing on the card.
    package let drawing: CardDrawing

    var isRunning: Bool { state == .active || state == .stale || state == .prompting }
  }

  package enum Island: Sendable {
    /// The device has no Dynamic Island.
    case absent
    case empty
    /// A single app: its first card, leading and trailing.
    case compact(Card)
    /// Several apps: one attached, one detached.
    case minimal([Card])
    /// Several apps, in another interpretation: the first compact, the second minimal.
    case mixed(Card, Card)
    /// Expanded by an alert.
    case expanded(Card)

    package var cards: [Card] {
      switch self {
      case .absent, .empty: []
      case .compact(let card), .expanded(let card): [card]
      case .minimal(let cards): cards
      case .mixed(let first, let second): [first, second]
      }
    }
  }

  /// The alert of a Live Activity that is shown right now.
  package struct Alert: Sendable {
    package let shown: ShownAlert
    package let card: String
    package let title: String?
    package let body: String?
    /// The sound being played, if any.
    package let sound: String?
    /// True if the phone vibrates: it does for an alert that may sound. Assumed.
    package var hasHaptic: Bool { shown.sounds }
  }

  /// A notification in the list.
  package struct Notification: Sendable {
    package let bundleID: String
    package let shown: ShownNotification
    package let text: ShownNotification.Text
    /// The category, if the app has registered it.
    package let category: NotificationCategory?
    /// True if it is shown as a banner right now.
    package let isBanner: Bool
  }

  package struct Badge: Sendable {
    package let bundleID: String
    package let number: Int
  }

  /// Newest first.
  package let notifications: [Notification]
  package let badges: [Badge]
  /// The bells that apps show.
  package let bells: [(bundleID: String, key: String, bell: BellIcon)]
  /// The Lock Screen from top to bottom.
  package let cards: [Card]
  package let island: Island
  /// The other places where activities are shown.
  package let surfaces: [Surface]
  package let alert: Alert?
  package let isLocked: Bool
  package let isLit: Bool
}

extension Fleet {
  /// - Parameter bells: the bells that apps show.
  func screen(
    of device: DeviceID, bells: [(app: Int, key: String, bell: BellIcon)] = [], at now: Instant
  ) -> Screen {
    let phone = phone(device)
    var cards: [Screen.Card] = []
    // Assumed: an app's data is not readable after a reboot before the first unlock, so no card is drawn.
    let isReadable = !phone.condition.contains(.beforeFirstUnlock)
    for (app, install) in phone.installs.enumerated() where isReadable {
      for activity in install.activities
      where activity.isShown(policy, at: now)
        && phone.hasAppeared(activity, app: app, model, at: now)
      {
        cards.append(card(activity, app: app, install: install, on: device, at: now))
      }
    }
    // Documented: the highest relevance first; among equals, the one started first.
    let order = cards.indices.sorted { left, right in
      let (a, b) = (cards[left], cards[right])
      if a.relevance != b.relevance { return a.relevance > b.relevance }
      return a.startedAt == b.startedAt ? left < right : a.startedAt < b.startedAt
    }
    let sorted = order.map { cards[$0] }
    let alert = alert(phone, sorted, at: now)
    let notifications = notifications(phone, at: now)
    let badges = phone.installs.enumerated().compactMap { app, install in
      install.notifications.badge > 0
        ? Screen.Badge(bundleID: plan.apps[app].bundleID, number: install.notifications.badge) : nil
    }
    return Screen(
      notifications: notifications, badges: badges,
      bells: bells.map { (plan.apps[$0.app].bundleID, $0.key, $0.bell) }, cards: sorted,
      island: island(sorted, alert: alert, on: phone), surfaces: surfaces(sorted, phone), alert: alert,
      isLocked: phone.isLocked,
      isLit: phone.condition.contains(.screenOn) || alert != nil || notifications.contains { $0.isBanner })
  }

  private func notifications(_ phone: Phone, at now: Instant) -> [Screen.Notification] {
    var all: [Screen.Notification] = []
    for (app, install) in phone.installs.enumerated() {
      let strings = plan.apps[app].traits.strings
      for shown in install.notifications.shown {
        let isFresh = now < shown.at.advanced(by: policy.alertShows)
        let text = shown.text(strings, in: model.mix.language)
        all.append(
          Screen.Notification(
            bundleID: plan.apps[app].bundleID, shown: shown, text: text,
            category: plan.apps[app].category(text.category), isBanner: isFresh && !shown.isQuiet))
      }
    }
    // Apps are in the order of the fleet; among equals, the newer stays first.
    let order = all.indices.sorted { left, right in
      all[left].shown.at == all[right].shown.at ? left < right : all[left].shown.at > all[right].shown.at
    }
    return order.map { all[$0] }
  }

  /// Documented: an ended activity leaves the island at once; one app shows compact, several show two minimals.
  /// Assumed: between apps, in the order of the Lock Screen.
  private func island(_ cards: [Screen.Card], alert: Screen.Alert?, on phone: Phone) -> Screen.Island {
    guard phone.hasIsland else { return .absent }
    var winners: [Screen.Card] = []
    for card in cards where card.isRunning {
      // Observed: the island does not show the activities of the app in the foreground.
      guard phone.installs[card.app].life != .foreground else { continue }
      if !winners.contains(where: { $0.app == card.app }) { winners.append(card) }
    }
    if let alert, alert.shown.presentation == .expanded, let card = cards.first(where: { $0.id == alert.card }) {
      return .expanded(card)
    }
    if !phone.isLocked, let held = phone.openCard,
      let card = winners.first(where: { $0.app == held.app && $0.number == held.activity })
    {
      return .expanded(card)
    }
    guard let first = winners.first else { return .empty }
    guard winners.count > 1 else { return .compact(first) }
    switch policy.sharedIsland {
    case .minimals: return .minimal(Array(winners.prefix(2)))
    case .minimalAndCompact: return .mixed(first, winners[1])
    }
  }

  private func alert(_ phone: Phone, _ cards: [Screen.Card], at now: Instant) -> Screen.Alert? {
    guard let shown = phone.alert, shown.presentation != .quiet,
      now < shown.at.advanced(by: policy.alertShows),
      let card = cards.first(where: { $0.app == shown.app && $0.number == shown.activity })
    else { return nil }
    let traits = plan.apps[shown.app].traits
    let storage = shown.request.storage
    let read = try? JSONNode.read(storage.span, in: shown.request.bodyStart..<storage.count) { root in
      var remarks = PayloadRemarks()
      let alert = AlertContent(root["aps"]?["alert"], of: .liveActivity, noting: &remarks)
      return (
        alert?.rendered(traits.strings, in: model.mix.language),
        alert?.sound?.played(from: traits.sounds, allowsCritical: traits.criticalAlerts)
      )
    }
    return Screen.Alert(
      shown: shown, card: card.id, title: read?.0?.title, body: read?.0?.body,
      sound: shown.sounds ? read?.1?.name : nil)
  }

  /// Documented: LiveActivityIntent, which a button of a card performs, is available from iOS 17.
  private static let firstWithButtons = OSVersion(17, 0)

  private func card(
    _ activity: LiveActivity, app: Int, install: Install, on device: DeviceID, at now: Instant
  ) -> Screen.Card {
    let profile = plan.apps[app]
    let shown = activity.shown(at: now)
    let type = profile.types[activity.type]
    let (attributes, content) = (activity.attributes.value("attributes"), shown.content.value("content-state"))
    let isComing = shown.due != nil && shown.content != activity.content
    return Screen.Card(
      app: app, number: activity.number, id: activityName(device, app: app, number: activity.number),
      bundleID: profile.bundleID, attributesType: type.name,
      state: activity.state(policy, at: now), relevance: activity.relevance, startedAt: activity.startedAt,
      dismissal: activity.isOver(at: now) ? activity.dismissal(policy) : nil,
      attributes: attributes, content: content,
      coming: isComing
        ? (activity.content.value("content-state"), shown.due.flatMap { $0 == .distantFuture ? nil : $0 }) : nil,
      hasPlaceholders: type.images == .missing,
      asks: activity.hasQuestion && !activity.isOver(at: now), hasSmall: type.suppliesSmall,
      drawing: CardDrawing(
        type.card, type: type.name, attributes: attributes, state: content,
        hasButtons: os(of: device) >= Self.firstWithButtons))
  }
}
