import APNs
import Grammar

/// Limits how fast the connection is read.
struct SlowReadingFault: LastingConnectionFault {
  static let word = "readSlowly"
  static let rates = 1...1_000_000_000
  static let type = ValueType.whole(rates)

  var bytesPerSecond: Int

  func apply(to conditions: inout ConnectionConditions, by fault: Fault) {
    conditions.set(.readSlowly(bytesPerSecond: bytesPerSecond), without: .readSlowly(bytesPerSecond: nil))
  }
}

extension SlowReadingFault {
  init(_ fields: Fields) throws(InputProblem) { bytesPerSecond = try fields.neededWhole(Self.word, Self.rates) }

  func put(into object: inout ObjectWriter) { object.put(Self.word, bytesPerSecond) }
}

extension ConnectionFault {
  package static func readsSlowly(bytesPerSecond: Int) -> ConnectionFault {
    ConnectionFault(SlowReadingFault(bytesPerSecond: bytesPerSecond))
  }
}
