/// Texts of payloads, names and logs as a terminal may show them: nothing in them can move the cursor, change colors,
/// reverse the order of letters or be wider than its characters say.
package enum TerminalText {
  /// More combining marks on one letter would cover the lines above.
  private static let mostMarks = 3

  /// Returns a text as one line: white space becomes a space, other control and invisible characters become escapes
  /// such as `\u{1b}`.
  ///
  /// The parts of an emoji are drawn separately, because terminals differ in whether they join them.
  package static func clean(_ text: some StringProtocol) -> String {
    var cleaned = ""
    var marks = 0
    for scalar in text.unicodeScalars {
      if isPartOfEmoji(scalar) { continue }
      marks = isMark(scalar) ? marks + 1 : 0
      if marks > mostMarks { continue }
      append(scalar, to: &cleaned)
    }
    return cleaned
  }

  /// A clean text with the line breaks that it had.
  package static func lines(_ text: String) -> String {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { clean($0) }.joined(separator: "\n")
  }

  /// Number of columns of a clean text.
  package static func width(_ text: some StringProtocol) -> Int {
    text.unicodeScalars.reduce(0) { $0 + columns($1) }
  }

  /// A clean text, with an ellipsis in place of what does not fit.
  package static func cut(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    return head(text[...], columns - 1) + "…"
  }

  /// Lines of at most this many columns; fewer than two count as two. Line breaks of the text are kept.
  ///
  /// - Parameter most: maximum number of lines; the last one then ends with an ellipsis.
  package static func wrapped(_ text: String, to columns: Int, most: Int = .max) -> [String] {
    let columns = max(2, columns)
    var lines: [String] = []
    for paragraph in text.split(whereSeparator: \.isNewline) where lines.count <= most {
      append(clean(paragraph), to: &lines, columns: columns, most: most)
    }
    guard lines.count > most else { return lines }
    let last = lines[most - 1]
    return lines.prefix(most - 1) + [(width(last) < columns ? last : head(last[...], columns - 1)) + "…"]
  }

  /// A clean text with spaces up to a width.
  package static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(text)))
  }

  private static func append(_ paragraph: String, to lines: inout [String], columns: Int, most: Int) {
    var line = ""
    for word in paragraph.split(separator: " ") {
      if !line.isEmpty, width(line) + 1 + width(word) <= columns {
        line += " " + word
        continue
      }
      if !line.isEmpty { lines.append(line) }
      var rest = word
      while lines.count <= most, width(rest) > columns {
        let part = head(rest, columns)
        lines.append(part)
        rest = rest[rest.unicodeScalars.index(rest.startIndex, offsetBy: part.unicodeScalars.count)...]
      }
      line = String(rest)
      if lines.count > most { return }
    }
    if !line.isEmpty { lines.append(line) }
  }

  /// The beginning of a clean text that fits, and at least one character.
  private static func head(_ text: Substring, _ columns: Int) -> String {
    var taken = String.UnicodeScalarView()
    var used = 0
    for scalar in text.unicodeScalars {
      used += self.columns(scalar)
      if used > columns, !taken.isEmpty { break }
      taken.append(scalar)
    }
    return String(taken)
  }

  private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
    if scalar.properties.isWhitespace, !isWide(scalar) {
      text += " "
    } else if let letter = flagLetter(scalar) {
      text.unicodeScalars.append(letter)
    } else if isInvisible(scalar) {
      text += "\\u{\(String(scalar.value, radix: 16))}"
    } else {
      text.unicodeScalars.append(scalar)
    }
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    default: false
    }
  }

  /// Joiners, variation selectors and skin tones.
  private static func isPartOfEmoji(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200C, 0x200D, 0x180B...0x180D, 0xFE00...0xFE0F, 0x1F3FB...0x1F3FF, 0xE0100...0xE01EF: true
    default: false
    }
  }

  /// Flags are pairs of regional indicators, which terminals draw in two or in four columns.
  private static func flagLetter(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    guard (0x1F1E6...0x1F1FF).contains(scalar.value) else { return nil }
    return Unicode.Scalar(scalar.value - 0x1F1E6 + 0x41)
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    if isMark(scalar) { return 0 }
    switch scalar.value {
    // Vowels and final consonants of Hangul, which join the letter before.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
    default: return isWide(scalar) ? 2 : 1
    }
  }

  /// Unicode's property East Asian Width is W or F.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x10FF: false
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
      0xFFE0...0xFFE6, 0x16FE0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
      true
    default: scalar.properties.isEmojiPresentation
    }
  }
}
