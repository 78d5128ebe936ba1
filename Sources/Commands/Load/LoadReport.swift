import Timeline
import Transport
import WireFormats

/// What a load run has found.
package struct LoadReport: Sendable {
  let tally: SendingTally
  let verdict: LimitVerdict
  let numbers: LimitVerdict.Numbers
  let tokens: Int
  let streams: Int
  let idPrefix: String?
  /// True if a signal has ended the run.
  package internal(set) var isInterrupted = false

  /// Whether every push was answered, with whatever status, and the run was not given up.
  package var isComplete: Bool { tally.trouble == nil && tally.unansweredCount == 0 && tally.answered > 0 }

  private static let shares: [(name: String, words: String, share: Double)] = [
    ("p50", "50 %", 0.5), ("p90", "90 %", 0.9), ("p99", "99 %", 0.99), ("p99.9", "99.9 %", 0.999),
  ]

  private var rate: Double { tally.seconds > 0 ? Double(tally.answered) / tally.seconds : 0 }

  /// Answers that were not 200, the most frequent first.
  private var refused: [(answer: SendingTally.Answer, count: UInt64)] {
    tally.refused.map { (answer: $0.key, count: $0.value) }.sorted {
      ($1.count, $0.answer.status, $0.answer.reason) < ($0.count, $1.answer.status, $1.answer.reason)
    }
  }

  // MARK: For people

  package var text: String {
    var lines = [
      "Answered: \(LoadWords.grouped(tally.answered)) pushes to \(LoadWords.count(tokens, "token"))"
        + " in \(LoadWords.decimal(tally.seconds, 2)) s, \(LoadWords.rate(rate))"
    ]
    if tally.sound > 0 { lines.append(row("200", tally.sound)) }
    lines += refused.map { row("\($0.answer.status) \($0.answer.reason)", $0.count) }
    if tally.unansweredCount > 0 {
      lines.append("No answer: \(LoadWords.grouped(tally.unansweredCount)), not sent again")
      lines += Self.sorted(tally.unanswered).map { row($0.name, $0.count) }
    }
    if tally.sentAgain > 0 {
      lines.append("Sent again: \(LoadWords.grouped(tally.sentAgain)) that the server had not processed")
    }
    if numbers.askedRate != nil, tally.late > 0 {
      lines.append("Late: \(LoadWords.grouped(tally.late)) were sent more than 50 ms after they were due")
    }
    if let longest = tally.latency.greatest {
      let parts = Self.shares.map { share in
        "\(share.words) \(LoadWords.milliseconds(tally.latency.number(at: share.share) ?? 0))"
      }
      lines.append("Latency: \(parts.joined(separator: ", ")), longest \(LoadWords.milliseconds(longest))")
    }
    lines.append(connections)
    lines += Self.sorted(tally.connectionsLost).map { row("lost: \($0.name)", $0.count) }
    if let trouble = tally.trouble { lines.append("Aborted: \(trouble)") }
    lines.append("Limit: \(verdict.sentence)")
    return lines.joined(separator: "\n")
  }

  private var connections: String {
    var line = "Connections: \(LoadWords.grouped(tally.connectionsOpened)) opened"
    line += ", up to \(LoadWords.count(tally.streams, "stream")) on each"
    if tally.streams > 0, tally.streams < streams { line += " (the server allows no more)" }
    return line
  }

  private func row(_ name: String, _ count: UInt64) -> String {
    let number = LoadWords.grouped(count)
    return "  " + String(repeating: " ", count: max(0, 12 - number.count)) + number + "  " + name
  }

  private static func sorted(_ counts: [String: UInt64]) -> [(name: String, count: UInt64)] {
    counts.map { (name: $0.key, count: $0.value) }.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  // MARK: For programs

  package var json: String {
    let value: JSONValue = [
      "answered": .integer(Int64(clamping: tally.answered)), "seconds": .double(tally.seconds),
      "perSecond": .double(rate), "tokens": .integer(Int64(tokens)), "answers": .array(answers),
      "unanswered": Self.counts(tally.unanswered, "cause"), "sentAgain": .integer(Int64(clamping: tally.sentAgain)),
      "late": .integer(Int64(clamping: tally.late)), "latencyMilliseconds": latency,
      "connections": [
        "opened": .integer(Int64(clamping: tally.connectionsOpened)), "streams": .integer(Int64(tally.streams)),
        "lost": Self.counts(tally.connectionsLost, "how"),
      ],
      "processors": [
        "load": .double(numbers.own), "pushpit": Self.double(numbers.server),
        "machine": Self.double(numbers.machine), "ofMachine": .integer(Int64(numbers.processors)),
      ],
      "shares": ["streamsFull": .double(numbers.fullShare), "serverTookNoData": .double(numbers.blockedShare)],
      "limit": ["is": .string(verdict.limit.rawValue), "sentence": .string(verdict.sentence)],
      "idPrefix": JSONValue(idPrefix), "trouble": JSONValue(tally.trouble), "complete": .bool(isComplete),
    ]
    return value.text
  }

  private var answers: [JSONValue] {
    let sound: [JSONValue] =
      tally.sound == 0
      ? [] : [["status": 200, "reason": .null, "count": .integer(Int64(clamping: tally.sound))]]
    return sound
      + refused.map { row in
        [
          "status": JSONValue(row.answer.status),
          "reason": JSONValue(row.answer.reason.isEmpty ? nil : row.answer.reason),
          "count": .integer(Int64(clamping: row.count)),
        ]
      }
  }

  private var latency: JSONValue {
    guard let shortest = tally.latency.least, let longest = tally.latency.greatest else { return .null }
    func number(_ nanoseconds: UInt64) -> JSONValue { .double(Double(nanoseconds / 1000) / 1000) }
    let shares = Self.shares.map { share in
      JSONValue.Member(share.name, number(tally.latency.number(at: share.share) ?? 0))
    }
    return .object(
      [.init("least", number(shortest))] + shares
        + [.init("greatest", number(longest)), .init("mean", number(UInt64(tally.latency.mean)))])
  }

  private static func double(_ number: Double?) -> JSONValue { number.map(JSONValue.double) ?? .null }

  private static func counts(_ counts: [String: UInt64], _ name: String) -> JSONValue {
    .array(
      sorted(counts).map {
        .object([.init(name, .string($0.name)), .init("count", .integer(Int64(clamping: $0.count)))])
      }
    )
  }
}
