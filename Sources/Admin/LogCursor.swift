import Simulation

/// Where a device's log goes on: before a push and a line of the journal, and how many lines from there were given.
struct LogCursor: Hashable {
  let push: UInt64
  let line: UInt64
  /// One push may be more lines than a page has room for.
  let skip: Int

  /// Most lines that a page can have left behind it at one place.
  private static let mostSkipped = 10_000

  init(_ place: Station.LogCursor, skip: Int) {
    push = place.push
    line = place.line
    self.skip = skip
  }

  /// Nil without a cursor in the query: the log from its newest line on.
  init?(_ query: Query) throws(AdminProblem) {
    guard let parts = try query.cursor(parts: 3) else { return nil }
    guard parts[2] <= Self.mostSkipped else {
      throw query.problem("cursor", "what `next` of the page before said, as it was")
    }
    push = UInt64(parts[0])
    line = UInt64(parts[1])
    skip = parts[2]
  }

  var place: Station.LogCursor { Station.LogCursor(push: push, line: line) }
  var text: String { "\(push).\(line).\(skip)" }
}
