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
    Table([["name", "state", "seen", "struck", "limit", "what"]] + faults.map(row)).lines(columns: columns)
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
    ]
  }
}
