/// A bounded table of the keys that were written last, in two generations: when the newer one is full, the older one is
/// forgotten. A key that is written again belongs to the newer one.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private var newer: [Key: Value] = [:]
  private var older: [Key: Value] = [:]
  /// Number of keys per generation: so many are remembered for certain.
  private let most: Int
  /// Number of keys forgotten so far.
  private(set) var forgotten: UInt64 = 0

  init(most: Int) { self.most = max(1, most) }

  var isEmpty: Bool { newer.isEmpty && older.isEmpty }
  var count: Int { newer.count + older.count }

  subscript(key: Key) -> Value? {
    get { newer[key] ?? older[key] }
    set {
      guard let newValue else {
        removeValue(forKey: key)
        return
      }
      if !older.isEmpty { older[key] = nil }
      if newer.count >= most, newer[key] == nil {
        forgotten += UInt64(older.count)
        older = newer
        newer = [:]
      }
      newer[key] = newValue
    }
  }

  @discardableResult
  mutating func removeValue(forKey key: Key) -> Value? {
    if let value = newer.removeValue(forKey: key) { return value }
    return older.isEmpty ? nil : older.removeValue(forKey: key)
  }
}
