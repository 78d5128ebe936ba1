import APNs
import Devices
import Timeline

/// Finding what an order names; each failure is a sentence that says what there is.
extension Partition {
  /// The app of that bundle id; without one, the fleet's first.
  func app(_ bundleID: String?, on device: DeviceID) throws(CommandProblem) -> Int {
    guard let bundleID else { return 0 }
    guard let app = fleet.plan.apps.firstIndex(where: { $0.bundleID == bundleID }) else {
      let known = fleet.plan.apps.map(\.bundleID).joined(separator: ", ")
      throw CommandProblem(.senseless, "app", "There is no app \(bundleID) in this fleet; it has \(known).")
    }
    return app
  }

  func installed(_ bundleID: String?, on device: DeviceID) throws(CommandProblem) -> Int {
    let app = try app(bundleID, on: device)
    guard fleet.install(device, app: app).isInstalled else {
      throw CommandProblem(
        .senseless, "app", "\(fleet.plan.apps[app].bundleID) is not installed on \(device.text); reinstall it first.")
    }
    return app
  }

  /// The attributes type of that name; without one, the app's first.
  func type(_ name: String?, _ app: Int) throws(CommandProblem) -> Int {
    let profile = fleet.plan.apps[app]
    guard !profile.attributesTypes.isEmpty else {
      throw CommandProblem(
        .senseless, "attributesType", "\(profile.bundleID) declares no attributes types, so it has no Live Activities.")
    }
    guard let name else { return 0 }
    guard let type = profile.attributesTypes.firstIndex(of: name) else {
      let known = profile.attributesTypes.joined(separator: ", ")
      throw CommandProblem(
        .senseless, "attributesType", "\(profile.bundleID) has no attributes type \(name); it has \(known).")
    }
    return type
  }

  /// The running activity of that name; without one, the only one that runs.
  func activity(
    _ name: String?, _ bundleID: String?, on device: DeviceID, at now: Instant
  ) throws(CommandProblem) -> (app: Int, number: UInt32) {
    let apps =
      try bundleID.map { (bundleID) throws(CommandProblem) in [try installed(bundleID, on: device)] }
      ?? Array(fleet.plan.apps.indices)
    var running: [(app: Int, number: UInt32)] = []
    for app in apps {
      for activity in fleet.install(device, app: app).activities where !activity.isOver(at: now) {
        running.append((app, activity.number))
      }
    }
    if let name {
      let found = running.first { fleet.activityName(device, app: $0.app, number: $0.number) == name.uppercased() }
      guard let found else {
        throw CommandProblem(
          .senseless, "activity", "No activity \(name) runs on \(device.text); \(running.count) run there.")
      }
      return found
    }
    guard let only = running.first, running.count == 1 else {
      throw CommandProblem(
        .senseless, "activity",
        running.isEmpty
          ? "No activity runs on \(device.text)."
          : "\(running.count) activities run on \(device.text); name one by its id: "
            + running.map { fleet.activityName(device, app: $0.app, number: $0.number) }.joined(separator: ", ") + ".")
    }
    return only
  }

  /// The card of that name on the Lock Screen; without one, the only one there.
  func card(
    _ name: String?, _ bundleID: String?, on device: DeviceID, at now: Instant
  ) throws(CommandProblem) -> (app: Int, number: UInt32) {
    try only(
      screen(of: device, at: now).cards, name, bundleID, on: device,
      none: "No card is on the Lock Screen of \(device.text).", several: "Name one of the cards on \(device.text)")
  }

  /// The card of that name whose question is open; without one, the only one there.
  func prompt(
    _ name: String?, _ bundleID: String?, on device: DeviceID, at now: Instant
  ) throws(CommandProblem) -> (app: Int, number: UInt32) {
    try only(
      screen(of: device, at: now).cards.filter(\.asks), name, bundleID, on: device,
      none: "No card on \(device.text) asks whether to allow Live Activities.",
      several: "Name one of the cards that ask on \(device.text)")
  }

  private func only(
    _ all: [Screen.Card], _ name: String?, _ bundleID: String?, on device: DeviceID, none: String, several: String
  ) throws(CommandProblem) -> (app: Int, number: UInt32) {
    let app = try bundleID.map { (bundleID) throws(CommandProblem) in try installed(bundleID, on: device) }
    let cards = all.filter { app == nil || $0.app == app }
    let found = name.map { name in cards.filter { $0.id == name.uppercased() } } ?? cards
    guard let card = found.first, found.count == 1 else {
      let there = cards.map(\.id).joined(separator: ", ")
      throw CommandProblem(.senseless, "activity", cards.isEmpty ? none : "\(several): \(there).")
    }
    return (card.app, card.number)
  }

  /// Makes a token the user already has that of a slot.
  ///
  /// - Returns: which slot that is, and of which app.
  mutating func register(
    _ token: DeviceToken, _ device: DeviceID, _ name: TokenSlotName, at now: Instant
  ) throws(CommandProblem) -> (app: Int, slot: TokenSlot) {
    let app = try installed(name.app, on: device)
    let slot = try slot(name, device, app, at: now)
    switch fleet.register(token, device, app: app, slot: slot) {
    case .done: return (app, slot)
    case .known: throw CommandProblem(.conflict, "token", "This token is already known; a token leads to one place.")
    case .full:
      throw CommandProblem(.senseless, "token", "No more than \(Fleet.mostGiven) tokens can be registered.")
    }
  }

  func slot(
    _ name: TokenSlotName, _ device: DeviceID, _ app: Int, at now: Instant
  ) throws(CommandProblem) -> TokenSlot {
    switch name.kind {
    case .device: return .app
    case .service(let suffix):
      let profile = fleet.plan.apps[app]
      guard profile.services.contains(suffix) else {
        throw CommandProblem(.senseless, "kind", "\(profile.bundleID) has no \(name.kind.name) service.")
      }
      return .service(suffix)
    case .pushToStart:
      let type = try type(name.attributesType, app)
      guard fleet.install(device, app: app).hasStartToken(fleet.os(of: device), fleet.policy.startTokens) else {
        throw CommandProblem(
          .senseless, "kind",
          "\(device.text) runs iOS \(fleet.os(of: device).text) and has no push-to-start token: it takes 17.2, and "
            + "mostly on 17.2 to 17.6 the app deleted, the phone rebooted and the app installed again.")
      }
      return .pushToStart(type: type)
    case .update:
      let bundleID = fleet.plan.apps[app].bundleID
      return .update(activity: try activity(name.activity, bundleID, on: device, at: now).number)
    }
  }

  /// What has not been issued cannot be replaced.
  func requireToken(_ slot: TokenSlot, _ device: DeviceID, _ app: Int) throws(CommandProblem) {
    let install = fleet.install(device, app: app)
    guard install.hasTokens else {
      let profile = fleet.plan.apps[app]
      throw CommandProblem(
        .senseless, "do",
        !profile.traits.pushCapability
          ? "\(profile.bundleID) has no push capability, so it has no tokens."
          : "\(profile.bundleID) was never opened on \(device.text), so it has no tokens; open it first.")
    }
    guard case .update(let number) = slot, let activity = install.activity(number) else { return }
    guard activity.hasToken || activity.token.isGiven else {
      throw CommandProblem(
        .senseless, "activity", "The activity has no update token: none was asked for, or none has been issued yet.")
    }
  }
}

/// A token's place as an order names it; what is left out is found where the device leaves no choice.
struct TokenSlotName {
  let kind: TokenKind
  let app: String?
  let attributesType: String?
  let activity: String?

  init(_ kind: TokenKind, app: String?, attributesType: String?, activity: String?) {
    self.kind = kind
    self.app = app
    self.attributesType = attributesType
    self.activity = activity
  }
}
