import APNs
import Devices
import Timeline

/// Scheduled work, in the order in which it is due.
///
/// Entries due at the same instant are ordered: first those of no device, then those of each device, by device number.
/// Entries of one device come in the order in which they were added. The order does not depend on who scheduled the
/// work first, so it is the same on one thread and on several.
///
/// In this module so that `Agenda<Schedule.Work>` is specialized; unspecialized it is five times slower.
package struct Agenda<Work: Sendable>: Sendable {
  struct Entry: Sendable {
    let due: Instant
    /// The owner in the high bits, the order of adding in the low bits.
    let rank: UInt64
    let work: Work

    func precedes(_ other: borrowing Entry) -> Bool {
      let (mine, others) = (due.nanoseconds, other.due.nanoseconds)
      return mine == others ? rank < other.rank : mine < others
    }
  }

  /// A binary heap: no entry is due before its parent.
  private(set) var heap: [Entry] = []
  private var added: UInt64 = 0

  package init() {}

  /// Reserves address space for that many entries; memory is used only as they are added. Growing by copying would hold
  /// the lock for tens of milliseconds.
  package mutating func reserve(_ count: Int) { heap.reserveCapacity(count) }

  package var count: Int { heap.count }
  package var nextDue: Instant? { heap.first?.due }

  /// Bits of the rank that count entries: a thousand per second for two years. The others are enough for
  /// `FleetPlan.mostDevices`.
  private static var orderBits: UInt64 { 36 }

  /// - Parameter device: the owner of the work; nil if it belongs to no device.
  package mutating func add(_ work: Work, of device: DeviceID? = nil, due: Instant) {
    let owner = device.map { UInt64($0.number) + 1 } ?? 0
    let order = added & (1 << Self.orderBits - 1)
    heap.append(Entry(due: due, rank: owner << Self.orderBits | order, work: work))
    added &+= 1
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

  /// Drops unwanted entries; the order of the rest does not change.
  package mutating func keep(where isWanted: (_ work: Work, _ due: Instant) -> Bool) {
    heap.removeAll { !isWanted($0.work, $0.due) }
    for place in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(from: place) }
  }

  private mutating func rise(from start: Int) {
    // A span checks once that the heap is uniquely referenced; the array checks at each change.
    var heap = heap.mutableSpan
    let entry = heap[start]
    var place = start
    while place > 0 {
      let parent = (place - 1) / 2
      guard entry.precedes(heap[parent]) else { break }
      heap[place] = heap[parent]
      place = parent
    }
    heap[place] = entry
  }

  private mutating func sink(from start: Int) {
    var heap = heap.mutableSpan
    let entry = heap[start]
    var place = start
    // The entry comes from the end of the heap and usually belongs there again: it is not compared on the way down.
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
      heap[place] = heap[child]
      place = child
    }
    while place > start {
      let parent = (place - 1) / 2
      guard entry.precedes(heap[parent]) else { break }
      heap[place] = heap[parent]
      place = parent
    }
    heap[place] = entry
  }
}
