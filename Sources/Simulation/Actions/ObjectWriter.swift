import APNs
import Devices
import Grammar
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

  /// JSON numbers are read as signed 64-bit integers.
  package mutating func put(_ name: String, _ number: UInt64?) {
    put(name, number.map { JSONValue.integer(Int64(clamping: $0)) })
  }

  package mutating func put(membersOf object: JSONValue) { members += object.members ?? [] }

  /// Omitted if false.
  package mutating func put(_ name: String, if truth: Bool) { if truth { put(name, JSONValue.bool(true)) } }

  package mutating func put(_ name: String, _ duration: Duration?) {
    put(name, duration.map(FieldForm<Duration>.duration.write))
  }

  package mutating func put(_ name: String, _ devices: some Sequence<DeviceID>) {
    put(name, JSONValue.array(devices.map { .string($0.text) }))
  }
}
