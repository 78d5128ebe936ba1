import Pushpit
import Simulation
import WireFormats

/// Plays a tape, and writes what happened as tables, row by row.
package struct Export {
  package enum Form: Sendable {
    /// A line of JSON for each row, of all tables in the order of events.
    case jsonLines
    /// A file for each table, with a line of column names.
    case csv
  }

  private let tape: String
  private let form: Form
  private var counts: [ExportTable: Int] = [:]

  package init(_ tape: String, as form: Form) {
    self.tape = tape
    self.form = form
  }

  /// - Parameters:
  ///   - begin: called once the file is known to be a tape, before the first line.
  ///   - line: receives each line without its end, and the table that it belongs to.
  ///   - progress: receives a line about the progress, after every megabyte of tape.
  /// - Returns: how the tape ended, and that in words.
  /// - Throws: `ReplayProblem` for a file that is not a tape, or that this program cannot play.
  package mutating func write(
    begin: () throws -> Void, to line: (ExportTable, String) throws -> Void, progress: (String) -> Void = { _ in }
  ) throws -> (ending: Replay.Ending, report: String) {
    var (replay, rows, counts, isBegun) = (Replay(tape), ExportRows(), [ExportTable: Int](), false)
    let form = form
    func start() throws {
      guard !isBegun else { return }
      isBegun = true
      try begin()
      if form == .csv { for table in ExportTable.allCases { try line(table, ExportLine.heading(table)) } }
    }
    func put(_ table: ExportTable, _ cells: [JSONValue]) throws {
      counts[table, default: 0] += 1
      try line(table, form == .csv ? ExportLine.csv(cells) : ExportLine.json(table, cells))
    }
    let found = try replay.play(
      to: { events, world, now in
        try start()
        try rows.read(events, world, at: now, to: put)
      }, progress: progress)
    try start()
    try rows.finish(to: put)
    self.counts = counts
    return found
  }

  /// A line with the number of rows written to each table.
  package var summary: String {
    "exported: " + ExportTable.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", ")
  }
}
