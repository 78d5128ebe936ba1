/// A part of a whole: `10%` as people write it, or 0.1 as programs do. Held to the millionth.
package struct Share: Hashable, Sendable {
  package let odds: Odds

  /// How a share is written, as the end of a sentence.
  package static let wanted = "a share from 0% to 100% such as \"30%\", or a number from 0 to 1 such as 0.3"

  private static let whole: UInt64 = 1_000_000

  /// Nil when the text is neither `30%` nor a number from 0 to 1.
  package init?(_ text: String) {
    guard let (part, all) = text == "1" ? (1, 1) : Percent.parse(text), part <= all else { return nil }
    self.init(millionths: (part * Self.whole + all / 2) / all)
  }

  /// Nil outside of 0 to 1.
  package init?(_ number: Double) {
    guard (0...1).contains(number) else { return nil }
    self.init(millionths: UInt64((number * Double(Self.whole)).rounded()))
  }

  private init(millionths: UInt64) { odds = Odds(millionths, in: Self.whole) }
}
