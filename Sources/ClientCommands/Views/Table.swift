/// Rows of cells in columns, of which the last one is as long as it is.
package struct Table: Sendable {
  private let rows: [[String]]

  /// - Parameter rows: the heading and the rows; texts of users are cleaned here.
  package init(_ rows: [[String]]) { self.rows = rows.map { row in row.map { TerminalText.clean($0) } } }

  /// - Parameter columns: of the terminal; nil to cut nothing.
  package func lines(columns: Int?) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { column < $0.count ? TerminalText.width($0[column]) : 0 }.max() ?? 0
    }
    return rows.map { row in
      let filled = row.prefix((row.lastIndex { !$0.isEmpty } ?? -1) + 1)
      let cells = filled.dropLast().enumerated().map { TerminalText.padded($1, to: widths[$0]) } + filled.suffix(1)
      let line = cells.joined(separator: "  ")
      return columns.map { TerminalText.cut(line, to: $0) } ?? line
    }
  }
}
