import APNs
import Devices
import Timeline

/// Something that goes wrong: a small named thing with a condition, odds, a limit and a consequence.
package struct Fault: Hashable, Sendable {
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
    /// For as long as it is in force.
    case listener(ListenerFault)

    /// Whether it is pushes that it strikes.
    var strikesPushes: Bool {
      switch self {
      case .push, .connection: true
      case .devices, .listener: false
      }
    }
  }
}

/// What becomes of one push that APNs would have taken.
package enum PushFault: Hashable, Sendable {
  /// Refused with a reason of the tables; `age` is how long ago a 410 says the token died.
  case refuse(RejectionReason, retryAfter: Int?, age: Duration?)
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
  case malformed(status: Int, body: [UInt8])
  /// Delivered and answered, without `apns-id`.
  case withoutID
}

/// What becomes of the connection on which a push arrives.
package enum ConnectionFault: Hashable, Sendable {
  case goAway(FaultGoAway)
  /// Another MAX_CONCURRENT_STREAMS, and back after a while.
  case streams(Int, back: Int?, after: Duration)
  /// It reads nothing and answers nothing, and stays open.
  case freeze(answersPings: Bool)
  /// Closed in order when all is answered.
  case close
  /// Broken off: the client sees a reset.
  case abort
  /// Every push on it is refused from then on.
  case sticks(RejectionReason)
  case readsSlowly(bytesPerSecond: Int)
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

  package init() {}
}

/// What a whole listener does to those who come.
package enum ListenerFault: Hashable, Sendable {
  case refuse
  case failHandshake
  case slowHandshake(Duration)
  case hang
  case certificate(Certificate)

  package enum Certificate: String, CaseIterable, Hashable, Sendable {
    case expired
    case wrongName
    case unknownAuthority
  }
}
