import APNs
import Grammar
import Timeline
import WireFormats

struct WindowFault: TemporaryConnectionFault {
  /// Valid values, in bytes.
  static let sizes = 0...Int(Int32.max)
  static let shape = Shape<Self>(members: [
    .needed("window", at: \.bytes, as: .unquoted(sizes), "Change SETTINGS_INITIAL_WINDOW_SIZE to this."),
    .usual("withheld", at: \.withheld, as: .truth, is: false, "Send no WINDOW_UPDATE meanwhile."), .back, .after,
  ])

  var bytes = 0
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

extension ConnectionFault {
  package static func window(_ bytes: Int, withheld: Bool, back: Int?, after: Duration) -> ConnectionFault {
    ConnectionFault(WindowFault(bytes: bytes, withheld: withheld, back: back, after: after))
  }
}
