import APNs
import Devices
import Timeline
import WireFormats

/// Collects the members of an order; nil values are omitted.
package struct ObjectWriter {
  private var members: [JSONValue.Member] = []

  package init() {}

  package var json: JSONValue { .object(members) }
  package var isEmpty: Bool { members.isEmpty }

  package mutating func put(_ name: String, _ value: JSONValue?) {
    if let value { members.append(.init(name, value)) }
  }

  package mutating func put(_ name: String, _ text: String?) { put(name, text.map { JSONValue.string($0) }) }
  package mutating func put(_ name: String, _ number: Int?) { put(name, number.map { JSONValue.integer(Int64($0)) }) }
  mutating func put(_ name: String, _ number: Double?) { put(name, number.map { JSONValue.double($0) }) }

  /// JSON numbers are read as signed 64-bit integers.
  package mutating func put(_ name: String, _ number: UInt64?) {
    put(name, number.map { JSONValue.integer(Int64(clamping: $0)) })
  }

  package mutating func put(membersOf object: JSONValue) { members += object.members ?? [] }

  /// Omitted if false.
  package mutating func put(_ name: String, if truth: Bool) { if truth { put(name, JSONValue.bool(true)) } }

  package mutating func put(_ name: String, _ duration: Duration?) {
    put(name, duration.map { JSONValue.string(Self.text($0)) })
  }

  /// Negative durations get a sign, which most readers reject.
  static func text(_ duration: Duration) -> String {
    duration < .zero ? "-" + DurationText.exact(.zero - duration) : DurationText.exact(duration)
  }

  package mutating func put(_ name: String, _ devices: some Sequence<DeviceID>) {
    put(name, JSONValue.array(devices.map { .string($0.text) }))
  }

  /// Seconds since 1970.
  mutating func put(_ name: String, _ instant: Instant?) {
    guard let nanoseconds = instant?.nanoseconds else { return }
    put(
      name,
      nanoseconds % 1_000_000_000 == 0
        ? JSONValue.integer(nanoseconds / 1_000_000_000) : .double(Double(nanoseconds) / 1e9))
  }

  /// Omitted if it is 1.
  package mutating func put(_ name: String, _ odds: Odds) {
    guard odds.numerator < odds.denominator else { return }
    put(name, Percent.write(odds.numerator, of: odds.denominator))
  }
}
