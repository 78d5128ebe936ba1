import WireFormats

/// Memory charges for what a phone keeps, besides the bytes themselves. They approximate the real memory and are the
/// same on every machine, so that a run with a seed is reproducible everywhere.
enum MemoryCharge {
  static let notification = 256
  static let content = 64
  /// A value of a JSON document that an app passed.
  static let value = 64
}

extension ActivityContent {
  /// Bytes charged, as if the memory were not shared.
  var memory: Int {
    switch self {
    case .none: 0
    case .push(let request): MemoryCharge.content + request.storage.count
    case .local(let value): MemoryCharge.content + value.memory
    }
  }
}

extension ShownAlert {
  var memory: Int { MemoryCharge.content + request.storage.count }
}

extension DeferredPush {
  var memory: Int { MemoryCharge.notification + push.request.storage.count }
}

extension JSONValue {
  fileprivate var memory: Int {
    switch self {
    case .null, .bool, .integer, .double: MemoryCharge.value
    case .string(let text): MemoryCharge.value + text.utf8.count
    case .array(let elements): elements.reduce(MemoryCharge.value) { $0 + $1.memory }
    case .object(let members):
      members.reduce(MemoryCharge.value) { $0 + $1.value.memory + $1.key.utf8.count }
    }
  }
}
