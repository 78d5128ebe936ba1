import Transport

/// Numbers as a load run writes them.
package enum LoadWords {
  /// With commas: `12,345`.
  package static func grouped(_ number: some BinaryInteger) -> String {
    var text = ""
    for (place, digit) in String(number).reversed().enumerated() {
      if place > 0, place.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  package static func decimal(_ number: Double, _ places: Int) -> String {
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    let whole = Int64((min(max(number, 0), 1e15) * scale).rounded())
    guard places > 0 else { return String(whole) }
    let part = String(whole % Int64(scale))
    return "\(whole / Int64(scale))." + String(repeating: "0", count: places - part.count) + part
  }

  package static func percent(_ share: Double) -> String {
    // 99.96 % are not all.
    share > 0.999 && share < 1 ? "99.9 %" : "\(decimal(share * 100, share < 0.1 ? 1 : 0)) %"
  }

  static func rate(_ rate: Double) -> String {
    rate < 10 ? "\(decimal(rate, 2)) a second" : "\(grouped(Int64(rate.rounded()))) a second"
  }

  /// A steady rate, or `100 to 5,000 a second`.
  static func rate(_ rate: SendingRate) -> String {
    guard rate.isRamp else { return self.rate(rate.last) }
    let first = rate.first < 10 ? decimal(rate.first, rate.first == 0 ? 0 : 2) : grouped(Int64(rate.first.rounded()))
    return "\(first) to \(self.rate(rate.last))"
  }

  /// With three digits or more: `0.42 ms`, `12.3 ms`, `1,234 ms`.
  package static func milliseconds(_ nanoseconds: UInt64) -> String {
    let number = Double(nanoseconds) / 1e6
    return (number < 10 ? decimal(number, 2) : number < 100 ? decimal(number, 1) : grouped(Int64(number.rounded())))
      + " ms"
  }

  static func count(_ number: Int, _ noun: String) -> String { "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")" }
}
