/// An integer type of Swift with a fixed width, or `UInt`.
package enum FixedInteger: Int32, CaseIterable, Hashable, Sendable {
  case int8
  case int16
  case int32
  case int64
  case uint
  case uint8
  case uint16
  case uint32
  case uint64

  /// The word of the schema notation.
  var word: String { "\(self)" }

  var typeName: String { word.hasPrefix("u") ? "UI" + word.dropFirst(2) : "I" + word.dropFirst() }

  private var width: Int {
    switch self {
    case .int8, .uint8: 8
    case .int16, .uint16: 16
    case .int32, .uint32: 32
    case .int64, .uint, .uint64: 64
    }
  }

  private var isSigned: Bool { rawValue < FixedInteger.uint.rawValue }

  var lowest: Int64 { isSigned ? .min >> (64 - width) : 0 }
  package var highest: UInt64 { .max >> (isSigned ? 65 - width : 64 - width) }

  func contains(_ number: Int64) -> Bool { number >= lowest && (number < 0 || number.magnitude <= highest) }
}
