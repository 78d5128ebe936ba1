import APNs
import Pushpit
import WireFormats

/// A check that running servers are all the cells of one fleet, by what their admin APIs report.
package struct CellCheck: Sendable {
  private struct Found {
    let url: String
    let cell: Cell
    /// The values that must be equal in all cells, with names for people.
    let alike: [(name: String, value: String)]
  }

  private let cells: [Found]

  /// Asks each server.
  ///
  /// - Throws: `CommandFailure` if one does not answer, `CellProblem` about the first that does not fit.
  package init(_ urls: [String]) throws {
    guard !urls.isEmpty else {
      throw CellProblem("--cells needs the URLs of the cells' admin APIs, separated by commas.")
    }
    for url in urls { try ServerAddress.check(url, named: "--cells") }
    let answers = try urls.map { url in
      let api = AdminAPI(url: url)
      return (url: api.url, ready: try api.perform(AdminAPI.Order("v1", "ready")).value)
    }
    try self.init(answers)
  }

  init(_ answers: [(url: String, ready: JSONValue)]) throws(CellProblem) {
    var cells: [Found] = []
    for answer in answers {
      let found = try Self.read(answer.url, answer.ready)
      if let first = cells.first { try Self.compare(first, found) }
      if let twin = cells.first(where: { $0.cell == found.cell }) {
        throw CellProblem(
          "\(twin.url) and \(found.url) are both \(found.cell.words); each number belongs to one server.")
      }
      cells.append(found)
    }
    if let count = cells.first?.cell.count {
      let missing = (0..<count).filter { number in !cells.contains { $0.cell.number == number } }
      guard missing.isEmpty else {
        let names = missing.map(String.init).joined(separator: ", ")
        throw CellProblem(
          "None of the URLs is that of cell \(names) of \(count); name all cells, and start those that are missing.")
      }
    }
    self.cells = cells
  }

  private static func read(_ url: String, _ ready: JSONValue) throws(CellProblem) -> Found {
    guard let fleet = ready["fleet"], let version = ready["version"]?.string else {
      throw CellProblem("\(url) does not answer like Pushpit; name the URLs of cells' admin APIs.")
    }
    guard let cell = fleet["cell"]?.string.flatMap(Cell.init) else {
      throw CellProblem("\(url) serves a whole fleet, not a cell; start it with --cell, such as --cell 0/4.")
    }
    let keys = (ready["keys"]?.elements ?? []).compactMap { $0["keyId"]?.string }
    return Found(
      url: url, cell: cell,
      alike: [
        ("number of cells", "\(cell.count)"), ("version", version), ("seed", fleet["seed"]?.text ?? ""),
        ("number of devices", fleet["devices"]?.text ?? ""), ("list of keys", keys.joined(separator: ", ")),
      ])
  }

  private static func compare(_ first: Found, _ other: Found) throws(CellProblem) {
    for (mine, theirs) in zip(first.alike, other.alike) where mine.value != theirs.value {
      throw CellProblem(
        "\(first.url) and \(other.url) are not cells of one fleet: the \(mine.name) is \(mine.value) at the first and"
          + " \(theirs.value) at the second.")
    }
  }

  /// A cell, and the URL of its admin API.
  package struct Member: Sendable {
    let cell: Cell
    let url: String
  }

  /// All cells, in their order.
  var members: [Member] {
    cells.sorted { $0.cell.number < $1.cell.number }.map { Member(cell: $0.cell, url: $0.url) }
  }

  /// A line for each cell, in their order.
  package var lines: [String] { members.map { "cell \($0.cell.text)  \($0.url)" } }
}
