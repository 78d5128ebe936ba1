/// A line of output: clean texts, each with a style.
package struct StyledLine: Hashable, Sendable, ExpressibleByStringLiteral {
  package enum Style: String, Hashable, Sendable {
    case plain = ""
    // Parameters of SGR (ECMA-48, section 8.3.117).
    case bold = "1"
    case dim = "2"
    case red = "31"
  }

  private struct Span: Hashable, Sendable {
    let text: String
    let style: Style
  }

  private var spans: [Span] = []

  package init() {}

  /// - Parameter text: a clean text, as `TerminalText` makes it.
  package init(_ text: String, _ style: Style = .plain) {
    if !text.isEmpty { spans = [Span(text: text, style: style)] }
  }

  package init(stringLiteral value: String) { self.init(value) }

  package static func + (left: StyledLine, right: StyledLine) -> StyledLine {
    var line = left
    line.spans += right.spans
    return line
  }

  package var width: Int { spans.reduce(0) { $0 + TerminalText.width($1.text) } }

  package var plain: String { spans.map(\.text).joined() }

  package func text(inColour: Bool) -> String {
    guard inColour else { return plain }
    return spans.map { $0.style == .plain ? $0.text : "\u{1B}[\($0.style.rawValue)m\($0.text)\u{1B}[0m" }.joined()
  }
}

/// A frame around lines.
package struct Box {
  /// Columns, with the frame.
  let width: Int
  /// Texts in the upper edge.
  var left = ""
  var right = ""

  init(width: Int, left: String = "", right: String = "") {
    self.width = width
    self.left = left
    self.right = right
  }

  /// Columns for a line.
  var room: Int { width - 4 }

  /// - Parameter lines: at most as wide as the room.
  func around(_ lines: [StyledLine]) -> [StyledLine] {
    let end = TerminalText.cut(TerminalText.clean(right), to: room / 2)
    let begin = TerminalText.cut(TerminalText.clean(left), to: room - 4 - TerminalText.width(end))
    let (opening, closing) = (begin.isEmpty ? "─" : " \(begin) ", end.isEmpty ? "─" : " \(end) ")
    let rest = width - 4 - TerminalText.width(opening) - TerminalText.width(closing)
    let top =
      StyledLine("╭─") + StyledLine(opening, .dim) + StyledLine(String(repeating: "─", count: max(0, rest)))
      + StyledLine(closing, .dim) + "─╮"
    let bottom = StyledLine("╰" + String(repeating: "─", count: width - 2) + "╯")
    return [top] + lines.map { "│ " + $0 + StyledLine(String(repeating: " ", count: max(0, room - $0.width))) + " │" }
      + [
        bottom
      ]
  }
}
