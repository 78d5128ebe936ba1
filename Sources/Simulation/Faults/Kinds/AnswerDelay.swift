import Grammar
import Timeline
import WireFormats

/// Delay of an answer.
package enum AnswerDelay: Hashable, Sendable {
  case between(ClosedRange<Duration>)
  /// Lognormal, by its median and the value that one in a hundred exceeds.
  case lognormal(median: Duration, p99: Duration)

  /// Maximum of a lognormal delay: an hour.
  private static let longest = 3.6e12

  /// - Parameters:
  ///   - subject: number of the thing that the draw is for.
  ///   - count: the number of the draw.
  func draw(with chance: Chance, subject: UInt64, count: UInt64) -> Duration {
    switch self {
    case .between(let range): return chance.duration(in: range, subject: subject, count: count)
    case .lognormal(let median, let p99):
      // A normally distributed number, as the sum of twelve uniform ones minus six (Irwin-Hall), because no logarithm
      // is available; in units of 1/65,536. The 99th percentile is at 2.326 standard deviations.
      var sum: Int64 = -6 << 16
      for part in 0..<12 as Range<UInt64> {
        sum += Int64(chance.bits(subject ^ part << 56, count) & 0xFFFF)
      }
      let middle = max(1, Double(median.wholeNanoseconds))
      let ratio = max(1, Double(p99.wholeNanoseconds) / middle)
      // The ratio is below 10^19, raised at most to the third power: the result is finite.
      let drawn = middle * Self.power(ratio, Double(sum) / 65_536 / 2.326)
      return .nanoseconds(median > .zero ? Int64(min(drawn, Self.longest)) : 0)
    }
  }

  /// `base` to the power of `exponent`, by squares and square roots, so that the result is identical on every machine.
  private static func power(_ base: Double, _ exponent: Double) -> Double {
    var whole = exponent.magnitude.rounded(.down)
    var part = exponent.magnitude - whole
    var result = 1.0
    while whole >= 1 {
      result *= base
      whole -= 1
    }
    var root = base
    for _ in 0..<24 {
      root = root.squareRoot()
      part *= 2
      if part >= 1 {
        result *= root
        part -= 1
      }
    }
    return exponent < 0 ? 1 / result : result
  }
}

extension AnswerDelay {
  static let type = ValueType.either([
    .duration,
    .members([("median", .duration), ("p99", .duration), ("from", .duration), ("to", .duration)]),
  ])

  /// Reads the member `delay`.
  static func read(_ fields: Fields) throws(InputProblem) -> AnswerDelay {
    if let node = fields["delay"], node.entries != nil {
      let shape = try Fields(node, "delay", known: ["median", "p99", "from", "to"])
      if let median = try shape.duration("median") {
        try shape.takesOnly(["median", "p99"], because: "median")
        guard let p99 = try shape.duration("p99") else {
          throw shape.problem("p99", "p99 is required with median.", code: .missingKey)
        }
        return .lognormal(median: median, p99: p99)
      }
      if let other = shape.those(of: ["p99"]).first {
        throw shape.problem(other, "p99 needs median.", code: .missingKey)
      }
      guard !shape.those(of: ["from", "to"]).isEmpty else {
        throw fields.problem("delay", "delay must be a duration, or have from and to, or median and p99.")
      }
      let low = try shape.duration("from") ?? .zero
      let high = try shape.duration("to") ?? low
      guard low <= high else { throw shape.problem("from", "from must not be larger than to.") }
      return .between(low...high)
    }
    let wait = try fields.duration("delay") ?? .zero
    return .between(wait...wait)
  }

  var json: JSONValue {
    let text = FieldForm<Duration>.duration.write
    switch self {
    case .between(let range) where range.lowerBound == range.upperBound: return text(range.lowerBound)
    case .between(let range): return ["from": text(range.lowerBound), "to": text(range.upperBound)]
    case .lognormal(let median, let p99): return ["median": text(median), "p99": text(p99)]
    }
  }
}

extension FieldForm<AnswerDelay> {
  static var answerDelay: FieldForm {
    FieldForm(AnswerDelay.type) { (fields, _) throws(InputProblem) in
      try AnswerDelay.read(fields)
    } write: {
      $0.json
    }
  }
}
