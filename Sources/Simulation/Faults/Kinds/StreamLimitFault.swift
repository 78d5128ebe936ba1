import APNs
import Grammar
import Timeline
import WireFormats

/// Changes MAX_CONCURRENT_STREAMS. Streams beyond it are refused, or end the connection.
struct StreamLimitFault: LastingConnectionFault {
  static let word = "streams"
  static let counts = 0...1_000_000
  static let type = ValueType.whole(counts)
  static let details = [
    FaultMember("open", .words(["refuse", "finish"])), FaultMember("surplus", .errorCodes), .debug, .back, .after,
  ]

  var count: Int
  var open = ConnectionFault.OpenStreams.refuse
  var excessStreams: ExcessStreamGoAway?
  /// The limit after a while, and how long after.
  var back: Int?
  var after = Duration.seconds(1)

  var sequel: (after: Duration, effect: StreamLimitFault)? {
    back.map { (after, StreamLimitFault(count: $0, open: .finish)) }
  }

  func apply(to conditions: inout ConnectionConditions, by fault: Fault) {
    conditions.set(.streams(count, open: open, excessStreams: excessStreams), without: .restoreStreamLimit)
  }
}

extension StreamLimitFault {
  init(_ fields: Fields) throws(InputProblem) {
    let back = try fields.back()
    open = try fields.choice("open", [("refuse", ConnectionFault.OpenStreams.refuse), ("finish", .finish)]) ?? .refuse
    count = try fields.neededWhole(Self.word, Self.counts)
    excessStreams = try Self.excessStreams(fields)
    if let back { (self.back, after) = back }
  }

  private static func excessStreams(_ fields: Fields) throws(InputProblem) -> ExcessStreamGoAway? {
    guard fields.has("surplus") else {
      guard !fields.has("debug") else {
        throw fields.problem(
          "debug", "debug is the text of the GOAWAY for surplus streams; it needs surplus, such as REFUSED_STREAM.")
      }
      return nil
    }
    return ExcessStreamGoAway(
      code: try fields.errorCode("surplus"), debug: Array((try fields.text("debug") ?? "").utf8))
  }

  func put(into object: inout ObjectWriter) {
    object.put(Self.word, count)
    if open == .finish { object.put("open", "finish") }
    if let excessStreams {
      object.put(errorCode: excessStreams.code, as: "surplus")
      object.put(debug: excessStreams.debug)
    }
    object.put(back: back, after: after)
  }
}

extension ConnectionFault {
  /// Treatment of open streams when the limit is lowered.
  package enum OpenStreams: Hashable, Sendable {
    /// Streams beyond the limit are refused without being processed.
    case refuse
    case finish
  }

  package static func streams(
    _ count: Int, open: OpenStreams, excessStreams: ExcessStreamGoAway?, back: Int?, after: Duration
  ) -> ConnectionFault {
    ConnectionFault(
      StreamLimitFault(count: count, open: open, excessStreams: excessStreams, back: back, after: after))
  }
}
