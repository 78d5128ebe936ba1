import APNs
import Signing
import Simulation
import Timeline

/// Makes provider tokens with a key, like a backend.
public struct ProviderSigner: Sendable {
  private let key: SigningKey
  private let keyID: String
  private let teamID: String

  /// - Parameter path: the file with the private half.
  package init(p8 path: String, keyID: String, teamID: String) throws(KeyProblem) {
    key = try KeyProblem.wrapping { () throws(SigningFailure) in
      try SigningKey(p8: try KeyFile.read(path), from: path)
    }
    self.keyID = keyID
    self.teamID = teamID
  }

  /// With a key of a state folder.
  ///
  /// - Parameter keyID: nil for the first key with a private half here.
  public init(_ folder: StateFolder, keyID: String?) throws {
    let registry = try KeyRegistry(folder)
    let entry = registry.entries.first { entry in keyID.map { $0 == entry.keyID } ?? (entry.p8 != nil) }
    guard let entry else {
      throw KeyProblem(
        keyID.map { "there is no key \($0); registered keys: \(registry.listed)." }
          ?? "there is no key to sign with in \(folder.path): start `pushpit serve` once, or `pushpit keys make`.",
        kind: .unknown)
    }
    guard let path = entry.p8 else {
      throw KeyProblem("only the public half of key \(entry.keyID) is registered, so nothing can be signed with it.")
    }
    try self.init(p8: path, keyID: entry.keyID, teamID: entry.teamID)
  }

  /// A key of a team whose private half is here, or nil.
  package init?(_ folder: StateFolder, team: String) throws {
    let entries = try KeyRegistry(folder).entries
    guard let entry = entries.first(where: { $0.teamID == team && $0.p8 != nil }) else { return nil }
    try self.init(folder, keyID: entry.keyID)
  }

  /// A provider token for now.
  public func token() throws -> String { try token(at: SystemClock.now) }

  package func token(at now: Instant) throws -> String {
    let (key, keyID, teamID) = (key, keyID, teamID)
    return try KeyProblem.wrapping { () throws(SigningFailure) in
      try ProviderJWT.make(key: key, keyID: keyID, teamID: teamID, issuedAt: now.seconds)
    }
  }
}
