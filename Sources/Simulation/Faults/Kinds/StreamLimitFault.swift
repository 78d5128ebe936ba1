import APNs
import Grammar
import Timeline
import WireFormats

struct StreamLimitFault: TemporaryConnectionFault {
  static let shape = Shape<Self>(members: [
    .needed("streams", at: \.count, as: .unquoted(0...1_000_000), "Change SETTINGS_MAX_CONCURRENT_STREAMS to this."),
    .usual(
      "open", at: \.open, as: .choice([("refuse", .refuse), ("finish", .finish)]), is: .refuse,
      "What happens to open streams beyond it: they are refused without being processed, or finish."),
    .key("surplus", as: .errorCode, "End the connection with a GOAWAY with this code if a client exceeds it.") {
      (fields, fault) throws(InputProblem) in
      fault.excessStreams = try excessStreams(fields)
    } write: {
      $0.excessStreams.map { FieldForm<UInt32>.errorCode.write($0.code) }
    },
    .key("debug", as: .text(), "The text of that GOAWAY.") {
      $0.excessStreams.flatMap { $0.debug.isEmpty ? Optional.none : FieldForm<[UInt8]>.bytes.write($0.debug) }
    },
    .back, .after,
  ])

  var count = 0
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
