/// A limited number of values by key: when there are too many, the half with the lowest rank is dropped.
///
/// A count kept in it is therefore a lower bound once anything was dropped.
package struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let most: Int
  private let rank: @Sendable (Value) -> UInt64
  private var values: [Key: Value] = [:]
  /// Number of keys dropped so far.
  package private(set) var dropped: UInt64 = 0

  /// - Parameter most: number of keys from which on half of them are dropped.
  package init(most: Int, rank: @escaping @Sendable (Value) -> UInt64) {
    self.most = max(2, most)
    self.rank = rank
  }

  package var isEmpty: Bool { values.isEmpty }
  package var count: Int { values.count }

  package subscript(key: Key) -> Value? { values[key] }

  /// Changes a value in place.
  ///
  /// - Returns: the values that had to make room.
  @discardableResult
  package mutating func update(
    _ key: Key, default value: @autoclosure () -> Value, _ change: (inout Value) -> Void
  ) -> [Value] {
    change(&values[key, default: value()])
    guard values.count > most else { return [] }
    let ranks = values.mapValues(rank)
    let middle = ranks.values.sorted()[values.count / 2]
    var kept: [Key: Value] = [:]
    kept.reserveCapacity(most)
    var gone: [Value] = []
    for (other, found) in values {
      if other == key || ranks[other, default: 0] > middle { kept[other] = found } else { gone.append(found) }
    }
    values = kept
    dropped += UInt64(gone.count)
    return gone
  }

  @discardableResult
  package mutating func remove(_ key: Key) -> Value? { values.removeValue(forKey: key) }

  package var all: [(key: Key, value: Value)] { values.map { ($0.key, $0.value) } }
}
