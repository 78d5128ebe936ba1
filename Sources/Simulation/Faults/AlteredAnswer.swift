import APNs
import Timeline
import WireFormats

/// An answer that is delayed or changed by a fault.
struct AlteredAnswer: Sendable {
  let stream: StreamID
  let wait: Duration?
  let retryAfter: Int?
  var pieces: FaultBodySplit?

  /// The answer as it is sent.
  func order(_ answer: HTTPResponse) -> WireCommand {
    var response = answer
    if let retryAfter {
      var fields = response.fields
      fields.append("retry-after", String(retryAfter))
      response = HTTPResponse(status: response.status, fields: fields, body: response.body)
    }
    return .respond(to: stream.number, response, pieces)
  }
}

extension WireCommand {
  static func respond(to stream: Int32, _ response: HTTPResponse, _ pieces: FaultBodySplit?) -> WireCommand {
    pieces.map { .respondInPieces(stream: stream, response, $0) } ?? .respond(stream: stream, response)
  }
}

/// How long an answer is delayed.
package enum AnswerDelay: Hashable, Sendable {
  case between(ClosedRange<Duration>)
  /// Lognormal, by its median and the value that one in a hundred exceeds.
  case lognormal(median: Duration, p99: Duration)

  /// Maximum of a lognormal delay: an hour.
  private static let longest = 3.6e12

  /// - Parameters:
  ///   - subject: what the draw is for.
  ///   - count: the number of the draw.
  func draw(_ chance: Chance, _ subject: UInt64, _ count: UInt64) -> Duration {
    switch self {
    case .between(let range): return chance.duration(in: range, subject, count)
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

/// How the body of a rejection is split, if it is not sent in one DATA frame.
package struct FaultBodySplit: Hashable, Sendable {
  /// Where the stream is ended.
  package enum End: String, CaseIterable, Hashable, Sendable {
    /// END_STREAM is on the last piece.
    case last
    /// END_STREAM is on a separate, empty DATA frame.
    case apart
    /// The stream is left open.
    case never
  }

  /// Valid numbers of sizes, and valid sizes.
  package static let counts = 1...100
  package static let lengths = 1...100_000

  /// Bytes of each piece; the rest of the body is one more piece.
  package var sizes: [Int]
  package var end: End
  /// Time between two pieces; nil sends all of them at once.
  package var pause: Duration?

  package init(sizes: [Int], end: End = .last, pause: Duration? = nil) {
    self.sizes = sizes
    self.end = end
    self.pause = pause
  }

  /// What is sent for an answer with that status; nil if the stream is ended normally.
  func sent(_ status: Int) -> SentAnswer? { end == .never ? .incomplete(status: status) : nil }
}
