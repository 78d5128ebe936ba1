/// The last calls that ended: a ring that forgets the oldest.
package struct CallLog: Sendable {
  private let capacity: Int
  private var ends: [CallEnd] = []
  private var first = 0
  /// Calls that have ended so far; each has its place, from 1.
  package private(set) var total: UInt64 = 0

  /// - Precondition: `capacity` is positive.
  init(capacity: Int) {
    precondition(capacity > 0, "a log keeps something")
    self.capacity = capacity
  }

  mutating func note(_ end: CallEnd) {
    total += 1
    if ends.count < capacity {
      ends.append(end)
    } else {
      ends[first] = end
      first = first + 1 == capacity ? 0 : first + 1
    }
  }

  /// Place of the oldest that is kept.
  package var oldest: UInt64 { total - UInt64(ends.count) + 1 }

  /// Those before a place, the newest first.
  package func newest(before place: UInt64) -> some Sequence<(place: UInt64, end: CallEnd)> {
    let start = place > total ? 0 : Int(total - place) + 1
    return (min(start, ends.count)..<ends.count).lazy.map { age in
      (total - UInt64(age), ends[(first + ends.count - 1 - age) % ends.count])
    }
  }
}
