import APNs
import Grammar
import Simulation
import WireFormats

/// Returns false once nobody waits for a piece of work any more, or for too long.
package typealias StillAwaited = @Sendable () -> Bool

/// Changes the provider keys and certificates of the server. Called without the world's lock and on a separate thread,
/// because files are read and written; the orders that are returned go to the world.
///
/// A change is given up (`CommandProblem.Kind.busy`) if another program holds the files until it is not awaited any
/// more.
package protocol ProviderCredentials: Sendable {
  func addKey(_ request: KeyRequest, while isAwaited: @escaping StillAwaited) throws(CommandProblem) -> [Command]
  func revokeKey(_ keyID: String, while isAwaited: @escaping StillAwaited) throws(CommandProblem) -> [Command]
  /// Compares the list in the state folder with the keys of the server.
  func reloadKeys() throws(CommandProblem) -> [Command]
  func certificates() throws(CommandProblem) -> [ListedCertificate]
  /// New connections may use it at once; nothing changes for open ones.
  func addCertificate(
    _ request: CertificateRequest, while isAwaited: @escaping StillAwaited
  ) throws(CommandProblem) -> ListedCertificate
  /// - Parameter fingerprint: at least its first six digits.
  func revokeCertificate(
    _ fingerprint: String, while isAwaited: @escaping StillAwaited
  ) throws(CommandProblem) -> (fingerprint: String, orders: [Command])
}

/// A key to be registered, or made.
package struct KeyRequest: Sendable {
  static let environments = ["sandbox", "production", "both"]
  static let mostTopics = 1000

  /// Random if nil.
  package let keyID: String?
  package let teamID: String?
  package let environment: String
  /// Empty for all.
  package let topics: [String]
  package let related: String?
  /// An existing key; nil if Pushpit makes one.
  package let pem: String?
}

/// A certificate of the state folder.
package struct ListedCertificate: Sendable {
  package enum State: String, CaseIterable, Sendable {
    case valid
    case expired
    case revoked
  }

  /// SHA-256 over the certificate, in hexadecimal.
  package let fingerprint: String
  package let commonName: String
  package let topics: [String]
  package let environments: [Environment]
  package let state: State
  /// Nil if a newer one has replaced it there.
  package let file: String?

  package init(
    _ fingerprint: String, commonName: String, topics: [String], environments: [Environment], state: State,
    file: String?
  ) {
    self.fingerprint = fingerprint
    self.commonName = commonName
    self.topics = topics
    self.environments = environments
    self.state = state
    self.file = file
  }
}

/// A certificate to be registered, or made.
package enum CertificateRequest: Sendable {
  static let kinds = ["universal", "development", "production", "voip", "mdm"]

  case register(pem: String)
  case make(kind: String, topic: String?)
}
