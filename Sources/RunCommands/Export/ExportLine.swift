import WireFormats

/// A row as a line of text.
package enum ExportLine {
  /// A JSON object with the table's name and a member for each column.
  package static func json(_ cells: [JSONValue], of table: ExportTable) -> String {
    var members: [JSONValue.Member] = [.init("table", .string(table.rawValue))]
    for (column, cell) in zip(table.columns, cells) { members.append(.init(column.name, cell)) }
    return JSONValue.object(members).text
  }
}
