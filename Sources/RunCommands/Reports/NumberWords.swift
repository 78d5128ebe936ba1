import Simulation

/// Numbers as people read them.
enum NumberWords {
  /// `1,234,567`.
  static func count(_ number: some BinaryInteger) -> String {
    let digits = Array("\(number)")
    var text = ""
    for (index, digit) in digits.enumerated() {
      let left = digits.count - index
      if index > 0, left % 3 == 0, digits[index - 1] != "-" { text.append(",") }
      text.append(digit)
    }
    return text
  }

  static func counted(_ number: UInt64, _ one: String, plural many: String) -> String {
    "\(count(number)) \(number == 1 ? one : many)"
  }

  /// `12.3 %`.
  static func share(_ part: UInt64, of whole: UInt64) -> String {
    guard whole > 0 else { return "–" }
    let share = 100 * Double(part) / Double(whole)
    return "\(share == 0 || share == 100 ? "\(Int(share))" : decimal(share, 1)) %"
  }

  /// A duration in nanoseconds, with three digits at least.
  static func time(_ nanoseconds: UInt64) -> String {
    let seconds = Double(nanoseconds) / 1e9
    if nanoseconds == 0 { return "0 s" }
    if seconds < 0.000_999_5 { return "\(decimal(seconds * 1e6, seconds < 1e-5 ? 1 : 0)) µs" }
    if seconds < 0.999_5 { return "\(decimal(seconds * 1e3, seconds < 0.01 ? 2 : seconds < 0.1 ? 1 : 0)) ms" }
    if seconds < 60 { return "\(decimal(seconds, seconds < 10 ? 2 : 1)) s" }
    let whole = nanoseconds / 1_000_000_000
    let parts = [(whole / 86_400, "d"), (whole / 3600 % 24, "h"), (whole / 60 % 60, "min"), (whole % 60, "s")]
    let first = parts.firstIndex { $0.0 > 0 } ?? 3
    return parts[first..<min(first + 2, 4)].map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }

  /// A number with this many digits after the point.
  static func decimal(_ number: Double, _ digits: Int) -> String {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    let scaled = Int64((abs(number) * scale).rounded())
    let whole = scaled / Int64(scale)
    let sign = number < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return sign + count(whole) }
    let rest = "\(scaled % Int64(scale))"
    return "\(sign)\(count(whole)).\(String(repeating: "0", count: digits - rest.count))\(rest)"
  }

  /// A rate per second.
  static func rate(_ rate: Double) -> String { decimal(rate, rate < 10 && rate != rate.rounded() ? 1 : 0) }
}
