import Testing
import Timeline

@Suite("A duration's text")
struct DurationTextTests {
  @Test(
    "a duration's text is read by units, larger ones first, and a bare number as seconds",
    arguments: [
      ("90s", .seconds(90)), ("1h30m", .seconds(5400)), ("500ms", .milliseconds(500)), ("2d", .seconds(172_800)),
      ("20", .seconds(20)), ("0", .zero), ("1.5h", .seconds(5400)), ("1d2h3m4s5ms", .milliseconds(93_784_005)),
    ] as [(String, Duration)])
  func reads(text: String, duration: Duration) {
    #expect(DurationText.parse(text) == duration)
  }

  @Test(
    "a text that is not a duration is rejected",
    arguments: ["", "-1s", "s", "30m1h", "1h1h", "5 s", "1w", "nan", "inf", "1e3", "٣s", "36526d", "1.2.3s", ".5s"])
  func refuses(text: String) {
    #expect(DurationText.parse(text) == nil)
    #expect(DurationText.isTooLong(text) == (text == "36526d"))
  }

  @Test("a written duration is read back")
  func roundTrip() {
    let chance = Chance(seed: 21)
    for count: UInt64 in 0..<2000 {
      let duration = Duration.milliseconds(Int64(chance.below(400_000_000 >> (count % 20), subject: count)))
      let text = DurationText.write(duration)
      #expect(DurationText.parse(text) == duration, "seed 21, count \(count): \(text)")
    }
    #expect(DurationText.write(.seconds(5400)) == "1h30m")
    #expect(DurationText.write(.zero) == "0s")
  }

  @Test(
    "a duration's text is written to the nanosecond where it must be read back",
    arguments: [0, 1, 999_999, 1_000_000, 1_500_001, 90_000_000_001, 86_400_000_000_000, 3_661_000_000_100] as [Int64])
  func exact(_ nanoseconds: Int64) {
    let duration: Duration = .nanoseconds(nanoseconds)
    #expect(DurationText.parse(DurationText.exact(duration)) == duration)
  }
}
