import APNs
import Grammar
import Timeline
import WireFormats

/// Changes INITIAL_WINDOW_SIZE. While `withheld`, no WINDOW_UPDATE is sent.
struct WindowFault: LastingConnectionFault {
  static let word = "window"
  /// Valid values, in bytes.
  static let sizes = 0...Int(Int32.max)
  static let type = ValueType.whole(sizes)
  static let details = [FaultMember("withheld", .truth), .back, .after]

  var bytes: Int
  var withheld = false
  /// The size after a while, and how long after.
  var back: Int?
  var after = Duration.seconds(1)

  var sequel: (after: Duration, effect: WindowFault)? { back.map { (after, WindowFault(bytes: $0)) } }

  func apply(to conditions: inout ConnectionConditions, by fault: Fault) {
    // The initial value of HTTP/2 (RFC 9113 section 6.9.2), which this server uses.
    conditions.set(.window(bytes, withheld: withheld), without: .window(65_535, withheld: false))
  }
}

extension WindowFault {
  init(_ fields: Fields) throws(InputProblem) {
    let back = try fields.back()
    bytes = try fields.neededWhole(Self.word, Self.sizes)
    withheld = try fields.truth("withheld") ?? false
    if let back { (self.back, after) = back }
  }

  func put(into object: inout ObjectWriter) {
    object.put(Self.word, bytes)
    object.put("withheld", if: withheld)
    object.put(back: back, after: after)
  }
}

extension ConnectionFault {
  package static func window(_ bytes: Int, withheld: Bool, back: Int?, after: Duration) -> ConnectionFault {
    ConnectionFault(WindowFault(bytes: bytes, withheld: withheld, back: back, after: after))
  }
}
