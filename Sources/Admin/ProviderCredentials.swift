import Simulation
import WireFormats

/// Changes the provider keys and certificates of the server. Called without the world's lock, because files are read
/// and written; the orders that are returned go to the world.
package protocol ProviderCredentials: Sendable {
  func addKey(_ request: KeyRequest) throws(CommandProblem) -> [Command]
  func revokeKey(_ keyID: String) throws(CommandProblem) -> [Command]
  /// Compares the list in the state folder with the keys of the server.
  func reloadKeys() throws(CommandProblem) -> [Command]
  func certificates() throws(CommandProblem) -> [JSONValue]
  /// New connections may use it at once; nothing changes for open ones.
  func addCertificate(_ request: CertificateRequest) throws(CommandProblem) -> JSONValue
  /// - Parameter fingerprint: at least its first six digits.
  func revokeCertificate(_ fingerprint: String) throws(CommandProblem) -> (fingerprint: String, orders: [Command])
}

/// A key to be registered, or made.
package struct KeyRequest: Sendable {
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

/// A certificate to be registered, or made.
package enum CertificateRequest: Sendable {
  case register(pem: String)
  case make(kind: String, topic: String?)
}
