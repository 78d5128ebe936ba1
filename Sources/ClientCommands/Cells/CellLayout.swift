import APNs

/// The addresses of the cells of a fleet, by their numbers.
package struct CellLayout: Sendable {
  package let count: Int
  /// Name or address of each cell's machine; `{cell}` is its number.
  let host: String
  private let port: Int
  /// The difference between the ports of two neighboring cells.
  private let step: Int

  package static let place = "{cell}"
  private static let usualStep = 10

  /// - Parameter step: nil for 10 if all cells are on one host, and 0 otherwise.
  /// - Throws: a sentence about what is wrong.
  package init(_ count: Int, host: String, port: Int, step: Int?) throws(CellProblem) {
    guard Cell.counts.contains(count) else {
      throw CellProblem("--of must be a number of cells from 2 to \(Cell.counts.upperBound), not \(count).")
    }
    self.count = count
    self.host = host
    self.port = port
    self.step = step ?? (host.contains(Self.place) ? 0 : Self.usualStep)
    guard (1...65_535).contains(port), (0...1000).contains(self.step) else {
      throw CellProblem("--port must be from 1 to 65535, and --step from 0 to 1000.")
    }
    guard self.step > 0 || host.contains(Self.place) else {
      throw CellProblem("--step 0 gives all cells the same address; use \(Self.place) in --host, or another step.")
    }
    let last = port + self.step * (count - 1)
    guard last <= 65_535 else {
      throw CellProblem(
        "the port of cell \(count - 1) would be \(last), but ports end at 65535; use a lower --port or --step.")
    }
  }

  package func host(of cell: Int) -> String { host.replacing(Self.place, with: "\(cell)") }

  package func port(of cell: Int) -> Int { port + step * cell }

  /// The URLs of the cells' admin APIs, if the ports are theirs.
  package var admins: [String] { (0..<count).map { "http://\(host(of: $0)):\(port(of: $0))" } }

  /// Variables for senders that support several servers: the number of cells, and the URL of each.
  package var variables: String {
    let urls = (0..<count).map { "APNS_CELL_\($0)=https://\(host(of: $0)):\(port(of: $0))\n" }
    return "APNS_CELLS=\(count)\n" + urls.joined()
  }
}

/// The reason why cells cannot be laid out in this way, as a sentence.
package struct CellProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  init(_ sentence: String) { description = sentence }
}
