/// The pushes a second of a load run: steady, or a ramp from one rate to another.
package struct SendingRate: Hashable, Sendable {
  package let first: Double
  /// Above 0.
  package let last: Double
  /// Seconds of the ramp. Afterwards, pushes are due at the last rate.
  package private(set) var seconds = 0.0

  /// - Parameter last: nil for a steady rate.
  package init(_ first: Double, to last: Double? = nil) {
    self.first = first
    self.last = last ?? first
  }

  package var isRamp: Bool { first != last }

  /// As people give it: `500` or `100..5000`.
  package var text: String { isRamp ? Self.text(first) + ".." + Self.text(last) : Self.text(last) }

  private static func text(_ rate: Double) -> String {
    rate == rate.rounded() && rate < 1e15 ? "\(Int64(rate))" : "\(rate)"
  }

  /// The rate with a ramp over a whole run: until its time is over, or its last push is due.
  package func over(seconds: Double?, count: UInt64?) -> SendingRate {
    guard isRamp else { return self }
    // The mean rate of a ramp is that of its middle.
    let untilCount = count.map { 2 * Double($0) / (first + last) }
    var rate = self
    rate.seconds = [seconds, untilCount].compactMap(\.self).min() ?? 0
    return rate
  }

  /// Nanoseconds from the beginning of the run until a push is due.
  ///
  /// - Parameter number: counted from 0.
  package func due(_ number: UInt64) -> Double {
    let number = Double(number)
    let pushes = isRamp ? seconds * (first + last) / 2 : 0
    guard number < pushes else { return (isRamp ? seconds * 1e9 : 0) + (number - pushes) * (1e9 / last) }
    guard number > 0 else { return 0 }
    // The time t at which first·t + slope·t²/2 pushes are due, in the form that also holds for a slope near 0.
    let slope = (last - first) / seconds
    let root = max(0, first * first + 2 * slope * number).squareRoot()
    return 2 * number / (first + root) * 1e9
  }
}
