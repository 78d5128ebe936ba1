import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// An order of a person, a test or a scenario.
package enum Command: Hashable, Sendable {
  case device(DeviceID, DeviceAction)
  /// Performs an action on every device of a selection, and skips the devices on which the action is not possible.
  indirect case devices(Selection, DeviceAction)
  /// Sets a fault, replacing one with the same name.
  indirect case setFault(Fault)
  case deleteFault(String)
  /// Deletes every fault and reverts its effects.
  case deleteAllFaults
  /// Deletes every fault of the session with this name, and reverts its effects.
  case deleteFaults(of: String)
  /// Begins with new phones.
  case beginAnew
  /// The result of an app's call.
  case answer(UInt64, CallOutcome)
  /// Registers a provider key; the text is base64 of its public half (SubjectPublicKeyInfo).
  case addKey(ProviderKey, publicKey: String)
  /// Revokes a provider key: tokens that it signed are no longer accepted.
  case revokeKey(String)
  /// Open connections with the certificate of that fingerprint are rejected from now on.
  case revokeCertificate(String)
  /// Registers a token the user already has.
  case register(DeviceToken, DeviceID, app: String, TokenKind, attributesType: String?, activity: String?)
}

/// The result of an order on a selection of devices.
package struct CommandOutcome: Hashable, Sendable {
  package var done = 0
  package var refused = 0
  /// The first device that rejected the action, and the reason.
  package var firstRefusal: (device: DeviceID, sentence: String)?
  /// The `start` of the selection with which to continue; nil if no devices are left. One command processes a limited
  /// number.
  package var next: UInt32?

  package init() {}

  package static func == (left: Self, right: Self) -> Bool {
    left.done == right.done && left.refused == right.refused && left.next == right.next
      && left.firstRefusal?.device == right.firstRefusal?.device
      && left.firstRefusal?.sentence == right.firstRefusal?.sentence
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(done)
    hasher.combine(refused)
    hasher.combine(next)
  }
}

/// A subset of the fleet's devices: those that match every condition.
package struct Selection: Hashable, Sendable {
  package var filter = Filter()
  /// The name of the draw of a share; the same name always draws the same devices.
  package var shareName = ""
  /// The first device: a device number, or an index into the devices of the filter.
  package var start: UInt32 = 0

  package init() {}

  /// Maximum number of devices that one request of the admin API looks at.
  package static let most: UInt32 = 100_000
}

/// An action on one device. Apps are named by bundle id, activities by their ids. Both are optional if the device has
/// only one.
package enum DeviceAction: Hashable, Sendable {
  case uninstall(app: String?)
  /// Reinstalls a deleted app. Unless it is opened, it has no tokens.
  case reinstall(app: String?, opens: Bool)
  /// Updates an app to its next version.
  case updateApp(app: String?)
  /// Replaces a token. If silent, the app is not told.
  case rotate(TokenKind, app: String?, attributesType: String?, activity: String?, silently: Bool = false)

  case open(app: String?)
  case leave(app: String?)
  case forceQuit(app: String?)
  /// The system ends the process to free memory.
  case terminate(app: String?)
  case crash(app: String?)

  /// The person performs an action in the app, by its name in the profile.
  case use(String, app: String?, arguments: [JSONValue.Member])
  case start(StartActivityRequest)
  case updateActivity(String?, app: String?, ActivityUpdateRequest)
  case endActivity(String?, app: String?, content: JSONValue?, dismissal: Instant?)
  /// The system ends an activity to make room.
  case evict(String?, app: String?)
  /// The person swipes the activity's card off the Lock Screen.
  case swipe(String?, app: String?)
  /// The person taps the activity's card, which opens its app.
  case tap(String?, app: String?)
  /// The person touches and holds the activity in the Dynamic Island.
  case longPress(String?, app: String?)
  case allow(String?, app: String?)
  case deny(String?, app: String?)

  /// The person taps the newest notification, unless a number is given.
  case tapNotification(UInt32?, app: String?)
  case clearNotifications(app: String?)

  case lock
  case unlock
  case lightScreen
  case darkenScreen
  case goOffline
  case goOnline
  case reboot
  case restore
  /// The phone's clock is ahead by this much from now on.
  case setClock(ahead: Duration)
  case updateSystem(OSVersion)
  case flip(PhoneSwitch, on: Bool, app: String?)
  case permit(NotificationPermission, app: String?)

  /// The names of all actions, as in `do`.
  package static let names = [
    "uninstall", "reinstall", "updateApp", "rotate", "open", "leave", "forceQuit", "terminate", "crash", "use",
    "startActivity", "updateActivity", "endActivity", "evict", "swipe", "tap", "longPress", "allow", "deny",
    "tapNotification", "clearNotifications", "lock", "unlock", "lightScreen", "darkenScreen", "goOffline", "goOnline",
    "reboot", "restore", "setClock", "updateSystem", "switch", "permit",
  ]

  package static func startActivity(app: String?, attributesType: String?) -> DeviceAction {
    .start(StartActivityRequest(app: app, attributesType: attributesType))
  }

  package static func endActivity(_ name: String?, app: String?) -> DeviceAction {
    .endActivity(name, app: app, content: nil, dismissal: nil)
  }

  package static func reinstall(app: String?) -> DeviceAction { .reinstall(app: app, opens: true) }
}

/// An order to start an activity, with names instead of numbers.
package struct StartActivityRequest: Hashable, Sendable {
  package var app: String?
  package var attributesType: String?
  /// The request as the phone receives it; its `type` is resolved from `attributesType`.
  package var order = ActivityStartRequest(type: 0)

  package init(app: String? = nil, attributesType: String? = nil) {
    self.app = app
    self.attributesType = attributesType
  }
}

/// The reason why an order cannot be carried out, as a sentence.
package struct CommandProblem: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The order names something that does not exist.
    case unknown
    /// The order is not possible in the current state.
    case impossible
    /// The order would create something that exists already.
    case conflict
    /// The order names something that existed but is no longer stored.
    case gone
    /// Another program holds what it needs; the same order may succeed later.
    case busy
    /// The machine prevents it, such as a full disk; the order itself is valid.
    case failed
  }

  package let kind: Kind
  /// The invalid part of the order.
  package let field: String
  package let sentence: String

  package init(_ kind: Kind, field: String, sentence: String) {
    self.kind = kind
    self.field = field
    self.sentence = sentence
  }
}
