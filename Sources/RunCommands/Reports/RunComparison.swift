import ClientCommands
import Grammar
import WireFormats

/// Two runs of one kind side by side, and which numbers got worse.
package struct RunComparison: Sendable {
  private struct Row: Sendable {
    let figure: RunNumbers.Figure
    let before: Double?
    let after: Double?

    /// The second run's number divided by the first's; nil without one of them.
    var ratio: Double? {
      guard let before, let after, before > 0 else { return nil }
      return after / before
    }

    /// Nil for no change that counts.
    var change: Change? {
      guard let before, let after, abs(after - before) > RunComparison.noise * max(before, after) else { return nil }
      return (after > before) == (figure.unit == .rate) ? .better : .worse
    }
  }

  private enum Change: String {
    case better
    case worse
  }

  /// Assumed: two equal runs differ by less.
  fileprivate static let noise = 0.1

  private let names: [String]
  private let rows: [Row]
  /// A sentence about runs that were not asked for the same; nil if they were.
  private let note: String?

  /// - Parameters:
  ///   - files: the names and contents of two files.
  /// - Throws: `InputProblem` for what is no report, and for runs of different kinds.
  package init(
    _ first: (name: String, bytes: [UInt8]), _ second: (name: String, bytes: [UInt8])
  ) throws(InputProblem) {
    let before = try RunNumbers(first.bytes, named: first.name)
    let after = try RunNumbers(second.bytes, named: second.name)
    guard before.kind == after.kind else {
      throw InputProblem(
        "\(first.name) is the \(before.kind), and \(second.name) the \(after.kind): only runs of one kind can be"
          + " compared.")
    }
    names = [first.name, second.name]
    var rows = zip(before.figures, after.figures).map { Row(figure: $0, before: $0.value, after: $1.value) }
    for kind in Set(before.findings.keys).union(after.findings.keys).sorted() {
      rows.append(
        Row(
          figure: .init(name: "finding \(kind)", unit: .count, value: nil),
          before: Double(before.findings[kind] ?? 0), after: Double(after.findings[kind] ?? 0)))
    }
    self.rows = rows.filter { $0.before != nil || $0.after != nil }
    note = Self.note(before.asked, after.asked)
  }

  private static func note(_ before: JSONValue, _ after: JSONValue) -> String? {
    let differences = (before.members ?? []).filter { after[$0.key] != $0.value }.map { member in
      func words(_ value: JSONValue) -> String { value == .null ? "none" : value.string ?? value.text }
      return "\(member.key) (\(words(member.value)) and \(words(after[member.key] ?? .null)))"
    }
    return differences.isEmpty ? nil : "The runs were started with different \(Wording.list(differences))."
  }

  // MARK: For people

  package var text: String {
    let head = [["", "A", "B", "B / A", ""]]
    let table =
      head
      + rows.map { row in
        [
          TerminalText.clean(row.figure.name), Self.words(row.before, row.figure.unit),
          Self.words(row.after, row.figure.unit), row.ratio.map { LoadWords.decimal($0, 2) } ?? "",
          row.change?.rawValue ?? "",
        ]
      }
    let widths = head[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
    var lines = ["A: \(TerminalText.clean(names[0]))", "B: \(TerminalText.clean(names[1]))"]
    lines += table.map { row in
      let cells = row.enumerated().map { place, cell in
        let padding = String(repeating: " ", count: widths[place] - cell.count)
        return place == 0 || place == 4 ? cell + padding : padding + cell
      }
      return "  " + cells.joined(separator: "  ").trimmed
    }
    if let note { lines.append(TerminalText.clean(note)) }
    let worse = rows.filter { $0.change == .worse }.map(\.figure.name)
    lines.append(
      worse.isEmpty
        ? "Nothing got worse by more than 10 %."
        : "Worse by more than 10 %: \(TerminalText.clean(Wording.list(worse))).")
    return lines.joined(separator: "\n")
  }

  private static func words(_ value: Double?, _ unit: RunNumbers.Unit) -> String {
    guard let value else { return "–" }
    return switch unit {
    case .rate: value < 10 ? LoadWords.decimal(value, 2) : LoadWords.grouped(Int64(min(value, 1e15).rounded()))
    case .milliseconds: LoadWords.milliseconds(UInt64(max(0, min(value, 1e12)) * 1e6))
    case .share: LoadWords.percent(value)
    case .count: LoadWords.decimal(value, 0)
    }
  }

  // MARK: For programs

  package var json: String {
    func number(_ value: Double?) -> JSONValue { value.map { .double($0) } ?? .null }
    let value: JSONValue = [
      "a": .string(names[0]), "b": .string(names[1]), "note": JSONValue(note),
      "numbers": .array(
        rows.map { row in
          [
            "name": .string(row.figure.name), "a": number(row.before), "b": number(row.after),
            "ratio": number(row.ratio), "change": JSONValue(row.change?.rawValue),
          ]
        }),
    ]
    return value.text + "\n"
  }
}

extension String {
  /// Without spaces at its end.
  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
