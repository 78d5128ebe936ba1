import APNs
import Timeline
import WireFormats

/// A server's description in the admin API.
package struct ServerDescription: Sendable {
  /// A provider key of the server.
  package struct Key: Sendable {
    package let keyID: String
    package let teamID: String
    /// `sandbox`, `production` or `both`.
    package let environment: String
    /// The topics it may push to; empty for all.
    package let topics: [String]
    /// Reads the private key from its file, as PEM; nil if Pushpit did not make the key.
    package let privateKey: (@Sendable () throws -> String)?
    /// Makes a provider token for a time of the machine; nil if Pushpit did not make the key.
    package let sign: Sign?

    package typealias Sign = @Sendable (Instant) throws -> String

    package init(
      keyID: String, teamID: String, environment: String, topics: [String],
      privateKey: (@Sendable () throws -> String)?, sign: Sign? = nil
    ) {
      self.keyID = keyID
      self.teamID = teamID
      self.environment = environment
      self.topics = topics
      self.privateKey = privateKey
      self.sign = sign
    }

    /// True if the key may sign pushes of an app to an environment.
    func isFor(team: String, app: String, _ environment: Environment) -> Bool {
      teamID == team && ["both", environment.rawValue].contains(self.environment)
        && (topics.isEmpty || topics.contains(app))
    }
  }

  /// The ready line.
  package var ready: JSONValue = .object([])
  /// The certificate authority that clients must trust, as PEM.
  package var authority = ""
  package var keys: [Key] = []
  /// The settings whose keys begin with a prefix, as `GET /v1/settings` lists them.
  package var settings: @Sendable (_ prefix: String) -> [JSONValue] = { _ in [] }
  /// Nil if keys and certificates cannot be changed.
  package var credentials: (any ProviderCredentials)?
  /// True if everyone may download private keys; otherwise only the user of the server may.
  package var sharesKeys = false
  /// Seconds of processor time that the server's process has used.
  package var processorTime: @Sendable () -> Double = { 0 }
  /// Threads that serve connections.
  package var loops = 0

  package init() {}
}
