/// Shares as people write them: `2%`, `0.5%` or `0.02`; exact, for nobody should have to ask what 0.1 is in binary.
package enum Percent {
  /// Digits after the point at the most.
  private static let mostDigits = 6

  /// The share as a fraction with a power of ten below; nil when the text is none, or a bare number that may mean
  /// either, such as 1 or 2.
  package static func parse(_ text: String) -> (numerator: UInt64, denominator: UInt64)? {
    let isPercent = text.hasSuffix("%")
    let parts = text.dropLast(isPercent ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }),
      parts[0].count <= 6, parts.count == 1 || parts[1].count <= mostDigits,
      isPercent || parts.count == 2 || text == "0",
      let digits = UInt64(parts.joined())
    else { return nil }
    var denominator: UInt64 = isPercent ? 100 : 1
    for _ in 0..<(parts.count == 2 ? parts[1].count : 0) { denominator *= 10 }
    return (digits, denominator)
  }

  /// The share in percent, to four digits after the point.
  package static func write(_ numerator: some BinaryInteger, of denominator: some BinaryInteger) -> String {
    let millionths = UInt64(clamping: numerator) * 1_000_000 / max(1, UInt64(clamping: denominator))
    let digits = String(millionths % 10_000 + 10_000).dropFirst()
    let trimmed = digits.reversed().drop { $0 == "0" }.reversed()
    return "\(millionths / 10_000)" + (trimmed.isEmpty ? "" : "." + String(trimmed)) + "%"
  }

  private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
}
