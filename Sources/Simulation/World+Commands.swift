import APNs
import Devices
import Timeline

extension World {
  /// Carries out an order, or says why not; an order refused changes nothing.
  @discardableResult
  package mutating func perform(_ command: Command, at now: Now) throws(CommandProblem) -> CommandOutcome {
    note(.performed(command), at: now)
    pass(to: now)
    switch command {
    case .device(let device, let action):
      guard fleet.contains(device) else { throw Self.unknown(device, fleet) }
      try perform(action, on: device, at: now.world)
    case .devices(let selection, let action): return perform(action, on: selection, at: now.world)
    case .setFault(let fault): try set(fault, at: now.world)
    case .removeFault(let name): try remove(name, at: now.world)
    case .healAll: healAll(at: now.world)
    case .healSession(let name): try heal(session: name, at: now.world)
    case .answer(let call, let outcome): end(call, outcome, at: now.world)
    case .register(let token, let device, let app, let kind, let type, let activity):
      guard fleet.contains(device) else { throw Self.unknown(device, fleet) }
      let app = try installed(app, on: device)
      let slot = try self.slot(kind, device, app, attributesType: type, activity: activity, at: now.world)
      switch fleet.register(token, device, app: app, slot: slot) {
      case .done: break
      case .known: throw CommandProblem(.conflict, "token", "This token is already known; a token leads to one place.")
      case .full:
        throw CommandProblem(.senseless, "token", "No more than \(Fleet.mostGiven) tokens can be registered.")
      }
      events.append(.phone(device, app: app, .tokenRegistered(slot), at: now.world))
    }
    return CommandOutcome()
  }

  /// Some devices of a selection, in the order of their numbers, or of their names where they are named.
  private mutating func perform(_ action: DeviceAction, on selection: Selection, at now: Instant) -> CommandOutcome {
    var outcome = CommandOutcome()
    let firstEvent = events.count
    let end = selection.devices.map { UInt32($0.count) } ?? fleet.plan.devices
    let draw = selectionDraw(selection)
    for number in min(selection.start, end)..<end {
      guard number - selection.start < Selection.mostLookedAtAtOnce,
        outcome.done + outcome.refused < Selection.mostChangedAtOnce,
        events.count - firstEvent < Selection.mostEventsAtOnce
      else {
        outcome.next = number
        break
      }
      let device = selection.devices?[Int(number)] ?? DeviceID(number)
      guard fleet.contains(device), isMeant(device, by: selection, draw) else { continue }
      do throws(CommandProblem) {
        try perform(action, on: device, at: now)
        outcome.done += 1
      } catch {
        outcome.refused += 1
        if outcome.firstRefusal == nil { outcome.firstRefusal = (device, error.sentence) }
      }
    }
    return outcome
  }

  mutating func perform(_ action: DeviceAction, on device: DeviceID, at now: Instant) throws(CommandProblem) {
    switch action {
    case .use(let name, let app, let arguments):
      try use(name, try installed(app, on: device), arguments, device, at: now)
    case .uninstall(let app):
      let app = try installed(app, on: device)
      ask(device) { $0.uninstall(app, $1, at: now, &$2) }
    case .reinstall(let app, let opens): try reinstall(app, opens: opens, device, at: now)
    case .updateApp(let app):
      let app = try installed(app, on: device)
      guard !fleet.install(device, app: app).isUpdated else {
        throw CommandProblem(
          .senseless, "do", "The next version of \(bundleID(app)) is installed on \(device.text) already.")
      }
      ask(device) { $0.update(app, $1, at: now, &$2) }
    case .rotate(let kind, let app, let type, let activity, let silently):
      let app = try installed(app, on: device)
      let slot = try self.slot(kind, device, app, attributesType: type, activity: activity, at: now)
      try requireToken(slot, device, app)
      ask(device) { $0.rotate(app, slot, silently: silently, $1, at: now, &$2) }
    case .open, .leave, .forceQuit, .terminate, .crash: try move(action, device, at: now)
    case .start(let request): try start(request, device, at: now)
    case .updateActivity(let name, let app, let order):
      let (app, number) = try activity(name, app, on: device, at: now)
      guard ask(device, { $0.update(number, app: app, order, $1, at: now, &$2) }) else {
        throw CommandProblem(
          .senseless, "activity",
          "The app cannot update it: its card waits for an answer, the timestamp is not newer than the last, or "
            + "attributes and content are over 4,096 bytes together.")
      }
    case .endActivity(let name, let app, let content, let dismissal):
      let (app, number) = try activity(name, app, on: device, at: now)
      let ended = ask(device) {
        $0.end(number, app: app, content: content, dismissing: dismissal, .command, $1, at: now, &$2)
      }
      guard ended else {
        throw CommandProblem(
          .senseless, "activity", "Its card asks whether to allow it, and until that is answered no app ends it.")
      }
    case .evict(let name, let app):
      let (app, number) = try activity(name, app, on: device, at: now)
      _ = ask(device) { $0.end(number, app: app, .system, $1, at: now, &$2) }
    case .swipe(let name, let app):
      let (app, number) = try card(name, app, on: device, at: now)
      _ = ask(device) { $0.swipe(number, app: app, .user, $1, at: now, &$2) }
    case .tap(let name, let app):
      let (app, _) = try card(name, app, on: device, at: now)
      ask(device) { $0.open(app, $1, at: now, &$2) }
    case .allow(let name, let app): try answer(true, name, app, device, at: now)
    case .deny(let name, let app): try answer(false, name, app, device, at: now)
    case .tapNotification(let number, let app):
      let app = try installed(app, on: device)
      guard ask(device, { $0.tapNotification(number, app: app, $1, at: now, &$2) }) else {
        let there = fleet.install(device, app: app).notifications.shown.map { String($0.number) }
        throw CommandProblem(
          .senseless, "notification",
          there.isEmpty
            ? "\(bundleID(app)) has no notification on \(device.text)."
            : "\(bundleID(app)) has no such notification on \(device.text); there are \(there.joined(separator: ", "))."
        )
      }
    case .clearNotifications(let app):
      let app = try installed(app, on: device)
      guard ask(device, { $0.clearNotifications(app, at: now, &$2) }) else {
        throw CommandProblem(.senseless, "do", "\(bundleID(app)) has no notifications on \(device.text).")
      }
    case .goOffline: try setOnline(false, device, at: now)
    case .goOnline: try setOnline(true, device, at: now)
    case .lock, .unlock, .lightScreen, .darkenScreen: try turn(action, device, at: now)
    case .reboot: ask(device) { $0.reboot($1, at: now, &$2) }
    case .restore: ask(device) { $0.restore($1, at: now, &$2) }
    case .updateSystem(let version):
      let present = fleet.os(of: device)
      guard version > present else {
        throw CommandProblem(
          .senseless, "os", "\(device.text) runs iOS \(present.text); it can only go to a later one.")
      }
      ask(device) { $0.updateSystem(to: version, $1, at: now, &$2) }
    case .flip(let what, let on, let app): try flip(what, on: on, app, device, at: now)
    case .permit(let permission, let app):
      let app = try installed(app, on: device)
      guard fleet.phone(device).installs[app].permission != permission else {
        throw CommandProblem(
          .senseless, "notifications",
          "Notifications of \(bundleID(app)) are \(permission.rawValue) on \(device.text) already.")
      }
      ask(device) { $0.permit(permission, app: app, at: now, &$2) }
    }
  }

  // MARK: - Details

  /// Has a phone do something, and tells what came of it.
  @discardableResult
  mutating func ask<Result>(
    _ device: DeviceID, _ act: (inout Phone, PhoneModel, inout PhoneNews) -> Result
  ) -> Result {
    let place = touch(device)
    let model = model(of: device)
    let result = act(&fleet.phones[place], model, &news)
    if !news.items.isEmpty { takeNews(of: device) }
    return result
  }

  private func bundleID(_ app: Int) -> String { fleet.plan.apps[app].bundleID }

  private mutating func reinstall(
    _ app: String?, opens: Bool, _ device: DeviceID, at now: Instant
  ) throws(CommandProblem) {
    let app = try self.app(app, on: device)
    guard !fleet.install(device, app: app).isInstalled else {
      throw CommandProblem(.senseless, "do", "\(bundleID(app)) is installed on \(device.text); uninstall it first.")
    }
    ask(device) { $0.reinstall(app, opens: opens, $1, at: now, &$2) }
  }

  /// The comings and goings of an app.
  private mutating func move(_ action: DeviceAction, _ device: DeviceID, at now: Instant) throws(CommandProblem) {
    switch action {
    case .open(let name):
      let app = try installed(name, on: device)
      guard fleet.phone(device).installs[app].life != .foreground else { throw already(app, device, .foreground) }
      ask(device) { $0.open(app, $1, at: now, &$2) }
    case .leave(let name):
      let app = try installed(name, on: device)
      let life = fleet.phone(device).installs[app].life
      guard life == .foreground else {
        throw CommandProblem(
          .senseless, "do", "\(bundleID(app)) is not in the foreground on \(device.text); it is \(life.rawValue).")
      }
      ask(device) { $0.leave(app, $1, at: now, &$2) }
    case .forceQuit(let name): try stop(name, .forceQuit, device, at: now)
    case .terminate(let name): try stop(name, .terminated, device, at: now)
    case .crash(let name): try stop(name, .crashed, device, at: now)
    default: break
    }
  }

  private mutating func stop(
    _ name: String?, _ life: AppLife, _ device: DeviceID, at now: Instant
  ) throws(CommandProblem) {
    let app = try installed(name, on: device)
    let present = fleet.phone(device).installs[app].life
    guard present != life else { throw already(app, device, life) }
    // An app without a process can be swiped out of the switcher, but neither crash nor be ended for room.
    guard present != .neverLaunched, life == .forceQuit || present.hasProcess else {
      throw CommandProblem(
        .senseless, "do", "\(bundleID(app)) has no process on \(device.text); it is \(present.rawValue).")
    }
    ask(device) { $0.stop(app, as: life, $1, at: now, &$2) }
  }

  private func already(_ app: Int, _ device: DeviceID, _ life: AppLife) -> CommandProblem {
    CommandProblem(.senseless, "do", "\(bundleID(app)) is \(life.rawValue) on \(device.text) already.")
  }

  /// A person starts an activity in the app, and so opens it first, unless it is said to be done otherwise.
  private mutating func start(_ request: StartRequest, _ device: DeviceID, at now: Instant) throws(CommandProblem) {
    let app = try installed(request.app, on: device)
    var order = request.order
    order.type = try type(request.attributesType, app)
    if case .channel(let id) = order.updates, !hasChannel(id, app, on: device) {
      throw CommandProblem(
        .senseless, "channel", "There is no channel \(id) for \(bundleID(app)); GET /v1/channels lists those there are."
      )
    }
    ask(device) { phone, model, news in
      guard order.scene == .foreground, phone.installs[app].life != .foreground else {
        _ = phone.request(order, app: app, model, at: now, &news)
        return
      }
      phone.visit(app, model, at: now, &news) { phone, news in
        _ = phone.request(order, app: app, model, at: now, &news)
      }
    }
  }

  private mutating func answer(
    _ allowed: Bool, _ name: String?, _ app: String?, _ device: DeviceID, at now: Instant
  ) throws(CommandProblem) {
    let (app, number) = try prompt(name, app, on: device, at: now)
    _ = ask(device) { $0.answer(number, app: app, allowed: allowed, $1, at: now, &$2) }
  }

  private mutating func setOnline(_ online: Bool, _ device: DeviceID, at now: Instant) throws(CommandProblem) {
    guard fleet.isOnline(device) != online else {
      throw CommandProblem(.senseless, "do", "\(device.text) is \(online ? "online" : "offline") already.")
    }
    ask(device) { $0.setOnline(online, $1, at: now, &$2) }
    guard online else { return }
    deliverStored(to: device, at: now)
    deliverMissed(to: device, at: now)
  }

  private mutating func turn(_ action: DeviceAction, _ device: DeviceID, at now: Instant) throws(CommandProblem) {
    let phone = fleet.phone(device)
    let isLit = phone.condition.contains(.screenOn)
    func refuse(_ state: String) -> CommandProblem {
      CommandProblem(.senseless, "do", "\(device.text) is \(state) already.")
    }
    switch action {
    case .lock:
      guard !phone.isLocked else { throw refuse("locked") }
      ask(device) { $0.lock($1, at: now, &$2) }
    case .unlock:
      guard phone.isLocked else { throw refuse("unlocked") }
      ask(device) { $0.unlock($1, at: now, &$2) }
    case .lightScreen:
      guard !isLit else { throw refuse("lit") }
      ask(device) { $0.lightScreen($1, at: now, &$2) }
    case .darkenScreen:
      guard isLit else { throw refuse("dark") }
      ask(device) { $0.darkenScreen($1, at: now, &$2) }
    default: break
    }
  }

  private mutating func flip(
    _ what: PhoneSwitch, on: Bool, _ name: String?, _ device: DeviceID, at now: Instant
  ) throws(CommandProblem) {
    if !what.isOfApp, name != nil {
      throw CommandProblem(.senseless, "app", "\(what.rawValue) is a switch of the phone, not of an app.")
    }
    let app = what.isOfApp ? try installed(name, on: device) : 0
    guard fleet.phone(device).isOn(what, app: app) != on else {
      throw CommandProblem(.senseless, "on", "\(what.rawValue) is \(on ? "on" : "off") on \(device.text) already.")
    }
    ask(device) { $0.flip(what, on: on, app: app, $1, at: now, &$2) }
  }
}
