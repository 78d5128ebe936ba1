import Testing
import Timeline

@Suite("An instant")
struct InstantTests {
  @Test(
    "an instant gives whole seconds and milliseconds, rounded down",
    arguments: [
      (0, 0, 0), (1, 0, 0), (999_999, 0, 0), (1_000_000, 1, 0), (1_999_999_999, 1999, 1),
      (-1, -1, -1), (-1_000_000, -1, -1), (-1_000_000_001, -1001, -2), (-1_000_000_000, -1000, -1),
    ] as [(Int64, Int64, Int64)])
  func roundsDown(nanoseconds: Int64, milliseconds: Int64, seconds: Int64) {
    let instant = Instant(nanoseconds: nanoseconds)
    #expect(instant.milliseconds == milliseconds)
    #expect(instant.seconds == seconds)
  }

  @Test("an instant is made from seconds or milliseconds alike")
  func madeFromUnits() {
    #expect(Instant(seconds: 1_700_000_000) == Instant(milliseconds: 1_700_000_000_000))
    #expect(Instant(milliseconds: 1_700_000_000_123).milliseconds == 1_700_000_000_123)
  }

  @Test("the ends of time replace instants beyond them")
  func endsHold() {
    #expect(Instant(seconds: .max) == .distantFuture)
    #expect(Instant(seconds: .min) == .distantPast)
    #expect(Instant(milliseconds: .max) == .distantFuture)
    #expect(Instant(milliseconds: .min) == .distantPast)
    #expect(Instant.distantFuture.advanced(by: .nanoseconds(1)) == .distantFuture)
    #expect(Instant.distantPast.advanced(by: .nanoseconds(-1)) == .distantPast)
    #expect(Instant(seconds: 0).advanced(by: .seconds(Int64.max)) == .distantFuture)
    #expect(Instant(seconds: 0).advanced(by: .seconds(Int64.min)) == .distantPast)
    #expect(Instant.distantPast.duration(to: .distantFuture) == .nanoseconds(Int64.max))
    #expect(Instant.distantFuture.duration(to: .distantPast) == .nanoseconds(Int64.min))
  }

  @Test("moving by the duration to another instant gives that instant")
  func durationLeadsThere() {
    let chance = Chance(seed: 3)
    for count: UInt64 in 0..<1000 {
      let from = Instant(nanoseconds: Int64(bitPattern: chance.bits(1, count)) / 2)
      let to = Instant(nanoseconds: Int64(bitPattern: chance.bits(2, count)) / 2)
      #expect(from.advanced(by: from.duration(to: to)) == to, "seed 3, count \(count)")
      #expect((from < to) == (from.duration(to: to) > .zero), "seed 3, count \(count)")
    }
  }

  @Test("a duration's nanoseconds are whole and held within 64 bits")
  func wholeNanoseconds() {
    #expect(Duration.milliseconds(1500).wholeNanoseconds == 1_500_000_000)
    #expect(Duration.milliseconds(-1500).wholeNanoseconds == -1_500_000_000)
    #expect(Duration(secondsComponent: 0, attosecondsComponent: 999_999_999).wholeNanoseconds == 0)
    #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
    #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
  }

  @Test("one instant makes both clocks of a now agree")
  func nowOfOneInstant() {
    let now = Now(Instant(seconds: 9))
    #expect(now.world == now.wall && now == Now(world: Instant(seconds: 9), wall: Instant(seconds: 9)))
  }
}
