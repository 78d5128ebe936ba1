import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// An app on a device.
struct InstallID: Hashable, Comparable, Sendable {
  let device: DeviceID
  let app: Int

  static func < (left: InstallID, right: InstallID) -> Bool {
    (left.device.number, left.app) < (right.device.number, right.app)
  }
}

/// An app on a phone, at the end of a play.
struct WitnessedInstall: Sendable {
  let id: InstallID
  let user: UserID
  let bundleID: String
  let isOnline: Bool
  let isInstalled: Bool
  let allowsActivities: Bool
  /// In lower case, as those of pushes.
  let deviceToken: String?
  /// By the number of the attributes type.
  let startTokens: [Int: String]
  let cards: [WitnessedCard]
  let notifications: [String]
}

/// A Live Activity at the end of a play, also one that has ended.
struct WitnessedCard: Sendable {
  let install: InstallID
  let number: UInt32
  let type: Int
  let typeName: String
  let content: JSONValue?
  /// True if the app itself has set the content last.
  let isLocal: Bool
  let state: LiveActivity.State
  let origin: LiveActivity.Origin
  /// Nil if it has none: before its token is issued, or if a channel updates it.
  let token: String?
  /// The channel that updates it; nil if its token does.
  let channel: String?
  /// Equal for cards about the same thing on the same phone, in all plays of a story.
  let subject: String

  var isOver: Bool { state == .ended || state == .dismissed }
  var isRunning: Bool { state == .active || state == .stale }
}

extension WitnessedInstall {
  init?(_ id: InstallID, in world: World, at now: Instant) {
    guard let view = world.device(id.device, at: now), view.apps.indices.contains(id.app) else { return nil }
    let (fleet, app) = (world.fleet, view.apps[id.app])
    let phone = fleet.phone(id.device)
    self.id = id
    user = view.user
    bundleID = app.profile.bundleID
    isOnline = view.isOnline
    isInstalled = app.isInstalled
    allowsActivities = phone.allowsActivities(id.app)
    deviceToken = app.deviceToken?.lowercased()
    var starts: [Int: String] = [:]
    for token in app.startTokens {
      guard let type = app.profile.attributesTypes.firstIndex(of: token.attributesType) else { continue }
      starts[type] = token.token.lowercased()
    }
    startTokens = starts
    let install = phone.installs[id.app]
    cards = install.activities.map { WitnessedCard($0, of: id, app.profile, in: fleet, at: now) }
    let strings = app.profile.traits.strings
    notifications = install.notifications.shown.map { shown in
      let text = shown.text(strings, in: fleet.model.mix.language).alert
      return [text.title, text.body].compactMap(\.self).joined(separator: " — ")
    }
  }
}

extension WitnessedCard {
  init(_ activity: LiveActivity, of id: InstallID, _ profile: AppProfile, in fleet: Fleet, at now: Instant) {
    install = id
    number = activity.number
    type = activity.type
    typeName = profile.attributesTypes[activity.type]
    content = activity.content.value("content-state")
    isLocal = if case .local = activity.content { true } else { false }
    state = activity.state(fleet.policy, at: now)
    origin = activity.origin
    token =
      activity.hasToken && activity.updates == .token
      ? fleet.token(id.device, app: id.app, slot: .update(activity: activity.number))?.text.lowercased() : nil
    channel = if case .channel(let id) = activity.updates { id } else { nil }
    subject = typeName + " " + Leaves(activity.attributes.value("attributes"), near: now).words
  }
}
