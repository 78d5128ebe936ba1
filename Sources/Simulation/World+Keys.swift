import APNs
import Timeline

/// Changes of providers' keys and certificates while connections are open.
extension World {
  mutating func add(_ key: ProviderKey, publicKey: String) throws(CommandProblem) {
    guard validator.keyRing.number(of: key.keyID) == nil else {
      throw CommandProblem(
        .conflict, "keyId",
        "The key \(key.keyID) is valid already; DELETE /v1/keys/\(key.keyID) revokes it.")
    }
    guard validator.keyRing.keys.count < KeyRing.mostKeys else {
      throw CommandProblem(
        .impossible, "keyId",
        "This server has had \(KeyRing.mostKeys) keys, the maximum; it knows this one after a restart.")
    }
    guard validator.add(key, publicKey: publicKey) else {
      throw CommandProblem(
        .impossible, "pem", "The public half of \(key.keyID) cannot be read; it must be a P-256 key.")
    }
  }

  mutating func revoke(key id: String) throws(CommandProblem) {
    guard validator.keyRing.number(of: id) != nil else {
      let known = validator.keyRing.valid.map(\.key.keyID).joined(separator: ", ")
      throw CommandProblem(
        .unknown, "keyId",
        "There is no valid key \(id)\(known.isEmpty ? "." : "; the valid keys are \(known).")")
    }
    validator.revoke(id)
  }

  /// Revokes the certificate of open connections; each is told like a new connection with it.
  mutating func revoke(certificate fingerprint: String, at now: Now) {
    validator.beginGeneration()
    for connection in openConnections {
      guard let place = connections.place(of: connection.id),
        let refusal = connections[place].provider.revoke(certificate: fingerprint, rulebook, at: now.wall)
      else { continue }
      refuse(connection.id, from: connection.peer, for: refusal, at: now.world)
    }
  }
}
