import APNs
import Devices
import Reporting
import Timeline
import WireFormats

struct SwipeCard: PhoneActionKind, ActivityActionKind {
  static let shape = ActionShape<Self>(
    "swipe", "Swipe a card off the Lock Screen", meaning: "Its activity ends.", members: [.app, .activity])

  var app: String?
  var activity: String?

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let (app, number) = try fleet.card(activity, app, on: device, at: now)
    return .done { _ = $0.swipe(number, app: app, cause: .user, &$1) }
  }
}

struct TapCard: ActivityActionKind {
  static let shape = ActionShape<Self>(
    "tap", "Tap a card",
    meaning: """
      Its app opens, and gets the card's link. In StandBy, the card is first shown on the whole screen, if it is the one
      shown there.
      """,
    members: [.app, .activity])

  var app: String?
  var activity: String?

  func perform(on device: DeviceID, in state: inout DeviceState, at now: Instant) throws(CommandProblem) {
    let (app, number) = try state.fleet.card(activity, app, on: device, at: now)
    let card = OpenCard(app: app, activity: number)
    let phone = state.fleet.phone(device)
    if phone.isInStandBy {
      guard isInStandBy(card, on: device, in: state.fleet, at: now) else {
        throw CommandProblem(
          .impossible, field: "activity", sentence: "StandBy of \(device.text) shows one activity, and not this one.")
      }
      if phone.openCard != card { return state.ask(device, at: now) { $0.openCard(card, &$1) } }
    }
    state.ask(device, at: now) { $0.tapCard(card, &$1) }
    state.report(.cardTapped, about: .tappedCard(number), in: AppContext(app: app, device: device, now: now))
  }

  private func isInStandBy(_ card: OpenCard, on device: DeviceID, in fleet: Fleet, at now: Instant) -> Bool {
    fleet.screen(of: device, at: now).surfaces.filter { $0.place == .standBy }.flatMap(\.groups).contains { group in
      group.cards.contains { $0.app == card.app && $0.number == card.activity }
    }
  }
}

/// Touches and holds an activity, of which only what the island shows can be held.
struct LongPressCard: PhoneActionKind, ActivityActionKind {
  static let shape = ActionShape<Self>(
    "longPress", "Touch and hold an activity in the Dynamic Island", meaning: "The island expands.",
    members: [.app, .activity])

  var app: String?
  var activity: String?

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let (app, number) = try fleet.card(activity, app, on: device, at: now)
    let screen = fleet.screen(of: device, at: now)
    guard !screen.isLocked, screen.island.cards.contains(where: { $0.app == app && $0.number == number }) else {
      throw CommandProblem(
        .impossible, field: "activity",
        sentence:
          "The Dynamic Island of \(device.text) does not show it: the phone has none, is locked, or has the app open,"
          + " or others come before it.")
    }
    return .done { $0.openCard(OpenCard(app: app, activity: number), &$1) }
  }
}

struct AllowActivities: PhoneActionKind, ActivityActionKind {
  static let shape = ActionShape<Self>(
    "allow", "Answer the question under a card with Allow", meaning: "The app gets the update token.",
    members: [.app, .activity])

  var app: String?
  var activity: String?

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let (app, number) = try fleet.prompt(activity, app, on: device, at: now)
    return .done { _ = $0.answer(number, app: app, allowed: true, &$1) }
  }
}

struct DenyActivities: PhoneActionKind, ActivityActionKind {
  static let shape = ActionShape<Self>(
    "deny", "Answer the question under a card with Don't Allow",
    meaning: "The card goes, and the app's Live Activities are turned off.", members: [.app, .activity])

  var app: String?
  var activity: String?

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let (app, number) = try fleet.prompt(activity, app, on: device, at: now)
    return .done { _ = $0.answer(number, app: app, allowed: false, &$1) }
  }
}
