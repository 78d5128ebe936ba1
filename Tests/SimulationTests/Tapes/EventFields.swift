import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// The fields of an event, found by reflection: the path of each, and its value as text.
struct EventFields {
  private(set) var values: [String: String] = [:]

  init(_ event: WorldEvent) { add(event, at: "") }

  /// The fields in which two events differ.
  func differences(from other: EventFields) -> Set<String> {
    Set(values.keys).union(other.values.keys).filter { values[$0] != other.values[$0] }
  }

  /// The one field among those that differ; nil if there are several, and not because a value is absent in one of the
  /// two events, or is a case without a value.
  static func only(_ paths: [String]) -> String? {
    paths.first { absent in paths.allSatisfy { $0 == absent || $0.hasPrefix(absent + ".") } }
  }

  private mutating func add(_ value: Any, at path: String) {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional {
      guard let some = mirror.children.first else { return values[path] = "nil" }
      return add(some.value, at: path)
    }
    if let id = value as? NotificationID { return values[path] = id.text }
    let parts = Self.isWhole(value) ? [] : Array(mirror.children)
    if parts.isEmpty { return values[path] = "\(value)" }
    for (index, part) in parts.enumerated() {
      let label = part.label.map { $0.hasPrefix(".") ? String($0.dropFirst()) : $0 } ?? "\(index)"
      add(part.value, at: path.isEmpty ? label : path + "." + label)
    }
  }

  /// True for a value that counts as one field.
  private static func isWhole(_ value: Any) -> Bool {
    value is Instant || value is Duration || value is DeviceID || value is HTTPRequest
      || value is HTTPResponse || value is JSONValue || value is [UInt8] || value is [Int] || value is ChannelID
      || value is Remarks || value is OSVersion
  }
}
