import APNs
import Devices

/// What a person, a test or a scenario orders.
package enum Command: Hashable, Sendable {
  case device(DeviceID, DeviceAction)
  /// Registers a token the user already has.
  case register(DeviceToken, DeviceID, app: String, TokenKind, attributesType: String?, activity: String?)
}

/// What can be done to one device. Apps go by bundle id, activities by their names; either may be left out where the
/// device leaves no choice.
package enum DeviceAction: Hashable, Sendable {
  case uninstall(app: String?)
  case reinstall(app: String?)
  case rotate(TokenKind, app: String?, attributesType: String?, activity: String?)
  case startActivity(app: String?, attributesType: String?)
  case endActivity(String?, app: String?)
  /// The user swipes the activity's card off the Lock Screen.
  case swipe(String?, app: String?)
  case goOffline
  case goOnline
  case reboot

  /// The names of all actions, as `do` has them.
  package static let names = [
    "uninstall", "reinstall", "rotate", "startActivity", "endActivity", "swipe", "goOffline", "goOnline", "reboot",
  ]
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
