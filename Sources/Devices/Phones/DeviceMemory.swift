import WireFormats

/// What things that a phone keeps are charged with, beside their bytes: about what they take in memory, and the same on
/// every machine, so that a run with a seed is the same everywhere.
enum DeviceMemory {
  static let notification = 256
  static let content = 64
  /// A value of a JSON document that an app gave.
  static let value = 64
}

extension ActivityContent {
  /// Bytes it is charged with, as if nobody else had them.
  var memory: Int {
    switch self {
    case .none: 0
    case .push(let request): DeviceMemory.content + request.storage.count
    case .local(let value): DeviceMemory.content + value.memory
    }
  }
}

extension JSONValue {
  fileprivate var memory: Int {
    switch self {
    case .null, .bool, .integer, .double: DeviceMemory.value
    case .string(let text): DeviceMemory.value + text.utf8.count
    case .array(let elements): elements.reduce(DeviceMemory.value) { $0 + $1.memory }
    case .object(let members):
      members.reduce(DeviceMemory.value) { $0 + $1.value.memory + $1.key.utf8.count }
    }
  }
}
