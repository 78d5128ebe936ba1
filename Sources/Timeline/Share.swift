/// A fraction of a set: `10%` as people write it, or 0.1 as programs do. Resolution: one millionth.
package struct Share: Hashable, Sendable {
  package let odds: Odds

  /// The valid notations, as the end of an error sentence.
  package static let wanted = "a share from 0% to 100% such as \"30%\", or a number from 0 to 1 such as 0.3"

  private static let whole: UInt64 = 1_000_000

  /// Nil unless the text is a percentage such as `30%` or a number from 0 to 1.
  package init?(_ text: String) {
    guard let (part, all) = text == "1" ? (1, 1) : Percent.parse(text), part <= all else { return nil }
    self.init(millionths: (part * Self.whole + all / 2) / all)
  }

  /// Nil unless the number is from 0 to 1.
  package init?(_ number: Double) {
    guard (0...1).contains(number) else { return nil }
    self.init(millionths: UInt64((number * Double(Self.whole)).rounded()))
  }

  private init(millionths: UInt64) { odds = Odds(millionths, in: Self.whole) }
}

/// Reads shares such as `2%`, `0.5%` or `0.02` as exact fractions, without binary rounding.
package enum Percent {
  /// Maximum number of digits after the point.
  private static let mostDigits = 6

  /// Parses a share into a fraction whose denominator is a power of ten. Nil if the text is invalid, or
  /// ambiguous: a whole number other than 0 without `%` could be a fraction or a percentage.
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
