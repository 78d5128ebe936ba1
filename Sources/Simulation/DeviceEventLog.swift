import APNs
import Devices
import Timeline

/// The last things that happened on the phones: a ring that forgets the oldest. Pushes are in the push log; the two are
/// read together as a device's log.
package struct DeviceEventLog: Sendable {
  package enum Entry: Hashable, Sendable {
    case happened(DeviceEvent)
    /// A push that had been held or stored has met its fate.
    case settled(push: UInt64, Fate)
    /// What the broadcast of that number has become here.
    case broadcast(UInt64, Fate)
    /// The app has called its backend.
    indirect case called(CallEnd)
  }

  package struct Line: Hashable, Sendable {
    package let device: DeviceID
    package let app: Int?
    package let entry: Entry
    package let at: Instant
    /// Number of the last push before it.
    package let after: UInt64
    /// Counts the lines of the device event log, from 1.
    package let number: UInt64
  }

  package let capacity: Int
  private var lines: [Line] = []
  private var oldest = 0
  package private(set) var total: UInt64 = 0

  /// - Precondition: `capacity` is positive.
  package init(capacity: Int) {
    precondition(capacity > 0, "a journal keeps something")
    self.capacity = capacity
  }

  /// Sets the room for all of it aside, as the push log does.
  mutating func reserve() { lines.reserveCapacity(capacity) }

  package var count: Int { lines.count }

  package mutating func append(_ entry: Entry, app: Int?, on device: DeviceID, at now: Instant, after push: UInt64) {
    total += 1
    let line = Line(device: device, app: app, entry: entry, at: now, after: push, number: total)
    if lines.count < capacity {
      lines.append(line)
    } else {
      lines[oldest] = line
      oldest = oldest + 1 == capacity ? 0 : oldest + 1
    }
  }

  /// How many lines are newer than those before the one numbered `cursor`.
  func age(before cursor: UInt64) -> Int {
    // They are numbered one after another.
    cursor > total ? 0 : Int(clamping: total - cursor + 1)
  }

  /// The line that came so many before the newest.
  func line(aged age: Int) -> Line? {
    age < lines.count ? lines[(oldest + lines.count - 1 - age) % lines.count] : nil
  }
}
