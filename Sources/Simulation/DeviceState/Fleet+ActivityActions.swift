import APNs
import Devices
import Timeline

/// Orders about Live Activities.
extension Fleet {
  func activityOperation(_ action: DeviceAction, _ device: DeviceID, at now: Instant) throws(CommandProblem)
    -> PhoneOperation
  {
    switch action {
    case .start(let request): return try start(request, device, at: now)
    case .updateActivity(let name, let app, let order):
      let (app, number) = try activity(name, app, on: device, at: now)
      return { $0.update(number, app: app, with: order, &$1) }
    case .endActivity(let name, let app, let content, let dismissal):
      let (app, number) = try activity(name, app, on: device, at: now)
      let order = ActivityEndRequest(.command, content: content, dismissing: dismissal)
      return { $0.end(number, app: app, with: order, &$1) }
    case .evict(let name, let app):
      let (app, number) = try activity(name, app, on: device, at: now)
      return { phone, turn in
        _ = phone.end(number, app: app, with: ActivityEndRequest(.system), &turn)
        return true
      }
    case .swipe(let name, let app):
      let (app, number) = try card(name, app, on: device, at: now)
      return { phone, turn in
        _ = phone.swipe(number, app: app, cause: .user, &turn)
        return true
      }
    case .tap(let name, let app):
      let (app, number) = try card(name, app, on: device, at: now)
      let phone = phone(device)
      let card = OpenCard(app: app, activity: number)
      guard phone.isInStandBy else { return open(app, at: now) }
      guard shows(card, in: .standBy, on: device, at: now) else {
        throw CommandProblem(
          .impossible, field: "activity", sentence: "StandBy of \(device.text) shows one activity, and not this one.")
      }
      return phone.openCard == card ? open(app, at: now) : openCard(card, at: now)
    case .longPress(let name, let app): return try longPress(name, app: app, on: device, at: now)
    case .allow(let name, let app): return try answer(allowed: true, activity: name, app: app, on: device, at: now)
    case .deny(let name, let app): return try answer(allowed: false, activity: name, app: app, on: device, at: now)
    default: return { _, _ in false }
    }
  }

  private func shows(
    _ card: OpenCard, in place: Screen.Surface.Place, on device: DeviceID, at now: Instant
  ) -> Bool {
    screen(of: device, at: now).surfaces.filter { $0.place == place }.flatMap(\.groups).contains { group in
      group.cards.contains { $0.app == card.app && $0.number == card.activity }
    }
  }

  private func openCard(_ card: OpenCard, at now: Instant) -> PhoneOperation {
    { phone, turn in
      phone.openCard(card, &turn)
      return true
    }
  }

  /// Only what the island shows can be held.
  private func longPress(
    _ name: String?, app: String?, on device: DeviceID, at now: Instant
  ) throws(CommandProblem) -> PhoneOperation {
    let (app, number) = try card(name, app, on: device, at: now)
    let screen = screen(of: device, at: now)
    guard !screen.isLocked, screen.island.cards.contains(where: { $0.app == app && $0.number == number }) else {
      throw CommandProblem(
        .impossible, field: "activity",
        sentence:
          "The Dynamic Island of \(device.text) does not show it: the phone has none, is locked, or has the app open,"
          + " or others come before it.")
    }
    return openCard(OpenCard(app: app, activity: number), at: now)
  }

  /// A person starts an activity in the app, which opens the app first unless the order says otherwise.
  private func start(
    _ request: StartActivityRequest, _ device: DeviceID, at now: Instant
  ) throws(CommandProblem) -> PhoneOperation {
    let app = try installed(request.app, on: device)
    var order = request.order
    order.type = try type(request.attributesType, app)
    return { [order] phone, turn in
      guard order.scene == .foreground, phone.installs[app].life != .foreground else {
        _ = phone.request(order, app: app, &turn)
        return true
      }
      phone.visit(app, &turn) { phone, turn in
        _ = phone.request(order, app: app, &turn)
      }
      return true
    }
  }

  private func answer(
    allowed: Bool, activity name: String?, app: String?, on device: DeviceID, at now: Instant
  ) throws(CommandProblem) -> PhoneOperation {
    let (app, number) = try prompt(name, app, on: device, at: now)
    return { phone, turn in
      _ = phone.answer(number, app: app, allowed: allowed, &turn)
      return true
    }
  }
}
