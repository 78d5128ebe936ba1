import APNs
import Devices
import Timeline
import WireFormats

/// Something that goes wrong: a small named thing with a condition, odds, a limit and a consequence.
package struct Fault: Hashable, Sendable {
  /// Bytes of a name.
  package static let nameLengths = 1...100

  /// Tells it apart from every other; see `label` for what its author calls it.
  package internal(set) var name: String
  /// The session it is for; its condition then has that one's scope.
  package var session: String?
  package var condition = FaultCondition()
  package var odds = Odds.always
  /// Strikes at the most; nil for any number.
  package var limit: UInt64?
  /// In force only then; nil for as long as it is set.
  package var from: Instant?
  package var until: Instant?
  package var consequence: Consequence
  /// `when`, `odds` and `then` as they were given, to be shown again; nil for one that was made in code, or by a tape.
  package var given: JSONValue?

  package init(_ name: String, _ consequence: Consequence) {
    self.name = name
    self.consequence = consequence
  }

  /// The same with its times counted from an instant; they were counted from the beginning of time.
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
    /// Done to the devices of the condition when it comes into force, and taken back when it is healed.
    case devices(DeviceAction, heal: DeviceAction?)
    /// How the people behind the devices answer questions that are put meanwhile.
    case prompts(PromptFault)
    /// What becomes of the calls of apps to their backend.
    case reports(ReportFault)
    /// For as long as it is in force.
    case listener(ListenerFault)

    /// Whether it is pushes that it strikes, or the connections they come on.
    var strikesPushes: Bool {
      switch self {
      case .push, .connection: true
      case .devices, .prompts, .reports, .listener: false
      }
    }

    /// Whether it is done once, as it comes into force, and stands until it is taken back.
    package var standsByItself: Bool {
      switch self {
      case .devices, .prompts, .listener: true
      case .push, .connection, .reports: false
      }
    }
  }
}

/// What becomes of one push that APNs would have taken.
package enum PushFault: Hashable, Sendable {
  /// Refused with a reason of the tables; `age` is how long ago a 410 says the token died.
  case refuse(RejectionReason, retryAfter: Int?, age: Duration?, pieces: FaultBodySplit? = nil)
  /// Delivered at once, answered later.
  case delay(AnswerDelay)
  /// Neither delivered nor answered.
  case silence
  /// Answered 200 and never delivered.
  case lose
  /// Delivered, and the answer lost: the stream is reset with that code, or left open for ever.
  case loseAnswer(code: UInt32?)
  /// The stream is reset in place of an answer, before the push is delivered.
  case reset(code: UInt32)
  /// Refused with this text for a body.
  case malformed(status: Int, body: [UInt8], pieces: FaultBodySplit? = nil)
  /// Delivered and answered, without `apns-id`.
  case withoutID

  /// The statuses of a malformed answer.
  package static let statuses = 200...599
}

/// What becomes of the connection on which a push arrives, or of one that has just come, or has fallen silent.
package enum ConnectionFault: Hashable, Sendable {
  /// What becomes of streams that are open when fewer are allowed.
  package enum OpenStreams: Hashable, Sendable {
    /// Those beyond it are refused, and nothing of them is processed.
    case refuse
    case finish
  }

  case goAway(FaultGoAway)
  /// Another MAX_CONCURRENT_STREAMS, and back after a while. Streams beyond it are refused, or end the connection.
  case streams(Int, open: OpenStreams, excessStreams: ExcessStreamGoAway?, back: Int?, after: Duration)
  /// Another INITIAL_WINDOW_SIZE, in bytes, and back after a while. While `withheld`, no WINDOW_UPDATE leaves.
  case window(Int, withheld: Bool, back: Int?, after: Duration)
  /// It reads nothing and answers nothing, and stays open.
  case freeze(answersPings: Bool)
  /// Closed in order when all is answered.
  case close
  /// FIN in one direction: nothing more is written, and what the client sends is read and forgotten.
  case halfClose(saysGoodbye: Bool)
  /// Broken off: the client sees a reset.
  case abort
  /// Every push on it is refused from then on.
  case sticks(RejectionReason)
  case readsSlowly(bytesPerSecond: Int)
  /// Provider tokens are judged by a clock that is off by so much.
  case skew(Duration)

  /// What MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE and the bytes a second may be set to.
  package static let streamCounts = 0...1_000_000
  package static let windows = 0...Int(Int32.max)
  package static let rates = 1...1_000_000_000
}

/// A GOAWAY as a fault orders it.
package struct FaultGoAway: Hashable, Sendable {
  /// How many streams before the push at hand are the last to be served; 0 serves it, -1 serves none.
  package var before = 0
  package var code: UInt32 = 0
  package var debug: [UInt8] = []
  package var closes = true
  /// A second one a second later.
  package var isTwice = false
  /// Nothing leaves after it, answers to PINGs perhaps excepted.
  package var isLast = false
  package var answersPings = false

  /// What `before` may be.
  package static let reach = -1...1000

  package init() {}

  /// The last stream that is served when it goes out with the push on a stream; 0 for none.
  func lastStream(before stream: Int32) -> Int32 {
    guard before >= 0 else { return 0 }
    // A client's streams have odd numbers. Held to the numbers there are, so that none is out of reach of arithmetic.
    return Int32(clamping: max(0, Int64(stream) - 2 * Int64(Int32(clamping: before))))
  }
}

/// What a whole listener does to those who come.
package enum ListenerFault: Hashable, Sendable {
  case refuse
  case failHandshake
  case slowHandshake(Duration)
  case hang
  case certificate(CertificateFault)

  package enum CertificateFault: String, CaseIterable, Hashable, Sendable {
    case expired
    case wrongName
    case unknownAuthority
  }
}
