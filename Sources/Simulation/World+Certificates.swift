import APNs
import Timeline

/// Connections of providers whose certificate is rejected.
extension World {
  /// Reports what is wrong with the certificate of a connection that has just opened.
  mutating func refuse(
    _ connection: ProviderConnectionID, from peer: String, for refusal: CertificateRefusal, at now: Instant
  ) {
    output.append(
      .trouble(ClientTrouble(at: now, kind: "certificate", peer: peer, sentence: refusal.sentence)))
    guard rulebook.refusedCertificate == .goAway, let place = connections.place(of: connection),
      connections[place].markLeaving()
    else { return }
    // No stream will be processed, so the last one is 0. Observed: apns2 issues 93 and 117.
    output.append(.wire(connection, farewell(refusal.rule.reason(rulebook), lastStream: 0)))
  }

  /// A request was answered 403 because of its connection's certificate: the connection ends when all open streams are
  /// answered.
  mutating func leave(_ connection: ProviderConnectionID, of place: Connections.Place, for rule: Rule?) {
    guard let rule, rule.isAboutCertificate, connections[place].markLeaving() else { return }
    output.append(.wire(connection, farewell(rule.reason(rulebook), lastStream: nil)))
  }

  /// Documented: the debug data of a GOAWAY may be JSON with a reason ("Handling notification responses from APNs").
  private func farewell(_ reason: RejectionReason, lastStream: Int32?) -> WireCommand {
    .goAway(lastStream: lastStream, code: 0, debug: Array(#"{"reason":"\#(reason.rawValue)"}"#.utf8), closes: true)
  }
}
