import APNs
import Devices
import WireFormats

/// The most recent pushes, complete, in a ring buffer.
package struct PushLog: Sendable {
  package let capacity: Int
  private var records: [PushRecord] = []
  /// The first later fate of each record. Most pushes have at most one, and here it needs no memory of its own.
  private var firstSteps: [FateStep?] = []
  /// Index of the oldest record once the ring is full.
  private var oldest = 0
  /// Number of pushes ever recorded, including dropped ones.
  package private(set) var total: UInt64 = 0
  /// The value of `total` when the log last began anew.
  private var begun: UInt64 = 0
  /// True if it has dropped pushes since it began.
  package var hasDropped: Bool { total - begun > UInt64(records.count) }

  /// Maximum capacity of a push log; with bodies of 4 KB this is several gigabytes.
  package static let mostPushes = 1_000_000

  /// - Precondition: `capacity` is positive.
  package init(capacity: Int) {
    precondition(capacity > 0, "the capacity is positive")
    self.capacity = capacity
  }

  /// Reserves the whole capacity: address space only, and no growth by copying while pushes wait.
  mutating func reserve() {
    records.reserveCapacity(capacity)
    firstSteps.reserveCapacity(capacity)
  }

  package var count: Int { records.count }

  package mutating func append(_ record: consuming PushRecord) {
    total += 1
    if records.count < capacity {
      records.append(record)
      firstSteps.append(nil)
    } else {
      records[oldest] = record
      firstSteps[oldest] = nil
      oldest = oldest + 1 == capacity ? 0 : oldest + 1
    }
  }

  /// Begins anew, with numbers that continue.
  mutating func removeAll() {
    begun = total
    records.removeAll(keepingCapacity: true)
    firstSteps.removeAll(keepingCapacity: true)
    oldest = 0
  }

  /// Records a new fate of a push; no effect if the push is not kept.
  ///
  /// - Returns: the address of its token.
  @discardableResult
  package mutating func step(_ number: UInt64, _ step: FateStep) -> Address? {
    guard let index = index(of: number) else { return nil }
    // A record that another log has given may have later fates already.
    if firstSteps[index] == nil, records[index].later.isEmpty {
      firstSteps[index] = step
    } else {
      records[index].settle(step)
    }
    return records[index].facts.address
  }

  /// Records another answer sent to a push.
  ///
  /// - Returns: the push as it was before; nil if it is not kept, or if nothing more could be sent.
  @discardableResult
  mutating func sent(_ number: UInt64, _ step: SentAnswerStep) -> PushRecord? {
    guard let index = index(of: number), records[index].sent.isOpen else { return nil }
    defer { records[index].update(step) }
    return record(at: index)
  }

  /// The pushes on streams of a connection, searched from the newest. Only recent streams are requested, so the search
  /// ends after some older ones of the connection or many of other connections.
  package func pushes(on connection: ProviderConnectionID, _ streams: Set<Int32>) -> [PushRecord] {
    var found: [PushRecord] = []
    guard let lowest = streams.min() else { return [] }
    var older = 0
    for age in 0..<min(records.count, Self.mostLooked) {
      guard found.count < streams.count, older < Self.mostOlder, let record = record(aged: age) else { break }
      guard record.stream.connection == connection else { continue }
      if streams.contains(record.stream.number) { found.append(record) }
      // Requests may end in a different order than they began.
      if record.stream.number < lowest { older += 1 }
    }
    return found
  }

  private static let mostOlder = 1000
  private static let mostLooked = 10_000

  /// The push with that number, if it is kept.
  package func push(number: UInt64) -> PushRecord? { index(of: number).map { record(at: $0) } }

  /// The record at an index, with all its fates.
  private func record(at index: Int) -> PushRecord {
    firstSteps[index].map { records[index].with(first: $0) } ?? records[index]
  }

  private func index(of number: UInt64) -> Int? {
    // Read in place: copying a record counts its references.
    guard !records.isEmpty else { return nil }
    let newest = records[place(aged: 0)].facts.sequence
    guard number <= newest else { return nil }
    // In the push log of all pushes, numbers are consecutive.
    if newest - number < UInt64(records.count) {
      let place = place(aged: Int(newest - number))
      if records[place].facts.sequence == number { return place }
    }
    // In the push log of a session, there are gaps.
    var (low, high) = (0, records.count)
    while low < high {
      let middle = (low + high) / 2
      if records[place(aged: middle)].facts.sequence > number { low = middle + 1 } else { high = middle }
    }
    guard low < records.count, records[place(aged: low)].facts.sequence == number else { return nil }
    return place(aged: low)
  }

  /// The index of the record that is this much older than the newest.
  ///
  /// - Precondition: there is such a record.
  private func place(aged age: Int) -> Int { (oldest + records.count - 1 - age) % records.count }

  /// The number of records from the one before `cursor` to the newest.
  package func age(before cursor: UInt64) -> Int {
    var (low, high) = (0, records.count)
    while low < high {
      let middle = (low + high) / 2
      if records[place(aged: middle)].facts.sequence >= cursor { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The record that is this much older than the newest.
  package func record(aged age: Int) -> PushRecord? {
    records.indices.contains(age) ? record(at: place(aged: age)) : nil
  }

  /// The state of a search for a page of pushes.
  package struct Search: Sendable {
    package let limit: Int
    /// Newest first.
    package private(set) var pushes: [PushRecord] = []
    /// The number before which the next page begins; nil if there is no next page.
    package private(set) var next: UInt64?
    package private(set) var isDone = false
    private var cursor: UInt64
    private let matcher: Matcher

    /// True if the search continues after the page is full, to find out whether there are more.
    private let asksForMore: Bool

    /// - Parameters:
    ///   - apps: bundle ids of the fleet.
    ///   - cursor: only pushes before the one with that number; nil for all.
    package init(
      _ filter: Filter, apps: [String] = [], before cursor: UInt64?, limit: Int, asksForMore: Bool = true
    ) {
      matcher = Matcher(filter, apps: apps)
      self.limit = limit
      self.asksForMore = asksForMore
      self.cursor = cursor ?? .max
    }

    /// Continues through a push log, which may have grown since, and checks at most `most` records.
    ///
    /// - Returns: the number of records that were checked.
    @discardableResult
    package mutating func look(in pushLog: PushLog, most: Int = .max) -> Int {
      var looked = 0
      for age in pushLog.age(before: cursor)..<pushLog.count {
        guard looked < most else { return looked }
        looked += 1
        guard let record = pushLog.record(aged: age) else { break }
        cursor = record.sequence
        guard matches(record) else { continue }
        guard pushes.count < limit else {
          next = pushes.last?.sequence
          isDone = true
          return looked
        }
        pushes.append(record)
        if !asksForMore, pushes.count == limit { break }
      }
      isDone = true
      return looked
    }

    private func matches(_ record: PushRecord) -> Bool {
      var push = LoggedPushSubject(record)
      return matcher.matches(&push)
    }
  }

  /// Pushes before the one numbered `cursor`, newest first, and where to continue.
  package func list(_ filter: Filter, before cursor: UInt64?, limit: Int) -> (pushes: [PushRecord], next: UInt64?) {
    var search = Search(filter, before: cursor, limit: limit)
    search.look(in: self)
    return (search.pushes, search.next)
  }

  /// The newest push with that id, ignoring case.
  package func push(_ id: NotificationID) -> PushRecord? {
    var filter = Filter()
    filter.id = id
    var search = Search(filter, before: nil, limit: 1, asksForMore: false)
    search.look(in: self)
    return search.pushes.first
  }
}
