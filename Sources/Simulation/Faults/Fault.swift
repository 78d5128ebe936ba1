import APNs
import Devices
import Timeline
import WireFormats

/// Something that goes wrong on purpose, with a name, a condition, a probability, a limit and a consequence.
package struct Fault: Hashable, Sendable {
  /// Valid lengths of a name in bytes.
  package static let nameLengths = 1...100

  /// The unique key; `label` is the name that its author gave it.
  package internal(set) var name: String
  /// The session it belongs to; its condition then has the session's scope.
  package var session: String?
  package var condition = FaultCondition()
  package var odds = Odds.always
  /// Maximum number of strikes; nil for no limit.
  package var limit: UInt64?
  /// Start of the time in which it is in force; without times it is in force as long as it is set.
  package var from: Instant?
  package var until: Instant?
  package var consequence: Consequence
  /// `when`, `odds` and `then` as written by the user, for display; nil for a fault made in code or read from a tape.
  package var given: JSONValue?

  package init(_ name: String, _ consequence: Consequence) {
    self.name = name
    self.consequence = consequence
  }

  /// The same fault with times relative to an instant; before, they were relative to the beginning of time.
  package func counted(from now: Instant) -> Fault {
    var fault = self
    fault.from = from.map { now.advanced(by: .nanoseconds($0.nanoseconds)) }
    fault.until = until.map { now.advanced(by: .nanoseconds($0.nanoseconds)) }
    return fault
  }

  /// What happens when it strikes.
  package enum Consequence: Hashable, Sendable {
    case push(PushFault)
    case connection(ConnectionFault)
    /// Done to the matching devices when the fault comes into force, and reverted when it is removed.
    case devices(DeviceAction, heal: DeviceAction?)
    /// How people answer questions that are asked while it is in force.
    case prompts(PromptFault)
    /// What happens to calls of apps to their backend.
    case reports(ReportFault)
    /// As long as it is in force.
    case listener(ListenerFault)

    /// Whether it strikes pushes, or the connections they arrive on.
    var strikesPushes: Bool {
      switch self {
      case .push, .connection: true
      case .devices, .prompts, .reports, .listener: false
      }
    }

    /// Whether it takes effect once when it comes into force, and lasts until it is removed.
    package var standsByItself: Bool {
      switch self {
      case .devices, .prompts, .listener: true
      case .push, .connection, .reports: false
      }
    }
  }
}

/// What happens to one push that APNs would have accepted.
package enum PushFault: Hashable, Sendable {
  /// Rejected with a documented reason; `age` is how long ago the token died, as a 410 says.
  case refuse(RejectionReason, retryAfter: Int?, age: Duration?, pieces: FaultBodySplit? = nil)
  /// Delivered at once, answered later.
  case delay(AnswerDelay)
  /// Neither delivered nor answered.
  case silence
  /// Answered 200 and never delivered.
  case lose
  /// Delivered, but the answer is lost: the stream is reset with that code, or left open forever.
  case loseAnswer(code: UInt32?)
  /// The stream is reset instead of answered, before the push is delivered.
  case reset(code: UInt32)
  /// Rejected with this text as body.
  case malformed(status: Int, body: [UInt8], pieces: FaultBodySplit? = nil)
  /// Delivered and answered, without `apns-id`.
  case withoutID

  /// Valid statuses of a malformed answer.
  package static let statuses = 200...599
}

/// What happens to the connection on which a push arrives, or to one that was just opened or is idle.
package enum ConnectionFault: Hashable, Sendable {
  /// What happens to open streams when the limit is lowered.
  package enum OpenStreams: Hashable, Sendable {
    /// Streams beyond the limit are refused without being processed.
    case refuse
    case finish
  }

  case goAway(FaultGoAway)
  /// Changes MAX_CONCURRENT_STREAMS, and reverts it after a while. Streams beyond it are refused, or end the
  /// connection.
  case streams(Int, open: OpenStreams, excessStreams: ExcessStreamGoAway?, back: Int?, after: Duration)
  /// Changes INITIAL_WINDOW_SIZE, in bytes, and reverts it after a while. While `withheld`, no WINDOW_UPDATE is sent.
  case window(Int, withheld: Bool, back: Int?, after: Duration)
  /// Nothing is read or answered, but the connection stays open.
  case freeze(answersPings: Bool)
  /// Closed gracefully when everything is answered.
  case close
  /// FIN in one direction: nothing more is written, and what the client sends is read and ignored.
  case halfClose(saysGoodbye: Bool)
  /// Aborted: the client sees a reset.
  case abort
  /// Every later push on the connection is rejected.
  case sticks(RejectionReason)
  case readsSlowly(bytesPerSecond: Int)
  /// Provider tokens are checked against a clock that is off by this much.
  case skew(Duration)

  /// Valid values of MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE and bytes per second.
  package static let streamCounts = 0...1_000_000
  package static let windows = 0...Int(Int32.max)
  package static let rates = 1...1_000_000_000
}

/// A GOAWAY ordered by a fault.
package struct FaultGoAway: Hashable, Sendable {
  /// How many streams before that of the current push is the last one served; 0 serves it, -1 serves none.
  package var before = 0
  package var code: UInt32 = 0
  package var debug: [UInt8] = []
  package var closes = true
  /// A second GOAWAY is sent a second later.
  package var isTwice = false
  /// Nothing is sent after it, except answers to PINGs if chosen.
  package var isLast = false
  package var answersPings = false

  /// Valid values of `before`.
  package static let reach = -1...1000

  package init() {}

  /// The last stream served if the GOAWAY is sent for a push on `stream`; 0 for none.
  func lastStream(before stream: Int32) -> Int32 {
    guard before >= 0 else { return 0 }
    // Clients use odd stream numbers. Clamped, so that the arithmetic cannot overflow.
    return Int32(clamping: max(0, Int64(stream) - 2 * Int64(Int32(clamping: before))))
  }
}

/// What a whole listener does to its clients.
package enum ListenerFault: Hashable, Sendable {
  case refuse
  case failHandshake
  case slowHandshake(Duration)
  case hang
  case certificate(CertificateFault)

  /// A certificate that a listener presents instead of the usual one.
  package enum CertificateFault: String, CaseIterable, Hashable, Sendable {
    /// Valid, but signed by the second CA of the state folder, as when Apple changes its root.
    case secondRoot
    case expired
    case wrongName
    /// Signed by a CA that nobody can trust.
    case untrusted
  }
}
