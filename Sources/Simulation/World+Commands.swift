import APNs
import Devices
import Timeline

extension World {
  /// Carries out an order, or says why not; an order refused changes nothing.
  package mutating func perform(_ command: Command, at now: Now) throws(CommandProblem) {
    advance(to: now)
    switch command {
    case .device(let device, let action):
      guard fleet.contains(device) else { throw Self.unknown(device, fleet) }
      try perform(action, on: device, at: now.world)
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
      events.append(.tokenRegistered(device, app: app, slot: slot, at: now.world))
    }
  }

  private mutating func perform(_ action: DeviceAction, on device: DeviceID, at now: Instant) throws(CommandProblem) {
    switch action {
    case .uninstall(let app): try uninstall(app, device, at: now)
    case .reinstall(let app): try reinstall(app, device, at: now)
    case .rotate(let kind, let app, let type, let activity):
      try rotate(kind, device, app, attributesType: type, activity: activity, at: now)
    case .startActivity(let app, let type):
      let app = try installed(app, on: device)
      guard startActivity(device, app, type: try self.type(type, app), at: now) != nil else {
        throw CommandProblem(
          .senseless, "do", "As many activities as can be kept in mind run on \(device.text); end one first.")
      }
    case .endActivity(let name, let app):
      let (app, number) = try activity(name, app, on: device, at: now)
      endActivity(device, app, number, .command, at: now)
    case .swipe(let name, let app):
      let (app, number) = try card(name, app, on: device, at: now)
      let habits = fleet.habits
      let wasRunning = fleet.change(device) { $0.installs[app].swipe(number, habits, isOnline: $0.isOnline, at: now) }
      if wasRunning == true {
        events.append(.activityEnded(device, app: app, activity: number, cause: .user, at: now))
      }
      events.append(.activityDismissed(device, app: app, activity: number, at: now))
    case .goOffline: try setOnline(false, device, at: now)
    case .goOnline: try setOnline(true, device, at: now)
    case .reboot:
      fleet.change(device) { state in
        for app in state.installs.indices { state.installs[app].reboot() }
      }
      events.append(.rebooted(device, at: now))
    }
  }

  private mutating func uninstall(_ app: String?, _ device: DeviceID, at now: Instant) throws(CommandProblem) {
    let app = try installed(app, on: device)
    let habits = fleet.habits
    let running = fleet.install(device, app: app).activities.filter { !$0.isOver(at: now) }
    fleet.change(device) { $0.installs[app].remove(habits, isOnline: $0.isOnline, at: now) }
    for activity in running {
      events.append(.activityEnded(device, app: app, activity: activity.number, cause: .appRemoved, at: now))
    }
    events.append(.appRemoved(device, app: app, at: now))
  }

  private mutating func reinstall(_ app: String?, _ device: DeviceID, at now: Instant) throws(CommandProblem) {
    let app = try self.app(app, on: device)
    guard !fleet.install(device, app: app).isInstalled else {
      throw CommandProblem(
        .senseless, "do", "\(fleet.plan.apps[app].bundleID) is installed on \(device.text); uninstall it first.")
    }
    fleet.change(device) { $0.installs[app].reinstall(at: now) }
    events.append(.appInstalled(device, app: app, at: now))
    events.append(.tokenIssued(device, app: app, slot: .app, at: now))
    guard fleet.install(device, app: app).hasStartToken(fleet.os(of: device)) else { return }
    for type in fleet.plan.apps[app].attributesTypes.indices {
      events.append(.tokenIssued(device, app: app, slot: .pushToStart(type: type), at: now))
    }
  }

  private mutating func rotate(
    _ kind: TokenKind, _ device: DeviceID, _ app: String?, attributesType: String?, activity: String?, at now: Instant
  ) throws(CommandProblem) {
    let app = try installed(app, on: device)
    let slot = try self.slot(kind, device, app, attributesType: attributesType, activity: activity, at: now)
    let notice: Instant? =
      switch kind {
      // Treated like an uninstall: APNs learns it from the pushes that follow.
      case .device, .service: nil
      case .pushToStart: now.advanced(by: fleet.habits.startTokenGrace)
      case .update: now.advanced(by: fleet.habits.updateTokenGrace)
      }
    fleet.change(device) { state in
      _ = state.installs[app].change(slot) { $0.rotate(notice: notice) }
    }
    events.append(.tokenIssued(device, app: app, slot: slot, at: now))
  }

  private mutating func setOnline(_ online: Bool, _ device: DeviceID, at now: Instant) throws(CommandProblem) {
    guard fleet.isOnline(device) != online else {
      throw CommandProblem(.senseless, "do", "\(device.text) is \(online ? "online" : "offline") already.")
    }
    let habits = fleet.habits
    fleet.change(device) { state in
      state.isOnline = online
      guard online else { return }
      for app in state.installs.indices { state.installs[app].reconnect(habits, at: now) }
    }
    events.append(online ? .wentOnline(device, at: now) : .wentOffline(device, at: now))
  }
}
