import APNs
import Grammar
import WireFormats

struct SlowReadingFault: LastingConnectionFault {
  static let shape = Shape<Self>(
    members: [
      .needed(
        "readSlowly", at: \.bytesPerSecond, as: .unquoted(1...1_000_000_000), "Read so many bytes per second at most.")
    ])

  var bytesPerSecond = 1

  func apply(to conditions: inout ConnectionConditions, by fault: Fault) {
    conditions.set(.readSlowly(bytesPerSecond: bytesPerSecond), without: .readSlowly(bytesPerSecond: nil))
  }
}

extension ConnectionFault {
  package static func readsSlowly(bytesPerSecond: Int) -> ConnectionFault {
    ConnectionFault(SlowReadingFault(bytesPerSecond: bytesPerSecond))
  }
}
