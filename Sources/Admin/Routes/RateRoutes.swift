import APNs
import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Pushes per second of the last two minutes, by answer.
///
/// They are counted in the ledger for each request: a push costs nothing for it, and nothing more is kept.
enum RateRoutes {
  static let routes: [Route] = [
    Route(
      "GET /v1/rates", id: "getRates", tag: .ledger, summary: "pushes per second of the last two minutes, by answer",
      answer: recent
    )
    .meaning(
      """
      Counted in the ledger, by this machine's clock. Seconds of which the ledger no longer keeps every push
      are left out, and so is the current second. At most 200,000 pushes are counted.
      """
    )
    .answers(.json("The rates, oldest second first.", RateCount.shape.schema))
  ]

  static func recent(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    count(RateCount(until: context.wall.seconds), simulator)
  }

  /// Counts the newest pushes, one portion per hold of the lock.
  private static func count(_ begun: RateCount, _ simulator: Simulator) -> AdminReply {
    var rates = begun
    rates.count(in: simulator.readers.logs.pushLog, most: BatchSize.records)
    guard rates.isDone else { return .more { [rates] _, simulator in count(rates, simulator) } }
    let counted = rates
    return .json(RateCount.shape.json(counted))
  }
}

/// The state of a count, which begins at the newest push.
struct RateCount: Sendable {
  static let seconds = 120
  /// Number of pushes that are counted. Above 1,600 a second, the time that they cover is shorter.
  static let mostPushes = 200_000

  private enum Answer: String, CaseIterable {
    case accepted = "200"
    case throttled = "429"
    case refused = "4xx"
    case failed = "5xx"

    init(status: Int) {
      switch status {
      case 200: self = .accepted
      case 429: self = .throttled
      case 500...: self = .failed
      default: self = .refused
      }
    }
  }

  private let until: Int64
  /// The first second that is known as a whole.
  private var from: Int64
  private var counts: [Answer: [Int]]
  private var next: UInt64?
  private var counted = 0
  /// The second of the push that was counted last.
  private var oldest: Int64?
  private(set) var isDone = false

  /// - Parameter until: the current second of this machine's clock. It is not over, so it does not count.
  init(until: Int64) {
    self.until = until
    from = until - Int64(Self.seconds)
    counts = Dictionary(uniqueKeysWithValues: Answer.allCases.map { ($0, Array(repeating: 0, count: Self.seconds)) })
  }

  /// Continues with at most `most` pushes.
  mutating func count(in pushLog: PushLog, most: Int) {
    if next == nil { next = pushLog.list(Filter(), before: nil, limit: 1).pushes.first?.sequence }
    let first = until - Int64(Self.seconds)
    for _ in 0..<most {
      guard let number = next, let push = pushLog.push(number: number), counted < Self.mostPushes else {
        finish(pushLog)
        return
      }
      counted += 1
      next = number - 1
      let second = push.at.wall.seconds
      guard second >= first else {
        isDone = true
        return
      }
      guard second < until else { continue }
      counts[Answer(status: push.answer.status), default: []][Int(second - first)] += 1
      oldest = second
    }
  }

  /// The oldest second may have had further pushes, unless no push was ever forgotten.
  private mutating func finish(_ pushLog: PushLog) {
    isDone = true
    guard counted >= Self.mostPushes || pushLog.hasDropped else { return }
    from = oldest.map { min($0 + 1, until) } ?? until
  }

  static let shape = Shape<RateCount>(members: [
    .init("from", .time) { .string(Instant(seconds: $0.from).rfc3339) },
    .init("until", .time) { .string(Instant(seconds: $0.until).rfc3339) },
    .init(
      "answers", answers.schema,
      meaning: "A number for each second from `from` to `until`. `4xx` does not include 429."
    ) { answers.json($0) },
  ])

  private static let answers = Shape<RateCount>(
    members: Answer.allCases.map { answer in
      .init(answer.rawValue, .list(of: .whole)) { rates in
        let skipped = Int(rates.from - (rates.until - Int64(seconds)))
        return .array((rates.counts[answer] ?? []).dropFirst(skipped).map { JSONValue($0) })
      }
    })
}
