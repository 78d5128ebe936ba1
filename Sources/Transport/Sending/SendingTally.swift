import HTTP2
import WireFormats

/// The results of a load run, from all its pushes.
package struct SendingTally: Sendable {
  /// A kind of answer.
  package struct Answer: Hashable, Sendable {
    package let status: Int
    /// As in the body of Apple's errors; empty without one.
    package let reason: String
  }

  /// Steady nanoseconds of the last answer.
  package var ended: Int64 = 0
  /// Answers over time, from when the first connection could be used.
  package var series = SendingSeries()
  package private(set) var answered: UInt64 = 0
  /// Answers of 200, and the others.
  package var sound: UInt64 = 0
  package var refused: [Answer: UInt64] = [:]
  /// Pushes without an answer, by cause. They are not sent again, because they may have been delivered.
  package var unanswered: [String: UInt64] = [:]
  /// Pushes that the server did not process (REFUSED_STREAM, or above the last stream of a GOAWAY), sent again.
  package var sentAgain: UInt64 = 0
  /// Pushes that were sent more than 50 ms after they were due.
  package var late: UInt64 = 0
  package var connectionsOpened: UInt64 = 0
  /// Connections that ended without being asked to, by how.
  package var connectionsLost: [String: UInt64] = [:]
  /// The largest number of streams that were allowed on a connection, by the server and by the order.
  package var streams = 0
  /// Nanoseconds, of all connections together: every stream was in use.
  package var fullTime: Int64 = 0
  /// Nanoseconds, of all connections together: the server took no data, because its window was closed or the socket was
  /// full.
  package var blockedTime: Int64 = 0
  /// The reason why the run ended early, as a sentence.
  package var trouble: String?

  private var last: (answer: Answer, body: [UInt8])?
  /// Kinds of answers that are counted one by one; APNs has about 40.
  private static let mostKinds = 200

  package init() {}

  package var rejectedCount: UInt64 { answered - sound }
  package var unansweredCount: UInt64 { unanswered.values.reduce(0, +) }
  package var seconds: Double { series.began.map { max(Double(ended - $0) / 1e9, 0) } ?? 0 }

  package mutating func add(_ other: SendingTally) {
    series.add(other.series)
    answered += other.answered
    ended = max(ended, other.ended)
    sound += other.sound
    refused.merge(other.refused, uniquingKeysWith: +)
    unanswered.merge(other.unanswered, uniquingKeysWith: +)
    sentAgain += other.sentAgain
    late += other.late
    connectionsOpened += other.connectionsOpened
    connectionsLost.merge(other.connectionsLost, uniquingKeysWith: +)
    streams = max(streams, other.streams)
    fullTime += other.fullTime
    blockedTime += other.blockedTime
    trouble = trouble ?? other.trouble
  }

  mutating func count(_ ended: ClientSession.Ended, at now: Int64) {
    series.count(UInt64(max(now - ended.startedAt, 0)), isRejected: ended.status != 200, at: now)
    answered += 1
    self.ended = now
    if ended.status == 200 {
      sound += 1
    } else {
      let answer = kind(of: ended.status, ended.body)
      refused[refused.count < Self.mostKinds ? answer : Answer(status: ended.status, reason: ""), default: 0] += 1
    }
  }

  /// Parses the body unless it is the last one again, as in a storm of errors.
  private mutating func kind(of status: Int, _ body: [UInt8]) -> Answer {
    if let last, last.answer.status == status, last.body == body { return last.answer }
    let answer = Answer(status: status, reason: Self.reason(in: body))
    last = (answer, body)
    return answer
  }

  /// The reason in `{"reason":"BadDeviceToken"}`; empty if the body has no reason.
  static func reason(in body: [UInt8]) -> String {
    guard !body.isEmpty, let value = try? JSONValue.parse(body)["reason"]?.string else { return "" }
    return value
  }
}
