import Testing
import Timeline

@Suite("A share")
struct ShareTests {
  @Test(
    "a share is a percentage or a number, to the millionth",
    arguments: [
      ("10%", 100_000), ("0.1", 100_000), ("0%", 0), ("0", 0), ("100%", 1_000_000), ("1", 1_000_000),
      ("1.0", 1_000_000), ("0.5%", 5000), ("33.3333%", 333_333), ("0.000001", 1),
    ] as [(String, UInt64)])
  func text(text: String, millionths: UInt64) throws {
    let odds = try #require(Share(text)).odds
    #expect(odds.numerator == millionths && odds.denominator == 1_000_000)
  }

  @Test(
    "a share cannot be read from any other text",
    arguments: ["", "%", "2", "101%", "-1%", "half", "1e-1", "0x1%", "nan%", ".5"])
  func other(text: String) {
    #expect(Share(text) == nil)
  }

  @Test(
    "a share as a number equals the share in text", arguments: [(0.1, "10%"), (0.25, "0.25"), (1, "100%"), (0, "0%")])
  func number(number: Double, text: String) {
    #expect(Share(number) == Share(text))
    #expect(Share(-number - 0.1) == nil && Share(.nan) == nil && Share(number + 1.1) == nil)
  }
}
