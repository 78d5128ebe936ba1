import Timeline

/// The answer to a push that was sent to the client, as far as the server knows. The answer that APNs decided is the
/// push's `answer`. The two differ if a fault struck, or if a stream or its connection ended too early.
package enum SentAnswer: Hashable, Sendable {
  case answer(status: Int)
  /// With a body that APNs never sends.
  case malformed(status: Int)
  /// The stream was not ended.
  case incomplete(status: Int)
  case reset(code: UInt32)
  /// Not sent yet.
  case pending(Wait)
  case nothing(Cause)

  /// The event for which an answer waits.
  package enum Wait: String, CaseIterable, Hashable, Sendable {
    /// A fault delays it.
    case delay
    /// The client's flow-control windows are too small for its body.
    case window
    /// A fault has frozen the connection.
    case frozen
  }

  /// The reason why nothing was sent.
  package enum Cause: String, CaseIterable, Hashable, Sendable {
    /// A fault ordered it.
    case silence
    case connectionFrozen = "connection-frozen"
    case connectionAborted = "connection-aborted"
    /// The stream is above the last stream of a GOAWAY.
    case goAway = "go-away"
    case clientReset = "client-reset-stream"
    case connectionEnded = "connection-ended"
  }

  /// The name of the case, without associated values.
  package var name: String {
    switch self {
    case .answer: "answer"
    case .malformed: "malformed"
    case .incomplete: "incomplete"
    case .reset: "reset"
    case .pending: "pending"
    case .nothing: "nothing"
    }
  }

  package static let names = ["answer", "malformed", "incomplete", "reset", "pending", "nothing"]

  /// The status that was sent, if one was.
  package var status: Int? {
    switch self {
    case .answer(let status), .malformed(let status), .incomplete(let status): status
    case .reset, .pending, .nothing: nil
    }
  }

  /// Sorted by name, then by associated values.
  static func sorted(_ list: some Sequence<SentAnswer>) -> [SentAnswer] {
    list.map { (place: names.firstIndex(of: $0.name) ?? 0, sent: $0) }
      .sorted { ($0.place, $0.sent.detail) < ($1.place, $1.sent.detail) }.map(\.sent)
  }

  /// The associated value as text.
  package var detail: String {
    switch self {
    case .answer(let status), .malformed(let status), .incomplete(let status): "\(status)"
    case .reset(let code): HTTP2ErrorName.of(code)
    case .pending(let wait): wait.rawValue
    case .nothing(let cause): cause.rawValue
    }
  }

  /// The answer as text, such as `200` or `reset (REFUSED_STREAM)`.
  package var words: String {
    switch self {
    case .answer(let status): "\(status)"
    case .malformed, .incomplete, .reset, .pending, .nothing: "\(name) (\(detail))"
    }
  }

  /// True if another answer may follow. A stream that was reset or abandoned sends nothing more.
  var isOpen: Bool {
    switch self {
    case .answer, .malformed, .incomplete, .pending: true
    case .reset, .nothing: false
    }
  }

  /// True if the client may assume that the push was not processed, and send it again (RFC 9113 section 8.7).
  package var saysUnprocessed: Bool {
    switch self {
    case .reset(code: HTTP2ErrorName.refusedStream), .nothing(.goAway): true
    default: false
    }
  }
}

/// A filter for answers: those with a status, or those sent in one way.
package enum SentAnswerFilter: Hashable, Sendable {
  case status(Int)
  case name(String)

  /// Parses a status or one of the names of `SentAnswer`; nil for anything else.
  package init?(_ text: String) {
    if let status = Int(text), (100...599).contains(status) {
      self = .status(status)
    } else if SentAnswer.names.contains(text) {
      self = .name(text)
    } else {
      return nil
    }
  }

  package var text: String {
    switch self {
    case .status(let status): "\(status)"
    case .name(let name): name
    }
  }

  package func matches(_ sent: SentAnswer) -> Bool {
    switch self {
    case .status(let status): sent == .answer(status: status)
    case .name(let name): sent.name == name
    }
  }
}

/// A report of the wire about an answer that was not sent at once.
package enum AnswerProgress: Hashable, Sendable {
  case waits(SentAnswer.Wait)
  /// The answer had to wait, and has been sent.
  case left
  case reset(code: UInt32)
  /// The header fields of the answer were sent, but its body never will be.
  case cut
  case never(SentAnswer.Cause)
}

/// A later change of what was sent, and its time.
package struct SentAnswerStep: Hashable, Sendable {
  package let sent: SentAnswer
  package let at: Instant
}

/// The names of HTTP/2's error codes (RFC 9113 section 7).
package enum HTTP2ErrorName {
  package static let all = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
    "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
  ]
  package static let refusedStream: UInt32 = 7

  package static func of(_ code: UInt32) -> String { code < UInt32(all.count) ? all[Int(code)] : "\(code)" }
}
