/// Work that falls due later, in the order it falls due.
///
/// Entries due at the same instant come out in the order they went in, so a run never depends on how the heap
/// happens to be arranged.
package struct Agenda<Work: Sendable>: Sendable {
  private struct Entry: Sendable {
    let due: Instant
    let number: UInt64
    let work: Work

    func precedes(_ other: Entry) -> Bool {
      due == other.due ? number < other.number : due < other.due
    }
  }

  /// A binary heap: no entry is due before its parent.
  private var heap: [Entry] = []
  private var added: UInt64 = 0

  package init() {}

  package var count: Int { heap.count }
  package var nextDue: Instant? { heap.first?.due }

  package mutating func add(_ work: Work, due: Instant) {
    heap.append(Entry(due: due, number: added, work: work))
    added += 1
    rise(from: heap.count - 1)
  }

  /// The earliest work due by `now`, or nil.
  package mutating func takeDue(by now: Instant) -> (due: Instant, work: Work)? {
    guard let first = heap.first, first.due <= now, let last = heap.popLast() else { return nil }
    if !heap.isEmpty {
      heap[0] = last
      sink(from: 0)
    }
    return (first.due, first.work)
  }

  private mutating func rise(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].precedes(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func sink(from start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in (2 * parent + 1)...(2 * parent + 2) where child < heap.count && heap[child].precedes(heap[least]) {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(least, parent)
      parent = least
    }
  }
}
