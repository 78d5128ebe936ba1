import APNs
import Devices
import Simulation

/// A page of a device's log, never longer than its limit.
struct LogPage: Sendable {
  private let start: Station.LogCursor
  private let skip: Int
  private let limit: Int
  private var search: Station.LogSearch

  init(_ station: Station, _ device: DeviceID, _ process: LogProcess?, from cursor: LogCursor?, limit: Int) {
    // The newest by its number, so that lines which come between two pages shift neither.
    start =
      cursor?.place
      ?? Station.LogCursor(
        push: station.readers.chronicle.ledger.total + 1, line: station.readers.chronicle.journal.total + 1)
    skip = cursor?.skip ?? 0
    self.limit = limit
    // The station gives the lines of a push together, and so may give more than it was asked for.
    search = Station.LogSearch(of: device, process: process, before: start, limit: skip > 0 ? skip + 1 : limit)
  }

  /// Goes on with the search, by one portion.
  mutating func look(in station: Station) { station.look(&search, most: Portion.records) }

  var isDone: Bool { search.isDone }

  var lines: [LogLine] { Array(search.lines.dropFirst(skip).prefix(limit)) }

  var next: LogCursor? {
    search.lines.count - skip > limit
      ? LogCursor(start, skip: skip + limit) : search.next.map { LogCursor($0, skip: 0) }
  }
}
