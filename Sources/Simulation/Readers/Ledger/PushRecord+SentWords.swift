import APNs
import Timeline

extension PushRecord {
  /// True if APNs processed the push. A refused stream, or one above the last stream of a GOAWAY, may be sent again
  /// (RFC 9113 section 8.7).
  package var isProcessed: Bool { !(facts.firstFate == .discarded(.byFault) && firstSent.saysUnprocessed) }

  /// A sentence about what was sent, compared with what was decided; nil if the answer was simply sent.
  package var sentSentence: String? {
    sent == .answer(status: answer.status) && !isAnsweredApart && lastSent == nil
      ? nil : sentence(of: sent, at: sentAt)
  }

  func sentence(of sent: SentAnswer, at now: Instant) -> String {
    let decided = "APNs decided \(answer.status)"
    let by = fault.map { "the fault \($0)" } ?? "the server"
    let untold = "the client was never told"
    switch sent {
    case .answer(let status):
      guard now > at.world else { return "\(by) changed the answer; status \(status) was sent" }
      return "the answer \(status) was sent \(now.clock(since: at.world)) after the push arrived"
    case .malformed(let status): return "\(decided), but \(by) sent status \(status) with a malformed body"
    case .incomplete(let status): return "\(decided), but \(by) sent status \(status) and did not end the stream"
    case .reset(let code):
      let reset = "\(by) reset the stream (\(HTTP2ErrorName.of(code)))"
      return isProcessed ? "\(decided), but \(reset): \(untold)" : "\(reset): the push was not processed"
    case .pending(.delay): return "\(decided), and \(by) delays the answer"
    case .pending(.window): return "\(decided), and the answer waits for the client's flow-control window"
    case .pending(.frozen): return "\(decided), and the answer waits on a connection frozen by a fault"
    case .nothing(.silence): return "\(decided), but \(by) sends no answer: \(untold)"
    case .nothing(.connectionFrozen): return "\(decided), but \(by) froze the connection: \(untold)"
    case .nothing(.connectionAborted): return "\(decided), but \(by) aborted the connection: \(untold)"
    case .nothing(.goAway):
      let leftOut = "a GOAWAY named an earlier last stream"
      return isProcessed ? "\(decided), but \(leftOut): \(untold)" : "\(leftOut): the push was not processed"
    case .nothing(.clientReset): return "\(decided), but the client reset the stream first and never received it"
    case .nothing(.connectionEnded): return "\(decided), but the connection ended before the answer was sent: \(untold)"
    }
  }
}
