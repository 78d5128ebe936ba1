import ArgumentParser
import ClientCommands

/// A command with a flag for each filter of a list of the admin API; the flags follow from the list's route.
protocol FilteringCommand: ParsableCommand, FlagSource {
  /// The name of the list: `pushes` for `GET /v1/pushes`.
  static var list: String { get }
}

extension FilteringCommand {
  static var flags: [DerivedFlag] { RequestFlag.filters(of: "/v1/\(list)").map { DerivedFlag($0) } }
}

/// A command that shows a list of the admin API as a table.
protocol ListCommand: FilteringCommand {
  /// The headings of the columns.
  static var heading: [String] { get }
  /// The sentence for an empty list.
  static var nothing: String { get }
  static func cells(of row: ListRow) -> [String]

  var filters: DerivedFlags<Self> { get }
  var page: PageOptions { get }
}

extension ListCommand {
  func run() throws { try show(filters.given) }

  func show(_ filters: [(key: String, value: String)]) throws {
    try page.show(Self.list, filters: filters, of: Self.flags, nothing: Self.nothing) { page, columns in
      let rows = ListRow.rows(of: page, Self.list).map(Self.cells)
      return Table(rows.isEmpty ? [] : [Self.heading] + rows).lines(columns: columns)
    }
  }
}
