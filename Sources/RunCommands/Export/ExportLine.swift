import WireFormats

/// A row as a line of text.
package enum ExportLine {
  /// A JSON object with the table's name and a member for each column.
  static func json(_ table: ExportTable, _ cells: [JSONValue]) -> String {
    var members: [JSONValue.Member] = [.init("table", .string(table.rawValue))]
    for (column, cell) in zip(table.columns, cells) { members.append(.init(column.name, cell)) }
    return JSONValue.object(members).text
  }

  static func heading(_ table: ExportTable) -> String { table.columns.map(\.name).joined(separator: ",") }

  /// RFC 4180 without the end of the line. An absent value is an empty cell; an empty text is `""`, as PostgreSQL wants
  /// it.
  static func csv(_ cells: [JSONValue]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      if index > 0 { line += "," }
      switch cell {
      case .null: break
      case .string(let text): append(text, to: &line)
      default: cell.write(to: &line)
      }
    }
    return line
  }

  private static func append(_ text: String, to line: inout String) {
    var isPlain = !text.isEmpty
    var hasNull = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"): isPlain = false
      case 0: hasNull = true
      default: break
      }
    }
    // PostgreSQL has no text with U+0000.
    let text = hasNull ? text.replacing("\0", with: "\u{FFFD}") : text
    line += isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
