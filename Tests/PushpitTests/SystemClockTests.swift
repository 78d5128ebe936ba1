import Testing
import Timeline

@testable import Pushpit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("The machine's clock")
struct SystemClockTests {
  @Test(
    "the machine's clock is read whatever it is set to; beyond the range of an instant, as the end of the range",
    arguments: [
      (0, 5, 5), (-1, 1, -999_999_999), (1_700_000_000, 999_999_999, 1_700_000_000_999_999_999),
      (9_223_372_036, 854_775_807, .max), (9_223_372_036, 999_999_999, .max), (9_223_372_037, 0, .max),
      (.max, 999_999_999, .max), (-9_223_372_036, 0, -9_223_372_036_000_000_000), (.min, 0, .min),
    ] as [(Int, Int, Int64)])
  func reads(seconds: Int, nanoseconds: Int, expected: Int64) {
    #expect(SystemClock.instant(timespec(tv_sec: seconds, tv_nsec: nanoseconds)).nanoseconds == expected)
  }
}
