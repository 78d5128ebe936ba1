import APNs
import Admin
import Configuration
import Grammar
import Signing
import Simulation
import Synchronization
import WireFormats

/// Changes the provider keys and certificates of a running server: in its state folder, and as orders to its world.
final class ServerCredentials: ProviderCredentials {
  private struct Known: Sendable {
    var entries: [KeyRegistry.Entry]
    /// The text of each key with its restrictions, by key id, to notice changes.
    var texts: [String: String]
  }

  private let folder: StateFolder
  /// The ids of the keys of the configuration, which the state folder does not change.
  private let configured: Set<String>
  private let known: Mutex<Known>
  private let changed: @Sendable ([KeyRegistry.Entry]) -> Void

  /// - Parameter changed: receives the keys after each change.
  init(_ folder: StateFolder, _ keys: ProviderKeys, changed: @escaping @Sendable ([KeyRegistry.Entry]) -> Void) {
    self.folder = folder
    configured = keys.configured
    let texts = keys.onTape.map { ($0.key.keyID, $0.json.text) }
    known = Mutex(
      Known(entries: keys.entries, texts: Dictionary(texts, uniquingKeysWith: { first, _ in first })))
    self.changed = changed
  }

  // MARK: - Keys

  func addKey(_ request: KeyRequest, while isAwaited: @escaping StillAwaited) throws(CommandProblem) -> [Command] {
    if let id = request.keyID, known.withLock({ $0.texts[id] }) != nil {
      throw CommandProblem(
        .conflict, field: "keyId", sentence: "The key \(id) is registered already; DELETE /v1/keys/\(id) revokes it.")
    }
    let (entry, key) = try Self.wrapping(request.pem == nil ? "keyId" : "pem") { () throws(KeyProblem) in
      var registry = try KeyRegistry(folder.waiting(while: isAwaited))
      let entry =
        if let pem = request.pem {
          try registry.register(
            pem: pem, keyID: request.keyID ?? "", teamID: request.teamID, environment: request.environment,
            topics: request.topics, related: request.related)
        } else {
          try registry.make(
            keyID: request.keyID, teamID: request.teamID, environment: request.environment, topics: request.topics,
            related: request.related)
        }
      return (entry, try Self.tapeKey(entry))
    }
    change {
      $0.entries.append(entry)
      $0.texts[entry.keyID] = key.json.text
    }
    return [.addKey(entry.key, publicKey: key.publicKey)]
  }

  func revokeKey(_ keyID: String, while isAwaited: @escaping StillAwaited) throws(CommandProblem) -> [Command] {
    let ids = known.withLock { $0.entries.map(\.keyID) }
    guard ids.contains(keyID) else {
      throw CommandProblem(
        .unknown, field: "keyId",
        sentence: "There is no key \(Wording.quoted(keyID)); GET /v1/keys lists the keys.")
    }
    try Self.wrapping("keyId") { () throws(KeyProblem) in
      var registry = try KeyRegistry(folder.waiting(while: isAwaited))
      if registry.entries.contains(where: { $0.keyID == keyID }) { try registry.remove(keyID) }
    }
    change {
      $0.entries.removeAll { $0.keyID == keyID }
      $0.texts[keyID] = nil
    }
    return [.revokeKey(keyID)]
  }

  func reloadKeys() throws(CommandProblem) -> [Command] {
    let (entries, keys) = try Self.wrapping("keys") { () throws(KeyProblem) in
      let entries = try KeyRegistry(folder).entries.filter { !configured.contains($0.keyID) }
      return (entries, try entries.map { entry throws(KeyProblem) in try Self.tapeKey(entry) })
    }
    var orders: [Command] = []
    change { known in
      let current = Set(keys.map(\.json.text))
      for entry in known.entries where !configured.contains(entry.keyID) {
        if let text = known.texts[entry.keyID], current.contains(text) { continue }
        orders.append(.revokeKey(entry.keyID))
        known.texts[entry.keyID] = nil
      }
      for key in keys where known.texts[key.key.keyID] == nil {
        orders.append(.addKey(key.key, publicKey: key.publicKey))
        known.texts[key.key.keyID] = key.json.text
      }
      known.entries = entries + known.entries.filter { configured.contains($0.keyID) }
    }
    return orders
  }

  private func change(_ body: (inout Known) -> Void) {
    let entries = known.withLock { known in
      body(&known)
      return known.entries
    }
    changed(entries)
  }

  private static func tapeKey(_ entry: KeyRegistry.Entry) throws(KeyProblem) -> TapeKey {
    let path = entry.p8 ?? entry.publicKey ?? ""
    return try KeyProblem.wrapping { () throws(SigningFailure) in
      TapeKey(entry.key, try VerifyingKey(pem: try KeyFile.read(path), from: path))
    }
  }

  // MARK: - Certificates

  func certificates() throws(CommandProblem) -> [ListedCertificate] {
    try Self.wrapping { () throws(ProviderCertificateProblem) in
      try ProviderCertificateRegistry(folder).entries.map(Self.listed)
    }
  }

  func addCertificate(
    _ request: CertificateRequest, while isAwaited: @escaping StillAwaited
  ) throws(CommandProblem) -> ListedCertificate {
    let folder = folder.waiting(while: isAwaited)
    switch request {
    case .register(let pem):
      return try Self.wrapping { () throws(ProviderCertificateProblem) in
        var registry = try ProviderCertificateRegistry(folder)
        return Self.listed(try registry.register(pem: pem))
      }
    case .make(let kind, let topic):
      let order: ProviderCertificateOrder
      do throws(InputProblem) {
        order = try ProviderCertificateOrder(kind: kind, topic: topic, password: "pushpit", flaw: nil)
      } catch {
        throw CommandProblem(.impossible, field: "topic", sentence: Self.sentence(error.sentence))
      }
      return try Self.wrapping { () throws(ProviderCertificateProblem) in
        var registry = try ProviderCertificateRegistry(folder)
        return Self.listed(try registry.make(order))
      }
    }
  }

  func revokeCertificate(
    _ fingerprint: String, while isAwaited: @escaping StillAwaited
  ) throws(CommandProblem) -> (fingerprint: String, orders: [Command]) {
    do throws(ProviderCertificateProblem) {
      var registry = try ProviderCertificateRegistry(folder.waiting(while: isAwaited))
      let entry = try registry.revoke(fingerprint)
      return (entry.fingerprint, [.revokeCertificate(entry.fingerprint)])
    } catch {
      throw CommandProblem(
        error.kind == .impossible ? .unknown : error.kind, field: "fingerprint",
        sentence: Self.sentence(error.description))
    }
  }

  private static func listed(_ entry: ProviderCertificateRegistry.Entry) -> ListedCertificate {
    ListedCertificate(
      entry.fingerprint, commonName: entry.commonName, topics: entry.topics,
      environments: entry.environments.compactMap(Environment.init),
      state: entry.isRevoked ? .revoked : entry.isExpired ? .expired : .valid, file: entry.file)
  }

  // MARK: - Problems

  private static func wrapping<Result>(
    _ field: String, _ body: () throws(KeyProblem) -> Result
  ) throws(CommandProblem) -> Result {
    do {
      return try body()
    } catch {
      throw CommandProblem(error.kind, field: field, sentence: sentence(error.description))
    }
  }

  private static func wrapping<Result>(
    _ body: () throws(ProviderCertificateProblem) -> Result
  ) throws(CommandProblem) -> Result {
    do {
      return try body()
    } catch {
      throw CommandProblem(error.kind, field: "pem", sentence: sentence(error.description))
    }
  }

  private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
