import APNs
import Grammar
import Timeline

/// Checks provider tokens against a clock that is off.
struct ClockOffsetFault: LastingConnectionFault {
  static let word = "skew"
  static let type = ValueType.offset

  var offset: Duration

  func apply(to conditions: inout ConnectionConditions, by fault: Fault) { conditions.clockOffset = offset }
}

extension ClockOffsetFault {
  init(_ fields: Fields) throws(InputProblem) { offset = try fields.offset(Self.word, of: "APNs") }

  func put(into object: inout ObjectWriter) { object.put(Self.word, offset) }
}

extension ConnectionFault {
  package static func skew(_ offset: Duration) -> ConnectionFault { ConnectionFault(ClockOffsetFault(offset: offset)) }
}
