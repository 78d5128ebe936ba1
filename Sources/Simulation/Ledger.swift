import APNs
import Devices
import WireFormats

/// The last pushes, whole: a ring that forgets the oldest.
package struct Ledger: Sendable {
  package let capacity: Int
  private var records: [PushRecord] = []
  /// Place of the oldest record once the ring is full.
  private var oldest = 0
  /// Pushes ever noted, forgotten ones included.
  package private(set) var total: UInt64 = 0

  /// Most pushes a ledger may be told to keep; with bodies of 4 KB these are some gigabytes.
  package static let mostPushes = 1_000_000

  /// - Precondition: `capacity` is positive.
  package init(capacity: Int) {
    precondition(capacity > 0, "a ledger keeps something")
    self.capacity = capacity
  }

  package var count: Int { records.count }

  package mutating func note(_ record: consuming PushRecord) {
    total += 1
    if records.count < capacity {
      records.append(record)
    } else {
      records[oldest] = record
      oldest = oldest + 1 == capacity ? 0 : oldest + 1
    }
  }

  /// A push has met another fate; nothing where it is not kept.
  ///
  /// - Returns: where its token led.
  @discardableResult
  package mutating func step(_ number: UInt64, _ step: FateStep) -> Address? {
    guard let index = index(of: number) else { return nil }
    records[index].later.append(step)
    return records[index].address
  }

  /// Something else has been sent in answer to a push.
  ///
  /// - Returns: the push as it was before; nil where it is not kept, and where nothing more could be sent.
  @discardableResult
  mutating func sent(_ number: UInt64, _ step: SentStep) -> PushRecord? {
    guard let index = index(of: number), records[index].sent.isOpen else { return nil }
    defer { records[index].note(step) }
    return records[index]
  }

  /// The pushes on streams of a connection, looked for from the newest on. Only the streams of lately are asked for, so
  /// the search ends when older ones of the connection have come by, or many of others.
  func pushes(on connection: ConnectionID, _ streams: Set<Int32>) -> [PushRecord] {
    var found: [PushRecord] = []
    guard let lowest = streams.min() else { return [] }
    var (older, looked) = (0, 0)
    scan(from: nil) { record in
      looked += 1
      if record.stream.connection == connection {
        if streams.contains(record.stream.number) { found.append(record) }
        // Requests may end in another order than they began in.
        if record.stream.number < lowest { older += 1 }
      }
      return found.count < streams.count && older < Self.mostOlder && looked < Self.mostLooked
    }
    return found
  }

  private static let mostOlder = 1000
  private static let mostLooked = 10_000

  /// The push of that number, if it is kept.
  package func push(number: UInt64) -> PushRecord? { index(of: number).map { records[$0] } }

  private func index(of number: UInt64) -> Int? {
    guard let newest = record(aged: 0)?.sequence, number <= newest else { return nil }
    // In the ledger of all pushes the numbers follow one another.
    if let age = Int(exactly: newest - number), let found = record(aged: age), found.sequence == number {
      return place(aged: age)
    }
    // In the ledger of a session there are gaps.
    var (low, high) = (0, records.count)
    while low < high {
      let middle = (low + high) / 2
      if records[place(aged: middle)].sequence > number { low = middle + 1 } else { high = middle }
    }
    return record(aged: low)?.sequence == number ? place(aged: low) : nil
  }

  /// Where the record lies that came so many before the newest.
  private func place(aged age: Int) -> Int { (oldest + records.count - 1 - age) % records.count }

  private func record(aged age: Int) -> PushRecord? { age < records.count ? records[place(aged: age)] : nil }

  /// Accepted pushes to a device before the one numbered `cursor`, the newest first.
  func pushes(to device: DeviceID, before cursor: UInt64, limit: Int) -> [PushRecord] {
    var found: [PushRecord] = []
    scan(from: cursor == .max ? nil : cursor) { record in
      if record.address?.device == device, record.answer.refusal == nil { found.append(record) }
      return found.count < limit
    }
    return found
  }

  /// The newest push of that id, whatever the case of its letters.
  package func push(_ id: NotificationID) -> PushRecord? {
    var found: PushRecord?
    scan(from: nil) { record in
      if record.answer.id.isSame(as: id) { found = record }
      return found == nil
    }
    return found
  }

  /// What a list of pushes may be narrowed to.
  package struct Filter: Sendable {
    package var id: NotificationID?
    /// What was decided.
    package var status: Int?
    package var sent: SentFilter?
    package var reason: RejectionReason?
    package var topic: String?
    /// As it stands in the path.
    package var token: String?
    package var device: DeviceID?
    package var environment: Environment?

    package init() {}

    func covers(_ record: PushRecord) -> Bool {
      (id.map { record.answer.id.isSame(as: $0) } ?? true)
        && (status.map { record.answer.status == $0 } ?? true)
        && (sent.map { $0.covers(record.sent) } ?? true)
        && (reason.map { record.answer.refusal?.reason == $0 } ?? true)
        && (device.map { record.address?.device == $0 } ?? true)
        && (environment.map { record.environment == $0 } ?? true)
        && (token.map { Self.path(of: record.request, leadsTo: $0) } ?? true)
        && (topic.map { record.request.fields["apns-topic"] == $0 } ?? true)
    }

    /// Whatever the case of the letters: a token is a number in hexadecimal digits.
    private static func path(of request: HTTPRequest, leadsTo token: String) -> Bool {
      guard let path = request.fields[":path"]?.utf8, path.starts(with: "/3/device/".utf8) else { return false }
      return path.dropFirst(10).elementsEqual(token.utf8) { $0 | 0x20 == $1 | 0x20 }
    }
  }

  /// Pushes before the one numbered `cursor`, newest first, and where to go on.
  package func list(_ filter: Filter, before cursor: UInt64?, limit: Int) -> (pushes: [PushRecord], next: UInt64?) {
    var found: [PushRecord] = []
    var next: UInt64?
    scan(from: cursor) { record in
      guard filter.covers(record) else { return true }
      guard found.count < limit else {
        next = found.last?.sequence
        return false
      }
      found.append(record)
      return true
    }
    return (found, next)
  }

  /// Shows records from newest to oldest while `look` wants more.
  private func scan(from cursor: UInt64?, _ look: (PushRecord) -> Bool) {
    for age in 0..<records.count {
      let index = (oldest + records.count - 1 - age) % records.count
      if let cursor, records[index].sequence >= cursor { continue }
      guard look(records[index]) else { return }
    }
  }
}
