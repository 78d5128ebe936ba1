import Testing

@testable import ClientCommands

@Suite("Texts in a terminal")
struct TerminalTextTests {
  @Test(
    "control and invisible characters are shown as escapes, or left out",
    arguments: [
      ("plain — ümlaut", "plain — ümlaut"),
      ("a\u{1B}[31mred\u{7}", "a\\u{1b}[31mred\\u{7}"),
      ("tab\tnew\nline\r\nend\u{2028}x", "tab new line  end x"),
      ("\u{202E}olleh\u{2066}", "\\u{202e}olleh\\u{2066}"),
      ("\u{9B}31m\u{7F}", "\\u{9b}31m\\u{7f}"),
      ("zero\u{200B}width\u{FEFF}", "zero\\u{200b}width\\u{feff}"),
      ("tag\u{E0041}", "tag\\u{e0041}"), ("private\u{E000}", "private\\u{e000}"),
      ("e\u{301}\u{301}\u{301}\u{301}\u{301}", "e\u{301}\u{301}\u{301}"),
      ("👩‍👩‍👧 👍🏽 ❤️ 🇮🇳", "👩👩👧 👍 ❤ IN"), ("שלום", "שלום"),
    ])
  func clean(_ text: String, _ cleaned: String) {
    #expect(TerminalText.clean(text) == cleaned)
  }

  @Test("lines of a text are clean, and remain lines")
  func lines() {
    #expect(TerminalText.lines("a\u{1B}[31m\n\n  b\r\nc") == "a\\u{1b}[31m\n\n  b\nc")
  }

  /// As `wcwidth` of Python's package wcwidth counts.
  @Test(
    "a text has as many columns as a terminal uses for it",
    arguments: [
      ("abc", 3), ("ümlaut", 6), ("u\u{308}", 1), ("日本", 4), ("한국", 4), ("각", 2), ("ｗ", 2), ("🏏", 2), ("★", 1),
      ("│╭━", 3), ("שלום", 4), ("a\u{3000}b", 4), ("⚽", 2), ("☀", 1), ("𠀀", 2), ("नि", 2),
    ])
  func width(_ text: String, _ columns: Int) {
    #expect(TerminalText.width(TerminalText.clean(text)) == columns)
  }

  @Test("a text that does not fit ends with an ellipsis, and never has more columns than there are")
  func cut() {
    #expect(TerminalText.cut("abcdef", to: 6) == "abcdef")
    #expect(TerminalText.cut("abcdefg", to: 6) == "abcde…")
    #expect(TerminalText.cut("日本語日本語", to: 6) == "日本…")
    let marked = String(repeating: "e\u{301}", count: 9)
    #expect(TerminalText.cut(marked, to: 4) == "e\u{301}e\u{301}e\u{301}…")
  }

  @Test("a text is wrapped at spaces, and a long word is split")
  func wrap() {
    #expect(TerminalText.wrapped("one two three", to: 7) == ["one two", "three"])
    #expect(TerminalText.wrapped("abcdefghij kl", to: 4) == ["abcd", "efgh", "ij", "kl"])
    #expect(TerminalText.wrapped("a\n\nb\r\nc", to: 4) == ["a", "b", "c"])
    #expect(TerminalText.wrapped("日本語日本語", to: 5) == ["日本", "語日", "本語"])
    #expect(TerminalText.wrapped("", to: 5).isEmpty && TerminalText.wrapped(" \n ", to: 5).isEmpty)
  }

  @Test(
    "a text that needs too many lines is cut, however it is written",
    arguments: [
      String(repeating: "x", count: 10_000), String(repeating: "x ", count: 5_000),
      String(repeating: "x\n", count: 5_000), String(repeating: "語", count: 10_000),
      "a" + String(repeating: "\u{301}", count: 10_000) + String(repeating: "\u{1B}", count: 100),
    ])
  func long(_ text: String) {
    let lines = TerminalText.wrapped(text, to: 20, most: 3)
    #expect(lines.count == 3 && lines.last?.hasSuffix("…") == true)
    #expect(lines.allSatisfy { TerminalText.width($0) <= 20 })
  }

  @Test("colors are written only if they are wanted")
  func colours() {
    let line = StyledLine("a", .bold) + " b " + StyledLine("c", .dim)
    #expect(line.text(inColour: false) == "a b c" && line.width == 5)
    #expect(line.text(inColour: true) == "\u{1B}[1ma\u{1B}[0m b \u{1B}[2mc\u{1B}[0m")
  }
}
