import Devices
import Simulation

/// A page of a device's log, never longer than its limit.
struct LogPage {
  let lines: [LogLine]
  let next: LogCursor?

  init(_ station: Station, _ device: DeviceID, _ process: LogProcess?, from cursor: LogCursor?, limit: Int) {
    // The newest by its number, so that lines which come between two pages shift neither.
    let start =
      cursor?.place
      ?? Station.LogCursor(push: station.chronicle.ledger.total + 1, line: station.chronicle.journal.total + 1)
    let skip = cursor?.skip ?? 0
    // The station gives the lines of a push together, and so may give more than it was asked for.
    let given = station.log(of: device, process: process, before: start, limit: skip > 0 ? skip + 1 : limit)
    let rest = given.lines.dropFirst(skip)
    lines = Array(rest.prefix(limit))
    if rest.count > limit {
      next = LogCursor(start, skip: skip + limit)
    } else {
      next = given.next.map { LogCursor($0, skip: 0) }
    }
  }
}
