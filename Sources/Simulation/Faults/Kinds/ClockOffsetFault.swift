import APNs
import Grammar
import Timeline
import WireFormats

struct ClockOffsetFault: LastingConnectionFault {
  static let shape = Shape<Self>(
    members: [
      .needed("skew", at: \.offset, as: .offset(of: "APNs"), "Check provider tokens against a clock that is off.")
    ])

  var offset = Duration.zero

  func apply(to conditions: inout ConnectionConditions, by fault: Fault) { conditions.clockOffset = offset }
}

extension ConnectionFault {
  package static func skew(_ offset: Duration) -> ConnectionFault { ConnectionFault(ClockOffsetFault(offset: offset)) }
}
