/// A date and a time of day in UTC, in the calendar that RFC 3339 uses.
package struct CivilTime: Hashable, Sendable {
  package let year: Int64
  package let month: Int64
  package let day: Int64
  /// Since midnight.
  package let milliseconds: Int64

  /// - Parameter milliseconds: since 1970.
  ///
  /// Counts in eras of 400 years from 1 March 0000, so that a leap day is the last day of its year (H. Hinnant,
  /// "chrono-Compatible Low-Level Date Algorithms", civil_from_days).
  package init(milliseconds: Int64) {
    let days = Self.floor(milliseconds, 86_400_000)
    // Not `milliseconds - days * 86_400_000`: the product overflows on the earliest day.
    let rest = milliseconds % 86_400_000
    self.milliseconds = rest < 0 ? rest + 86_400_000 : rest
    let sinceMarch0 = days + 719_468
    let era = Self.floor(sinceMarch0, 146_097)
    let dayOfEra = sinceMarch0 - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days since 1970 of a date (H. Hinnant, days_from_civil); a month or day out of range carries over.
  fileprivate static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let years = month <= 2 ? year - 1 : year
    let era = floor(years, 400)
    let yearOfEra = years - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// RFC 3339 with milliseconds. A year without exactly four digits is written with its sign (ISO 8601).
  package var text: String {
    if (0...9999).contains(year) { return shortText }
    let seconds = milliseconds / 1000
    let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Self.digits($0, 2) }.joined(separator: ":")
    let years = (year < 0 ? "-" : "+") + Self.digits(abs(year), 6)
    return "\(years)-\(Self.digits(month, 2))-\(Self.digits(day, 2))T\(clock).\(Self.digits(milliseconds % 1000, 3))Z"
  }

  /// The text of a year with four digits. Built in one piece, because each row of a list has several times.
  private var shortText: String {
    let parts = [
      (year, 4), (month, 2), (day, 2), (milliseconds / 3_600_000, 2), (milliseconds / 60_000 % 60, 2),
      (milliseconds / 1000 % 60, 2), (milliseconds % 1000, 3),
    ]
    let marks = StaticString("--T::.Z")
    return String(unsafeUninitializedCapacity: 24) { bytes in
      var place = 0
      for (index, part) in parts.enumerated() {
        var rest = part.0
        for digit in stride(from: part.1 - 1, through: 0, by: -1) {
          bytes[place + digit] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
          rest /= 10
        }
        bytes[place + part.1] = marks.utf8Start[index]
        place += part.1 + 1
      }
      return place
    }
  }

  private static func digits(_ number: Int64, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }

  private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
    number / divisor - (number % divisor < 0 ? 1 : 0)
  }
}

extension Instant {
  /// `2026-03-01T12:00:00.000Z`.
  package var rfc3339: String { CivilTime(milliseconds: milliseconds).text }

  /// Reads what `rfc3339` writes of the years 1970 to 2261, with or without milliseconds; nil for anything else.
  package init?(rfc3339 text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 20 || bytes.count == 24, bytes.last == UInt8(ascii: "Z") else { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      bytes[range].reduce(0) { sum, byte in
        guard let sum, (0x30...0x39).contains(byte) else { return nil }
        return sum * 10 + Int64(byte - 0x30)
      }
    }
    // Later years do not fit in the nanoseconds of an instant.
    guard let year = number(0..<4), (1970..<2262).contains(year), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      let fraction = bytes.count == 24 ? number(20..<23) : 0
    else { return nil }
    let seconds = CivilTime.days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
    self.init(nanoseconds: (seconds * 1000 + fraction) * 1_000_000)
    // A date that does not exist, such as 30 February, would be written differently.
    guard rfc3339.prefix(19) == text.prefix(19), bytes.count == 20 || rfc3339 == text else { return nil }
  }
}
