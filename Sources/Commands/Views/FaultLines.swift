import WireFormats

/// Faults as a table: `pushpit fault list`.
package struct FaultLines: Sendable {
  private let faults: [JSONValue]
  /// Columns of the terminal; nil to cut nothing.
  private let columns: Int?

  /// - Parameter faults: of `GET /v1/faults`, or one fault.
  package init(_ answer: JSONValue, columns: Int?) {
    faults = answer["faults"]?.elements ?? [answer]
    self.columns = columns
  }

  package var isEmpty: Bool { faults.isEmpty }

  /// The names of the deleted faults.
  package static func deleted(_ answer: JSONValue) -> String {
    let names = answer["deleted"]?.elements?.compactMap(\.string) ?? []
    return names.isEmpty ? "no faults" : names.map { TerminalText.clean($0) }.joined(separator: ", ")
  }

  package var lines: [String] {
    let rows = [["name", "state", "seen", "struck", "limit", "what"]] + faults.map(row)
    let widths = rows[0].indices.map { column in rows.map { TerminalText.width($0[column]) }.max() ?? 0 }
    return rows.map { row in
      let cells = row.dropLast().enumerated().map { TerminalText.padded($1, to: widths[$0]) } + row.suffix(1)
      let line = cells.joined(separator: "  ")
      return columns.map { TerminalText.cut(line, to: $0) } ?? line
    }
  }

  private func row(_ fault: JSONValue) -> [String] {
    func text(_ key: String) -> String { fault[key].flatMap { $0 == .null ? nil : $0.string ?? $0.text } ?? "-" }
    let session = fault["session"]?.string.map { " (session \($0))" } ?? ""
    let parts = ["when", "odds", "then"].compactMap { key in
      fault[key].flatMap { $0 == .null ? nil : "\(key) \($0.string ?? $0.text)" }
    }
    return [
      text("name") + session, text("state"), text("seen"), text("struck"), text("limit"),
      parts.joined(separator: " "),
    ].map { TerminalText.clean($0) }
  }
}
