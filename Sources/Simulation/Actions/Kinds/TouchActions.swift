import APNs
import Devices
import Grammar
import Reporting
import Timeline
import WireFormats

/// An action on a card or a notification that runs the app in the background.
struct PressButton: ActivityActionKind {
  static let shape = ActionShape<Self>(
    "pressButton", "Press a button of a card or a notification",
    meaning: """
      The app runs in the background for about 30 seconds; its event is `button.NAME`. A card's button unlocks the
      phone. Without an activity or a notification, the card with that button is meant, or else the newest such
      notification.
      """,
    members: [
      .app, .activity, .maybe("notification", at: \.number, as: .whole, "Its number on the screen."),
      .needed(
        "button", at: \.button, as: .text(wanted: "the name of a button"),
        "A button of the card or of the notification's category in the app's profile, such as mute."),
    ])

  var app: String?
  var activity: String?
  var number: UInt32?
  var button = ""

  func perform(on device: DeviceID, in state: inout DeviceState, at now: Instant) throws(CommandProblem) {
    guard activity == nil || number == nil else {
      throw CommandProblem(
        .impossible, field: "notification",
        sentence: "A button is on a card or on a notification: leave one of them out.")
    }
    let (app, subject) = try self.subject(on: device, in: state.fleet, at: now)
    try state.fleet.requireOpened(app, on: device)
    let place = UInt16(clamping: state.fleet.plan.apps[app].buttons.firstIndex(of: button) ?? 0)
    let context = AppContext(app: app, device: device, now: now)
    switch subject {
    case .activity(let number):
      state.ask(device, at: now) { $0.pressButton(place, on: OpenCard(app: app, activity: number), &$1) }
      state.report(.button(button), about: .activity(number), in: context)
    case .notification(let number):
      state.ask(device, at: now) { $0.answerNotification(number, button: place, app: app, &$1) }
      state.report(.button(button), about: .notification(number), in: context)
      state.fleet.change(device) { $0.forgetTappedNotification(app) }
    }
  }

  private enum Subject {
    case activity(UInt32)
    case notification(UInt32)
  }

  /// The card or the notification that has the button.
  private func subject(
    on device: DeviceID, in fleet: Fleet, at now: Instant
  ) throws(CommandProblem) -> (app: Int, Subject) {
    let cards = fleet.screen(of: device, at: now).cards.filter { card in
      card.drawing.buttons.contains { $0.name == button }
    }
    if number == nil {
      if let activity {
        let (app, number) = try fleet.card(activity, app, on: device, at: now)
        guard cards.contains(where: { $0.app == app && $0.number == number }) else {
          throw unknown(on: device, in: fleet, at: now)
        }
        return (app, .activity(number))
      }
      let bundleID = app
      let found = cards.filter { bundleID == nil || $0.bundleID == bundleID }
      if found.count > 1 {
        throw CommandProblem(
          .impossible, field: "activity",
          sentence: "Name one of the cards with that button: \(found.map(\.id).joined(separator: ", ")).")
      }
      if let card = found.first { return (card.app, .activity(card.number)) }
    }
    let found = try fleet.notification(number, of: app, on: device, at: now) { category in
      category.buttons.contains { $0.name == button }
    }
    guard let found else { throw unknown(on: device, in: fleet, at: now) }
    return (found.app, .notification(found.number))
  }

  private func unknown(on device: DeviceID, in fleet: Fleet, at now: Instant) -> CommandProblem {
    let screen = fleet.screen(of: device, at: now)
    let all = screen.cards.flatMap(\.drawing.buttons) + screen.notifications.flatMap { $0.category?.buttons ?? [] }
    var names: [String] = []
    for name in all.map(\.name) where !names.contains(name) { names.append(name) }
    let quoted = "\"\(button.prefix(80))\""
    guard !names.isEmpty else {
      return CommandProblem(
        .impossible, field: "button",
        sentence:
          "No card or notification on \(device.text) has a button; a profile gives them to its cards (from iOS 17)"
          + " and to its categories of notifications.")
    }
    guard !names.contains(button) else {
      return CommandProblem(
        .impossible, field: "button",
        sentence: "The button \(quoted) is on another card or notification of \(device.text).")
    }
    let near = SpellingSuggestion.nearest(to: button, among: names)
    return CommandProblem(
      .unknown, field: "button",
      sentence: "No card or notification on \(device.text) has the button \(quoted)"
        + (near.map { "; did you mean \($0)?" } ?? "; there are \(Self.some(of: names))."))
  }
}

extension PressButton {
  /// Maximum number of buttons that a sentence names: a screen may have many, with long names.
  private static let mostNamed = 10

  private static func some(of names: [String]) -> String {
    let named = names.prefix(mostNamed).map { String($0.prefix(80)) }
    let left = names.count - named.count
    return Wording.list(named + (left > 0 ? ["\(left) more"] : []))
  }
}

struct ReplyToNotification: AppActionKind {
  static let shape = ActionShape<Self>(
    "answerNotification", "Answer a notification with a text",
    meaning: "The app runs in the background for about 30 seconds; its event is `reply`.",
    members: [
      .app,
      .maybe(
        "notification", at: \.number, as: .whole,
        "Its number on the screen. Default: the newest whose category takes a text."),
      .needed("text", at: \.text, as: .text(wanted: "the text of the answer"), "What the person writes."),
    ])

  var app: String?
  var number: UInt32?
  var text = ""

  func perform(on device: DeviceID, in state: inout DeviceState, at now: Instant) throws(CommandProblem) {
    let found = try state.fleet.notification(number, of: app, on: device, at: now) { $0.reply != nil }
    guard let (app, number) = found else {
      throw CommandProblem(
        .impossible, field: "notification",
        sentence: "\(self.app.map { "\($0) has no such" } ?? "No app has a") notification on \(device.text) that takes"
          + " a text: one whose category has reply in the app's profile.")
    }
    try state.fleet.requireOpened(app, on: device)
    state.ask(device, at: now) { $0.answerNotification(number, button: nil, app: app, &$1) }
    state.report(.reply, about: .reply(number, text), in: AppContext(app: app, device: device, now: now))
    state.fleet.change(device) { $0.forgetTappedNotification(app) }
  }
}

extension Fleet {
  /// The notification of that number if its category is accepted; without a number, the newest such notification.
  ///
  /// - Parameter bundleID: the app; nil for any app, or with a number, which is the app's, for the first one.
  fileprivate func notification(
    _ number: UInt32?, of bundleID: String?, on device: DeviceID, at now: Instant,
    where accepts: (NotificationCategory) -> Bool
  ) throws(CommandProblem) -> (app: Int, number: UInt32)? {
    let one = bundleID == nil && number == nil ? nil : self.bundleID(try installed(bundleID, on: device))
    let found = screen(of: device, at: now).notifications.first { notification in
      (one == nil || notification.bundleID == one) && (number == nil || notification.shown.number == number)
        && notification.category.map(accepts) ?? false
    }
    guard let found else { return nil }
    return (try app(found.bundleID, on: device), found.shown.number)
  }

  /// Assumed: a restored app that nobody has opened registers no delegate for its notifications.
  fileprivate func requireOpened(_ app: Int, on device: DeviceID) throws(CommandProblem) {
    guard install(device, app: app).life == .neverLaunched else { return }
    throw CommandProblem(
      .impossible, field: "do", sentence: "\(bundleID(app)) was never opened on \(device.text); open it first.")
  }
}
