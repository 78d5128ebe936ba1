/// Durations as people write them: `90s`, `1h30m`, `500ms`, `2d`, or a bare number of seconds.
package enum DurationText {
  private static let units: [(name: String, length: Duration)] = [
    ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3600)), ("d", .seconds(86400)),
  ]

  /// The longest duration that can be written: a hundred years, far below overflow.
  package static let longest: Duration = .seconds(36525 * 86400)

  /// Parses a duration. Nil if the text is invalid, negative, or longer than a hundred years.
  package static func parse(_ text: String) -> Duration? {
    guard let parts = parts(text),
      parts.reduce(0, { $0 + $1.count * ($1.unit / .seconds(1)) }) <= longest / .seconds(1)
    else { return nil }
    // Rounded to the nanosecond, the resolution of all times that are written. Not `Duration * Double`, which is off by
    // some attoseconds.
    let sum = parts.reduce(Duration.zero) { sum, part in
      sum + .nanoseconds(Int64((Double(part.unit.wholeNanoseconds) * part.count).rounded()))
    }
    return sum > longest ? nil : sum
  }

  /// True if the text has the form of a duration, but means one longer than a hundred years.
  package static func isTooLong(_ text: String) -> Bool { parts(text) != nil && parse(text) == nil }

  /// The numbers of a duration with their units. Nil if the text has another form.
  private static func parts(_ text: String) -> [(count: Double, unit: Duration)]? {
    if let seconds = number(text[...]) { return [(seconds, .seconds(1))] }
    var rest = text[...]
    var parts: [(count: Double, unit: Duration)] = []
    var smallest = Int.max
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isNumber || $0 == "." }
      rest = rest.dropFirst(digits.count)
      let letters = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(letters.count)
      // Each unit at most once, larger units first: `1h30m`, not `30m1h`.
      guard let index = units.firstIndex(where: { $0.name == letters }), index < smallest, let count = number(digits)
      else { return nil }
      smallest = index
      parts.append((count, units[index].length))
    }
    return parts.isEmpty ? nil : parts
  }

  /// The shortest text that `parse` reads back, to the millisecond.
  package static func write(_ duration: Duration) -> String {
    var left = duration.wholeNanoseconds / 1_000_000
    guard left > 0 else { return "0s" }
    var text = ""
    for (name, length) in units.reversed() {
      let unit = length.wholeNanoseconds / 1_000_000
      if left >= unit {
        text += "\(left / unit)\(name)"
        left %= unit
      }
    }
    return text
  }

  /// The shortest text that `parse` reads back, to the nanosecond.
  ///
  /// - Precondition: the duration is not negative.
  package static func exact(_ duration: Duration) -> String {
    let nanoseconds = duration.wholeNanoseconds
    let rest = nanoseconds % 1_000_000
    guard rest > 0 else { return write(duration) }
    let digits = String(String(1_000_000 + rest).dropFirst().reversed().drop { $0 == "0" }.reversed())
    let whole = nanoseconds / 1_000_000
    // Only below a second, because the digits before the point belong to the last unit.
    let milliseconds = whole % 1000
    let more = whole > milliseconds ? write(.milliseconds(whole - milliseconds)) : ""
    return more + "\(milliseconds).\(digits)ms"
  }

  private static func number(_ text: Substring) -> Double? {
    guard let first = text.first, first.isASCII, first.isNumber,
      text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") })
    else { return nil }
    return Double(text)
  }
}
