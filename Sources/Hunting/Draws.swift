import Timeline
import WireFormats

/// Draws in a row, each of its own: the same seed and variant give the same ones.
struct Draws {
  private let chance: Chance
  private let subject: UInt64
  private var count: UInt64 = 0

  init(seed: UInt64, variant: Int) {
    chance = Chance(seed: seed).stream(for: "hunt")
    subject = UInt64(variant)
  }

  /// A number from 0 to below `bound`; 0 if the bound is not positive.
  mutating func below(_ bound: Int) -> Int {
    guard bound > 0 else { return 0 }
    count += 1
    return Int(chance.below(UInt64(bound), subject: subject, count: count))
  }

  mutating func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

  /// True with a probability of `percent`.
  mutating func happens(_ percent: Int) -> Bool { below(100) < percent }

  mutating func pick<Value>(_ values: [Value]) -> Value? { values.isEmpty ? nil : values[below(values.count)] }

  /// An index, drawn by weights that are not all zero.
  mutating func index(of weights: [Int]) -> Int {
    var left = below(weights.reduce(0, +))
    for (index, weight) in weights.enumerated() {
      if left < weight { return index }
      left -= weight
    }
    return 0
  }

  /// A time in a range, in whole seconds, or in milliseconds below ten seconds.
  mutating func time(in range: ClosedRange<Duration>) -> Duration {
    let low = range.lowerBound.wholeNanoseconds / 1_000_000
    let high = range.upperBound.wholeNanoseconds / 1_000_000
    let drawn = low + Int64(below(Int(max(0, high - low)) + 1))
    return .milliseconds(drawn > 10_000 ? drawn / 1000 * 1000 : drawn)
  }

  mutating func text(in range: ClosedRange<Duration>) -> JSONValue { .string(DurationText.write(time(in: range))) }
}
