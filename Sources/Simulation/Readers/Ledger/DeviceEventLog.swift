import APNs
import Devices
import Timeline

/// The most recent events on the phones, in a ring buffer. Pushes are in the push log; a device's log combines the two.
package struct DeviceEventLog: Sendable {
  package enum Entry: Hashable, Sendable {
    case happened(DeviceEvent)
    /// A push that was deferred or stored has its fate.
    case settled(push: UInt64, Fate)
    /// The fate of the broadcast of that number on this device.
    case broadcast(UInt64, Fate)
    /// An answer to a push that was sent after it was decided.
    case answered(push: UInt64, SentAnswer)
    /// The app has called its backend.
    indirect case called(CallEnd)
  }

  package struct Line: Hashable, Sendable {
    /// Nil for the answer to a push without one.
    package let device: DeviceID?
    package let app: Int?
    package let entry: Entry
    package let at: Instant
    /// Number of the last push before this line.
    package let after: UInt64
    /// The number of this line in its log, from 1.
    package let number: UInt64
  }

  package let capacity: Int
  private var lines: [Line] = []
  private var oldest = 0
  package private(set) var total: UInt64 = 0
  /// Number of the last push before the newest line that is no longer kept.
  private(set) var pushesBeforeForgotten: UInt64 = 0

  /// - Precondition: `capacity` is positive.
  package init(capacity: Int) {
    precondition(capacity > 0, "the capacity is positive")
    self.capacity = capacity
  }

  /// Reserves the whole capacity, as the push log does.
  mutating func reserve() { lines.reserveCapacity(capacity) }

  package var count: Int { lines.count }

  package mutating func append(_ entry: Entry, app: Int?, on device: DeviceID?, at now: Instant, after push: UInt64) {
    total += 1
    let line = Line(device: device, app: app, entry: entry, at: now, after: push, number: total)
    if lines.count < capacity {
      lines.append(line)
    } else {
      pushesBeforeForgotten = lines[oldest].after
      lines[oldest] = line
      oldest = oldest + 1 == capacity ? 0 : oldest + 1
    }
  }

  /// Forgets all lines, as if others had replaced them.
  mutating func removeAll() {
    if let newest = line(aged: 0) { pushesBeforeForgotten = newest.after }
    lines.removeAll(keepingCapacity: true)
    oldest = 0
  }

  /// The number of lines that are newer than the one before `cursor`.
  package func age(before cursor: UInt64) -> Int {
    // Lines are numbered consecutively.
    cursor > total ? 0 : Int(clamping: total - cursor + 1)
  }

  /// The kind of event in the line that is this many lines older than the newest, and the number of the last push
  /// before it. The line is read in place, because copying it would retain its parts.
  func kind(aged age: Int) -> (kind: ViewerFilter.Kind, after: UInt64)? {
    place(aged: age).map { (lines[$0].entry.kind, lines[$0].after) }
  }

  /// The line that is this many lines older than the newest.
  package func line(aged age: Int) -> Line? { place(aged: age).map { lines[$0] } }

  private func place(aged age: Int) -> Int? {
    lines.indices.contains(age) ? (oldest + lines.count - 1 - age) % lines.count : nil
  }
}
