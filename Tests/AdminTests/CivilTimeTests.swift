import Testing
import Timeline

@testable import Admin

@Suite("A date")
struct CivilTimeTests {
  @Test(
    "a date is written as in RFC 3339",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (951_868_800_000, "2000-03-01T00:00:00.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (4_107_456_000_000, "2100-02-28T00:00:00.000Z"), (1_772_366_400_007, "2026-03-01T12:00:00.007Z"),
      (1_735_689_599_999, "2024-12-31T23:59:59.999Z"), (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
      (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func text(milliseconds: Int64, text: String) { #expect(CivilTime(milliseconds: milliseconds).text == text) }

  @Test("a date has a sign if its year has more than four digits, and no date traps")
  func beyond() {
    #expect(CivilTime(milliseconds: 253_402_300_800_000).text == "+010000-01-01T00:00:00.000Z")
    #expect(CivilTime(milliseconds: -62_167_219_200_001).text == "-000001-12-31T23:59:59.999Z")
    #expect(CivilTime(milliseconds: .max).text.hasPrefix("+292278994-08-17T"))
    #expect(CivilTime(milliseconds: .min).text.hasPrefix("-292275055-05-16T"))
    #expect(
      Instant.distantPast.rfc3339.hasPrefix("1677-09-21T") && Instant.distantFuture.rfc3339.hasPrefix("2262-04-11T"))
  }

  @Test("a date follows the day before it, for eight hundred years")
  func everyDay() {
    var last = CivilTime(milliseconds: -11_676_096_000_000)
    #expect(last.text.hasPrefix("1600-01-01"))
    for day in Int64(1)...292_194 {
      let next = CivilTime(milliseconds: -11_676_096_000_000 + day * 86_400_000)
      let leap = last.year % 4 == 0 && (last.year % 100 != 0 || last.year % 400 == 0)
      let days: Int64 = last.month == 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].contains(last.month) ? 30 : 31
      let isLast = last.day == days
      #expect(next.day == (isLast ? 1 : last.day + 1))
      #expect(next.month == (isLast ? last.month % 12 + 1 : last.month))
      #expect(next.year == (isLast && last.month == 12 ? last.year + 1 : last.year))
      last = next
    }
  }
}
