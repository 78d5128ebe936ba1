import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// What a person, a test or a scenario orders.
package enum Command: Hashable, Sendable {
  case device(DeviceID, DeviceAction)
  /// The same on every device of a selection; where it makes no sense nothing happens.
  indirect case devices(Selection, DeviceAction)
  /// Sets a fault, in place of one of the same name.
  indirect case setFault(Fault)
  case removeFault(String)
  /// Removes every fault and takes back what they did.
  case healAll
  /// The same for the faults of one session.
  case healSession(String)
  /// A call of an app has ended so.
  case answer(UInt64, CallOutcome)
  /// Registers a token the user already has.
  case register(DeviceToken, DeviceID, app: String, TokenKind, attributesType: String?, activity: String?)
}

/// What came of an order on a selection of devices.
package struct CommandOutcome: Hashable, Sendable {
  package var done = 0
  package var refused = 0
  /// Why the first that could not carry it out could not.
  package var firstRefusal: (device: DeviceID, sentence: String)?
  /// Where to go on, when there are more devices than one command takes.
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

/// Some of the fleet's devices: all that meet every condition.
package struct Selection: Hashable, Sendable {
  package var filter = Filter()
  /// Draws the devices of a share: the same ones whenever the same name is given.
  package var shareName = ""
  /// The first device to look at, by its number, or by its place among those that are named.
  package var start: UInt32 = 0

  package init() {}

  /// Devices that one request of the admin API looks at.
  package static let most: UInt32 = 100_000
}

/// What can be done to one device. Apps go by bundle id, activities by their names; either may be left out where the
/// device leaves no choice.
package enum DeviceAction: Hashable, Sendable {
  case uninstall(app: String?)
  /// Installs a deleted app again; without being opened it has no tokens.
  case reinstall(app: String?, opens: Bool)
  /// Installs the next version over the present one.
  case updateApp(app: String?)
  /// Replaces a token; silently, its app is not told.
  case rotate(TokenKind, app: String?, attributesType: String?, activity: String?, silently: Bool = false)

  case open(app: String?)
  case leave(app: String?)
  case forceQuit(app: String?)
  /// The system ends the process for room.
  case terminate(app: String?)
  case crash(app: String?)

  /// The person does something in the app that its profile names.
  case use(String, app: String?, arguments: [JSONValue.Member])
  case start(StartActivityRequest)
  case updateActivity(String?, app: String?, ActivityUpdateRequest)
  case endActivity(String?, app: String?, content: JSONValue?, dismissal: Instant?)
  /// The system ends an activity for room.
  case evict(String?, app: String?)
  /// The person swipes the activity's card off the Lock Screen.
  case swipe(String?, app: String?)
  /// The person taps the activity's card, which opens its app.
  case tap(String?, app: String?)
  case allow(String?, app: String?)
  case deny(String?, app: String?)

  /// The newest, unless its number is given.
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
  case updateSystem(OSVersion)
  case flip(PhoneSwitch, on: Bool, app: String?)
  case permit(NotificationPermission, app: String?)

  /// The names of all actions, as `do` has them.
  package static let names = [
    "uninstall", "reinstall", "updateApp", "rotate", "open", "leave", "forceQuit", "terminate", "crash", "use",
    "startActivity", "updateActivity", "endActivity", "evict", "swipe", "tap", "allow", "deny",
    "tapNotification", "clearNotifications", "lock", "unlock", "lightScreen", "darkenScreen", "goOffline", "goOnline",
    "reboot", "restore", "updateSystem", "switch", "permit",
  ]

  package static func startActivity(app: String?, attributesType: String?) -> DeviceAction {
    .start(StartActivityRequest(app: app, attributesType: attributesType))
  }

  package static func endActivity(_ name: String?, app: String?) -> DeviceAction {
    .endActivity(name, app: app, content: nil, dismissal: nil)
  }

  package static func reinstall(app: String?) -> DeviceAction { .reinstall(app: app, opens: true) }
}

/// An app is to start an activity; names instead of numbers.
package struct StartActivityRequest: Hashable, Sendable {
  package var app: String?
  package var attributesType: String?
  /// Its `type` is filled in from the name.
  package var order = ActivityStartRequest(type: 0)

  package init(app: String? = nil, attributesType: String? = nil) {
    self.app = app
    self.attributesType = attributesType
  }
}

/// Why an order cannot be carried out, in a sentence.
package struct CommandProblem: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// What it names does not exist.
    case unknown
    /// It makes no sense in this state.
    case senseless
    /// It is there already.
    case conflict
    /// It was there, and is forgotten.
    case gone
  }

  package let kind: Kind
  /// The part of the order that is wrong.
  package let field: String
  package let sentence: String

  package init(_ kind: Kind, _ field: String, _ sentence: String) {
    self.kind = kind
    self.field = field
    self.sentence = sentence
  }
}
