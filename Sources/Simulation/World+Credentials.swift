import APNs
import Timeline

/// Changes of providers' keys and certificates while connections are open, and connections whose certificate is
/// rejected.
extension World {
  mutating func add(_ key: ProviderKey, publicKey: String) throws(CommandProblem) {
    guard validator.keyRing.number(of: key.keyID) == nil else {
      throw CommandProblem(
        .conflict, field: "keyId",
        sentence: "The key \(key.keyID) is valid already; DELETE /v1/keys/\(key.keyID) revokes it.")
    }
    guard validator.keyRing.keys.count < KeyRing.mostKeys else {
      throw CommandProblem(
        .impossible, field: "keyId",
        sentence: "This server has had \(KeyRing.mostKeys) keys, the maximum; it knows this one after a restart.")
    }
    guard validator.add(key, publicKey: publicKey) else {
      throw CommandProblem(
        .impossible, field: "pem", sentence: "The public half of \(key.keyID) cannot be read; it must be a P-256 key.")
    }
  }

  mutating func revoke(key id: String) throws(CommandProblem) {
    guard validator.keyRing.number(of: id) != nil else {
      let known = validator.keyRing.valid.map(\.key.keyID).joined(separator: ", ")
      throw CommandProblem(
        .unknown, field: "keyId",
        sentence: "There is no valid key \(id)\(known.isEmpty ? "." : "; the valid keys are \(known).")")
    }
    validator.revoke(id)
  }

  mutating func restore(key id: String) throws(CommandProblem) {
    guard !validator.restore(id) else { return }
    guard validator.keyRing.number(of: id) == nil else {
      throw CommandProblem(.conflict, field: "keyId", sentence: "The key \(id) is valid already.")
    }
    throw CommandProblem(.unknown, field: "keyId", sentence: "No key \(id) was valid at the beginning.")
  }

  /// The ids of the keys that were valid at the beginning, each with whether it is valid now.
  package var initialKeys: [(id: String, isValid: Bool)] {
    validator.keyRing.initialIDs.map { ($0, validator.keyRing.number(of: $0) != nil) }
  }

  /// Revokes the certificate of open connections; each is told like a new connection with it.
  mutating func revoke(certificate fingerprint: String, at now: Now) {
    refuseOpenConnections(at: now) { $0.revoke(certificate: fingerprint, $1, at: now.wall) }
  }

  /// Revokes certificates until they are restored, or accepts new connections with them again.
  ///
  /// Assumed: a connection whose certificate was revoked stays rejected after that, because it ends anyway.
  mutating func change(certificates name: String, isSuspended: Bool, at now: Now) throws(CommandProblem) {
    guard let digits = SuspendedCertificates.digits(of: name) else {
      throw CommandProblem(
        .impossible, field: "certificate",
        sentence: "A certificate is named by the first \(SuspendedCertificates.fewestDigits) digits or more of its"
          + " fingerprint; all stands for every certificate.")
    }
    switch suspendedCertificates.set(digits, isSuspended: isSuspended) {
    case .changed: break
    case .unchanged:
      let what = digits.isEmpty ? "Every certificate" : "The certificate \(digits)"
      throw CommandProblem(
        .conflict, field: "certificate", sentence: "\(what) is \(isSuspended ? "revoked" : "valid") already.")
    case .tooMany:
      throw CommandProblem(
        .impossible, field: "certificate",
        sentence: "There are \(SuspendedCertificates.most) changes of certificates, the maximum.")
    }
    guard isSuspended else { return }
    let suspended = suspendedCertificates
    refuseOpenConnections(at: now) { $0.suspend(suspended, $1, at: now.wall) }
  }

  private mutating func refuseOpenConnections(
    at now: Now, by judge: (inout ProviderConnection, Rulebook) -> CertificateRefusal?
  ) {
    validator.beginGeneration()
    let rulebook = rulebook
    for connection in openConnections {
      guard let index = connections.index(of: connection.id),
        let refusal = judge(&connections[index].provider, rulebook)
      else { continue }
      // The real last stream: after GOAWAY with a lower one, the client would send again what was answered.
      refuse(connection.id, from: connection.peer, for: refusal, lastStream: nil, at: now.world)
    }
  }

  // MARK: - Certificates

  /// Reports what is wrong with the certificate of a connection.
  ///
  /// - Parameter lastStream: of a GOAWAY that follows at once; nil for the last one begun.
  mutating func refuse(
    _ connection: ProviderConnectionID, from peer: String, for refusal: CertificateRefusal, lastStream: Int32?,
    at now: Instant
  ) {
    output.append(
      .trouble(ClientTrouble(at: now, kind: "certificate", peer: peer, sentence: refusal.sentence)))
    guard rulebook.refusedCertificate == .goAway, let index = connections.index(of: connection),
      connections[index].markLeaving()
    else { return }
    output.append(.wire(connection, farewell(refusal.rule.reason(rulebook), lastStream: lastStream)))
  }

  /// A request was answered 403 because of its connection's certificate: the connection ends when all open streams are
  /// answered.
  mutating func leave(_ connection: ProviderConnectionID, of index: Connections.Index, for rule: Rule?) {
    guard let rule, rule.isAboutCertificate, connections[index].markLeaving() else { return }
    output.append(.wire(connection, farewell(rule.reason(rulebook), lastStream: nil)))
  }

  /// Documented: the debug data of a GOAWAY may be JSON with a reason ("Handling notification responses from APNs").
  private func farewell(_ reason: RejectionReason, lastStream: Int32?) -> WireCommand {
    .goAway(lastStream: lastStream, code: 0, debug: Array(#"{"reason":"\#(reason.rawValue)"}"#.utf8), closes: true)
  }
}
