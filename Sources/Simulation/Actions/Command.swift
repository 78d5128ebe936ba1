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
  /// Makes a provider key valid again that was valid at the beginning.
  case restoreKey(String)
  /// Open connections with the certificate of that fingerprint are rejected from now on.
  case revokeCertificate(String)
  /// Connections with these certificates, open and new ones, are rejected until `restoreCertificates` or `beginAnew`.
  /// The text is the beginning of a fingerprint, or `all`.
  case suspendCertificates(String)
  /// Accepts new connections again with certificates that `suspendCertificates` has revoked.
  case restoreCertificates(String)
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
