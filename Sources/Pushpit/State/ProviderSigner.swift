import APNs
import Signing
import Timeline

/// Makes provider tokens with a key of the state folder, like a backend.
public struct ProviderSigner: Sendable {
  private let key: SigningKey
  private let entry: KeyRegistry.Entry

  /// - Parameter keyID: nil for the first key with a private half here.
  public init(_ folder: StateFolder, keyID: String?) throws {
    let registry = try KeyRegistry(folder)
    let entry = registry.entries.first { entry in keyID.map { $0 == entry.keyID } ?? (entry.p8 != nil) }
    guard let entry else {
      throw KeyProblem(
        keyID.map { "there is no key \($0); registered keys: \(registry.listed)." }
          ?? "there is no key to sign with in \(folder.path): start `pushpit serve` once, or `pushpit keys make`.")
    }
    guard let path = entry.p8 else {
      throw KeyProblem("only the public half of key \(entry.keyID) is registered, so nothing can be signed with it.")
    }
    self.entry = entry
    key = try KeyProblem.wrapping { () throws(SigningFailure) in
      try SigningKey(p8: try KeyFile.read(path), from: path)
    }
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
    let key = key
    let entry = entry
    return try KeyProblem.wrapping { () throws(SigningFailure) in
      try ProviderJWT.make(
        key: key, keyID: entry.keyID, teamID: entry.teamID, issuedAt: now.seconds)
    }
  }
}
