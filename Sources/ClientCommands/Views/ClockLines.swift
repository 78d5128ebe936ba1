import Timeline
import WireFormats

/// The world's clock: `pushpit clock`.
package struct ClockLines: Sendable {
  private let clock: JSONValue

  /// Milliseconds; far more than the clock can be ahead, far less than a duration can hold.
  private static let mostOffset: UInt64 = 1 << 43

  /// - Parameter clock: of `GET /v1/clock`.
  package init(_ clock: JSONValue) { self.clock = clock }

  package var lines: [String] {
    let mode = clock["mode"]?.string ?? ""
    let isAhead = clock["offsetMilliseconds"]?.integer ?? 0 > 0
    let pace =
      switch mode {
      case "manual": "stopped until it is advanced"
      case "offset": "at the machine's speed, ahead of it"
      default: isAhead ? "ahead of the machine's clock, which was set back" : "the same as the machine's clock"
      }
    var lines = ["now       \(text("now") ?? "")", "mode      \(mode), \(pace)"]
    if let offset = clock["offsetMilliseconds"]?.integer, offset.magnitude < Self.mostOffset, offset != 0 {
      let length = DurationText.write(.milliseconds(offset.magnitude))
      lines.append("offset    \(length) \(offset > 0 ? "ahead of" : "behind") the machine's clock")
    }
    let wait = untilNext.map { ", in \(DurationText.write($0))" } ?? ""
    lines.append("next due  " + (text("nextDue").map { $0 + wait } ?? "nothing"))
    if let target = text("target") { lines.append("target    \(target): it is advancing") }
    return lines.map { TerminalText.clean($0) }
  }

  /// The time until the next thing is due; nil if nothing is.
  package var untilNext: Duration? {
    guard let now = text("now").flatMap({ Instant(rfc3339: $0) }),
      let next = text("nextDue").flatMap({ Instant(rfc3339: $0) })
    else { return nil }
    return max(.zero, now.duration(to: next))
  }

  private func text(_ key: String) -> String? { clock[key]?.string }
}
