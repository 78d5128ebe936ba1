import Timeline
import Transport
import WireFormats

/// The results of a load run.
package struct LoadReport: Sendable {
  private let order: LoadOrder
  private let tally: SendingTally
  private let latency: Histogram
  private let numbers: LimitVerdict.Numbers
  private let verdict: LimitVerdict
  /// The destination in words, and how many tokens it has.
  private let target: String
  private let tokens: Int
  var idPrefix: String?
  /// The faults that have struck during the run.
  var faults: [LoadFault] = []
  /// The arrival of the last broadcast on phones; nil if `load` sent none.
  var reach: LoadReach?
  /// True if a signal has ended the run.
  package internal(set) var isInterrupted = false

  init(_ order: LoadOrder, tally: SendingTally, numbers: LimitVerdict.Numbers, target: String, tokens: Int) {
    var numbers = numbers
    numbers.isAborted = tally.trouble != nil
    (self.order, self.tally, self.numbers, self.target, self.tokens) = (order, tally, numbers, target, tokens)
    verdict = LimitVerdict(numbers)
    latency = tally.series.latency
  }

  /// True if every push was answered, with whatever status, and the run was not given up.
  private var isComplete: Bool { tally.trouble == nil && tally.unansweredCount == 0 && tally.answered > 0 }

  /// True if the run has held its thresholds; without one for them, no push may be unanswered.
  package var isSound: Bool {
    let allowsUnanswered = order.thresholds.contains(where: \.isAboutUnanswered)
    return breaches.isEmpty && tally.trouble == nil && tally.answered > 0
      && (allowsUnanswered || tally.unansweredCount == 0)
  }

  /// A sentence for each threshold that is broken.
  package var breaches: [String] { order.thresholds.compactMap { $0.breach(figures) } }

  private var figures: LoadThreshold.Figures {
    LoadThreshold.Figures(
      latency: latency, answered: tally.answered, rejected: tally.rejectedCount, unanswered: tally.unansweredCount,
      perSecond: rate)
  }

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
      "Answered: \(LoadWords.grouped(tally.answered)) \(order.kind == .broadcast ? "broadcasts" : "pushes")"
        + " to \(target) in \(LoadWords.decimal(tally.seconds, 2)) s, \(LoadWords.rate(rate))"
    ]
    if tally.sound > 0 { lines.append(row("200", tally.sound)) }
    lines += refused.map { row("\($0.answer.status) \($0.answer.reason)", $0.count) }
    if !faults.isEmpty { lines.append("Faults: \(faults.map(\.words).joined(separator: ", "))") }
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
    if !latency.isEmpty {
      let parts = LoadThreshold.percentiles.map { share in
        let words = share.name == "max" ? "longest" : "\(share.name.dropFirst()) %"
        return "\(words) \(LoadWords.milliseconds(latency.number(at: share.share) ?? 0))"
      }
      lines.append("Latency: \(parts.joined(separator: ", "))")
    }
    lines += LoadSeries.chart(tally.series, ended: tally.ended)
    if let reach { lines.append(reach.words) }
    lines.append(connections)
    lines += Self.sorted(tally.connectionsLost).map { row("lost: \($0.name)", $0.count) }
    if let trouble = tally.trouble { lines.append("Aborted: \(trouble)") }
    lines.append("Limit: \(verdict.sentence)")
    return lines.joined(separator: "\n")
  }

  private var connections: String {
    var line = "Connections: \(LoadWords.grouped(tally.connectionsOpened)) opened"
    line += ", up to \(LoadWords.count(tally.streams, "stream")) on each"
    if tally.streams > 0, tally.streams < order.streams { line += " (the server allows no more)" }
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
      "format": 1, "kind": .string(order.kind.rawValue), "asked": asked,
      "answered": .integer(Int64(clamping: tally.answered)), "seconds": .double(tally.seconds),
      "perSecond": .double(rate), "tokens": .integer(Int64(tokens)), "answers": .array(answers),
      "rejected": .integer(Int64(clamping: tally.rejectedCount)), "faults": .array(faults.map(\.json)),
      "unanswered": Self.counts(tally.unanswered, "cause"), "sentAgain": .integer(Int64(clamping: tally.sentAgain)),
      "late": .integer(Int64(clamping: tally.late)), "latencyMilliseconds": milliseconds,
      "series": LoadSeries(tally.series, ended: tally.ended).json, "lastBroadcast": reach?.json ?? .null,
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
      "thresholds": .array(
        order.thresholds.map { threshold in
          let breach = threshold.breach(figures)
          return ["failIf": .string(threshold.text), "broken": .bool(breach != nil), "sentence": JSONValue(breach)]
        }),
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

  /// The flags that two compared runs must have in common.
  private var asked: JSONValue {
    [
      "rate": JSONValue(order.rate?.text),
      "connections": .integer(Int64(order.connections)), "streams": .integer(Int64(order.streams)),
      "threads": .integer(Int64(order.threads)),
    ]
  }

  private var milliseconds: JSONValue {
    guard let least = latency.least else { return .null }
    func number(_ nanoseconds: UInt64) -> JSONValue { .double(Double(nanoseconds / 1000) / 1000) }
    let shares = LoadThreshold.percentiles.map { share in
      JSONValue.Member(share.name, number(latency.number(at: share.share) ?? 0))
    }
    return .object([.init("min", number(least)), .init("mean", number(UInt64(latency.mean)))] + shares)
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
