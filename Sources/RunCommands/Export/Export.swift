import Pushpit
import Simulation
import WireFormats

/// Plays a tape, and writes what happened as tables, row by row.
package struct Export {
  private let tape: String
  private var counts: [ExportTable: Int] = [:]

  package init(_ tape: String) { self.tape = tape }

  /// - Parameters:
  ///   - begin: called once the file is known to be a tape, before the first row.
  ///   - row: receives the cells of each row, and the table that it belongs to.
  ///   - progress: receives a line about the progress, after every megabyte of tape.
  /// - Returns: how the tape ended, and that in words.
  /// - Throws: `ReplayProblem` for a file that is not a tape, or that this program cannot play.
  package mutating func write(
    begin: () throws -> Void, to row: (ExportTable, [JSONValue]) throws -> Void, progress: (String) -> Void = { _ in }
  ) throws -> (ending: Replay.Ending, report: String) {
    var (replay, rows, counts, isBegun) = (Replay(tape), ExportRows(), [ExportTable: Int](), false)
    func start() throws {
      guard !isBegun else { return }
      isBegun = true
      try begin()
    }
    func put(_ table: ExportTable, _ cells: [JSONValue]) throws {
      counts[table, default: 0] += 1
      try row(table, cells)
    }
    let found = try replay.play(
      to: { events, world, now in
        try start()
        try rows.read(events, world, at: now, to: put)
      }, progress: progress)
    // A tape that ends in its header has nothing that could replace an earlier export.
    if replay.plan != nil {
      try start()
      try rows.finish(to: put)
    }
    self.counts = counts
    return found
  }

  /// A line with the number of rows written to each table.
  package var summary: String {
    "exported: " + ExportTable.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", ")
  }
}
