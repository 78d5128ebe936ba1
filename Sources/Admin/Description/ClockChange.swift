import Grammar
import Timeline
import WireFormats

/// A change of the world's clock, as a request orders it.
struct ClockChange: Sendable {
  static let shape = Shape<ClockChange>(members: [
    .maybe(
      "advance", at: \.advance, as: .advance,
      "A duration: whole numbers with units (d, h, m, s, ms), larger units first, or a number of seconds."),
    .maybe(
      "mode", at: \.mode, as: .choice(WorldClock.Mode.ordered.map { (name: $0.rawValue, value: $0) }),
      "`manual` stops the clock; `wall` lets it continue."),
  ])

  var advance: Duration?
  var mode: WorldClock.Mode?
}

extension FieldForm<Duration> {
  /// The duration of an advance, at most the longest that a clock takes.
  fileprivate static var advance: FieldForm {
    let longest = WorldClock.longestStep
    let schema = Schema.either([
      .string.with(["pattern": "^(?:[0-9]+(?:d|h|m|s|ms))+$"]),
      .number.with(["minimum": 0, "maximum": JSONValue(Int(longest / .seconds(1)))]),
    ])
    return FieldForm(.duration, as: schema) { (fields, name) throws(InputProblem) in
      guard let node = fields[name] else { return nil }
      let seconds = node.json.number
      guard seconds.map({ $0 >= 0 }) ?? !(node.text?.hasPrefix("-") ?? false) else {
        throw fields.problem(name, "\(name) must not be negative: time does not go back.")
      }
      let isTooLong = (seconds ?? 0) > longest / .seconds(1)
      guard let step = isTooLong ? longest + .seconds(1) : Fields.duration(node) else {
        throw fields.problem(
          name, "\(name) must be a duration like 90s, 15m, 1h30m, 500ms or 2d, or a number of seconds.")
      }
      guard step <= longest else {
        throw fields.problem(name, "\(name) must be at most \(DurationText.write(longest)).")
      }
      return step
    } write: {
      .string(DurationText.exact($0))
    }
  }
}
