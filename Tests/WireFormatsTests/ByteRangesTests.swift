import TestSupport
import Testing
import WireFormats

@Suite("Bytes compared in place")
struct ByteRangesTests {
  @Test("a range contains other bytes exactly when a copy of it equals them")
  func agreesWithArrays() {
    for seed: UInt64 in 0..<500 {
      var dice = Dice(seed: seed)
      let bytes = dice.bytes(1 + dice.below(60))
      let start = dice.below(bytes.count)
      let range = start..<(start + 1 + dice.below(bytes.count - start))
      var other = Array(bytes[range])
      #expect(holds(bytes, range, other), "seed \(seed)")
      other[dice.below(other.count)] ^= 1 << UInt8(dice.below(8))
      #expect(!holds(bytes, range, other), "seed \(seed)")
      #expect(!holds(bytes, range, other + [0]), "seed \(seed)")
    }
  }

  @Test("a range never contains more bytes than it has")
  func staysInside() {
    let bytes = Array("bearer".utf8)
    #expect(holds(bytes, 0..<6, text: "bearer"))
    #expect(!holds(bytes, 1..<7, text: "earer "))
    #expect(!holds(bytes, 0..<5, text: "bearer"))
    #expect(holds(bytes, 3..<3, text: ""))
    let longer = Array("bearer tokens".utf8)
    #expect(!holds(bytes, 0..<13, longer))
  }

  @Test("a range is read as text and as a copy")
  func copies() {
    let bytes = Array("höher".utf8)
    #expect(text(bytes, 1..<3) == "ö")
    #expect(text(bytes, 0..<0) == "")
    let copy = bytes.span.copy(1..<3)
    #expect(copy == [0xC3, 0xB6])
    #expect(text([0x61, 0xFF, 0x62], 0..<3) == "a\u{FFFD}b")
  }

  @Test(
    "a decimal number has only digits and fits 64 bits",
    arguments: [
      ("0", 0), ("007", 7), ("1700000000", 1_700_000_000), ("9223372036854775807", .max),
      ("9223372036854775808", nil), ("99999999999999999999", nil), ("", nil), ("-1", nil), ("+1", nil), ("1.5", nil),
      (" 1", nil), ("1e3", nil), ("0x1", nil), ("1/", nil), ("1:", nil),
    ] as [(String, Int64?)])
  func decimals(text: String, number: Int64?) {
    let bytes = Array(text.utf8)
    let decimal = bytes.span.decimal(0..<bytes.count)
    #expect(decimal == number)
  }

  // `#expect` takes no spans.
  private func holds(_ bytes: [UInt8], _ range: Range<Int>, _ other: [UInt8]) -> Bool {
    bytes.span.holds(range, other.span)
  }

  private func holds(_ bytes: [UInt8], _ range: Range<Int>, text: StaticString) -> Bool {
    bytes.span.holds(range, text)
  }

  private func text(_ bytes: [UInt8], _ range: Range<Int>) -> String { bytes.span.text(range) }
}
