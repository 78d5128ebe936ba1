import APNs
import Devices
import Grammar
import Timeline
import WireFormats

/// Resolves the names in an order; each failure is a sentence that lists what exists.
extension Fleet {
  func bundleID(_ app: Int) -> String { plan.apps[app].bundleID }

  /// The app with that bundle id; without one, the fleet's first app.
  func app(_ bundleID: String?, on device: DeviceID) throws(CommandProblem) -> Int {
    guard let bundleID else { return 0 }
    guard let app = plan.apps.firstIndex(where: { $0.bundleID == bundleID }) else {
      throw CommandProblem(.impossible, field: "app", sentence: unknownApp(bundleID))
    }
    return app
  }

  /// The sentence for an app that the fleet does not have.
  package func unknownApp(_ bundleID: String) -> String {
    let known = plan.apps.map(\.bundleID)
    let near = SpellingSuggestion.nearest(to: bundleID, among: known).map { "did you mean \($0)?" }
    return "There is no app \(Wording.quoted(bundleID)) in this fleet; \(near ?? "it has \(Wording.list(known)).")"
  }

  /// The sentence for a device or a user that the fleet does not have.
  ///
  /// - Parameter what: `device` or `user`.
  package func unknown(_ what: String, _ name: String) -> String {
    "There is no \(what) \(Wording.quoted(name)); this fleet has d0 to d\(plan.devices - 1)."
  }

  func installed(_ bundleID: String?, on device: DeviceID) throws(CommandProblem) -> Int {
    let app = try app(bundleID, on: device)
    guard install(device, app: app).isInstalled else {
      throw CommandProblem(
        .impossible, field: "app",
        sentence: "\(plan.apps[app].bundleID) is not installed on \(device.text); reinstall it first.")
    }
    return app
  }

  /// The owner of the channels that an app on a device can subscribe to.
  func channelHome(_ app: Int, on device: DeviceID) -> ChannelOwner {
    ChannelOwner(environment(of: device, app: app), plan.apps[app].bundleID)
  }

  /// The attributes type with that name; without one, the app's first type.
  func type(_ name: String?, _ app: Int) throws(CommandProblem) -> Int {
    let profile = plan.apps[app]
    guard !profile.attributesTypes.isEmpty else {
      throw CommandProblem(
        .impossible, field: "attributesType",
        sentence: "\(profile.bundleID) declares no attributes types, so it has no Live Activities.")
    }
    guard let name else { return 0 }
    guard let type = profile.attributesTypes.firstIndex(of: name) else {
      let known = profile.attributesTypes.joined(separator: ", ")
      throw CommandProblem(
        .impossible, field: "attributesType",
        sentence: "\(profile.bundleID) has no attributes type \(name); its types are \(known).")
    }
    return type
  }

  /// The running activity with that id; without one, the only one that runs.
  func activity(
    _ name: String?, _ bundleID: String?, on device: DeviceID, at now: Instant
  ) throws(CommandProblem) -> (app: Int, number: UInt32) {
    let apps =
      try bundleID.map { (bundleID) throws(CommandProblem) in [try installed(bundleID, on: device)] }
      ?? Array(plan.apps.indices)
    var running: [(app: Int, number: UInt32)] = []
    for app in apps {
      for activity in install(device, app: app).activities where !activity.isOver(at: now) {
        running.append((app, activity.number))
      }
    }
    if let name {
      let found = running.first { activityName(device, app: $0.app, number: $0.number) == name.uppercased() }
      guard let found else {
        throw CommandProblem(
          .impossible, field: "activity",
          sentence: "No activity \(name) runs on \(device.text); \(running.count) activities run there.")
      }
      return found
    }
    guard let only = running.first, running.count == 1 else {
      throw CommandProblem(
        .impossible, field: "activity",
        sentence: running.isEmpty
          ? "No activity runs on \(device.text)."
          : "\(running.count) activities run on \(device.text); name one by its id: "
            + running.map { activityName(device, app: $0.app, number: $0.number) }.joined(separator: ", ") + ".")
    }
    return only
  }

  /// The card with that name on the Lock Screen; without one, the only card.
  func card(
    _ name: String?, _ bundleID: String?, on device: DeviceID, at now: Instant
  ) throws(CommandProblem) -> (app: Int, number: UInt32) {
    try only(
      screen(of: device, at: now).cards, named: name, app: bundleID, on: device,
      none: "No card is on the Lock Screen of \(device.text).", several: "Name one of the cards on \(device.text)")
  }

  /// The card with that name and an open question; without one, the only such card.
  func prompt(
    _ name: String?, _ bundleID: String?, on device: DeviceID, at now: Instant
  ) throws(CommandProblem) -> (app: Int, number: UInt32) {
    try only(
      screen(of: device, at: now).cards.filter(\.asks), named: name, app: bundleID, on: device,
      none: "No card on \(device.text) shows the Allow question.",
      several: "Name one of the cards with the Allow question on \(device.text)")
  }

  private func only(
    _ all: [Screen.Card], named name: String?, app bundleID: String?, on device: DeviceID, none: String, several: String
  ) throws(CommandProblem) -> (app: Int, number: UInt32) {
    let app = try bundleID.map { (bundleID) throws(CommandProblem) in try installed(bundleID, on: device) }
    let cards = all.filter { app == nil || $0.app == app }
    let found = name.map { name in cards.filter { $0.id == name.uppercased() } } ?? cards
    guard let card = found.first, found.count == 1 else {
      let there = cards.map(\.id).joined(separator: ", ")
      throw CommandProblem(.impossible, field: "activity", sentence: cards.isEmpty ? none : "\(several): \(there).")
    }
    return (card.app, card.number)
  }

  /// Makes a token of the user the current token of a slot.
  ///
  /// - Returns: the slot and its app.
  mutating func register(
    _ token: DeviceToken, on device: DeviceID, as name: TokenSlotName, at now: Instant
  ) throws(CommandProblem) -> (app: Int, slot: TokenSlot) {
    let app = try installed(name.app, on: device)
    let slot = try slot(name, on: device, app: app, at: now)
    switch register(token, device, app: app, slot: slot) {
    case .done: return (app, slot)
    case .known: throw CommandProblem(.conflict, field: "token", sentence: "This token already belongs to a device.")
    case .full:
      throw CommandProblem(
        .impossible, field: "token", sentence: "No more than \(Fleet.mostRegistered) tokens can be registered.")
    }
  }

  func slot(
    _ name: TokenSlotName, on device: DeviceID, app: Int, at now: Instant
  ) throws(CommandProblem) -> TokenSlot {
    switch name.kind {
    case .device: return .app
    case .service(let suffix):
      let profile = plan.apps[app]
      guard profile.services.contains(suffix) else {
        throw CommandProblem(
          .impossible, field: "kind", sentence: "\(profile.bundleID) has no \(name.kind.name) service.")
      }
      return .service(suffix)
    case .pushToStart:
      let type = try type(name.attributesType, app)
      guard install(device, app: app).hasStartToken(os(of: device), policy.startTokens) else {
        throw CommandProblem(
          .impossible, field: "kind",
          sentence:
            "\(device.text) runs iOS \(os(of: device).text) and has no push-to-start token. It needs iOS 17.2; on "
            + "17.2 to 17.6 mostly also deleting the app, rebooting the phone and reinstalling the app, in that order.")
      }
      return .pushToStart(type: type)
    case .update:
      let bundleID = plan.apps[app].bundleID
      return .update(activity: try activity(name.activity, bundleID, on: device, at: now).number)
    }
  }

  /// A token that was not issued cannot be replaced.
  func requireToken(_ slot: TokenSlot, on device: DeviceID, app: Int) throws(CommandProblem) {
    let install = install(device, app: app)
    guard install.hasTokens else {
      let profile = plan.apps[app]
      throw CommandProblem(
        .impossible, field: "do",
        sentence: !profile.traits.pushCapability
          ? "\(profile.bundleID) has no push capability, so it has no tokens."
          : "\(profile.bundleID) was never opened on \(device.text), so it has no tokens; open it first.")
    }
    guard case .update(let number) = slot, let activity = install.activity(number) else { return }
    guard activity.hasToken || activity.token.isGiven else {
      throw CommandProblem(
        .impossible, field: "activity",
        sentence: "The activity has no update token: none was requested, or it is not issued yet.")
    }
  }
}

/// A token as an order names it; missing parts are resolved if there is only one choice.
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
