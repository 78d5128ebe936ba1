/// A line of an alert: a text from the push, or a key of the app's strings.
package enum LocalizedText: Hashable, Sendable {
  case literal(String)
  case key(String, arguments: [String])

  /// Maximum length of a line in UTF-8 bytes: the size of a payload, however often a format repeats an argument.
  package static let longest = 4096

  /// Documented: `loc-key` is looked up in the app's strings for the device's language. Assumed: an unknown key is
  /// shown as the text itself and formatted, as `NSLocalizedString` does.
  package func rendered(_ strings: StringTable, in language: String) -> String {
    var output = BoundedText(bytes: Self.longest)
    switch self {
    case .literal(let text):
      // Fast path for nearly every line: no copy.
      if text.utf8.count <= Self.longest { return text }
      output.append(text)
    case .key(let key, let arguments): Self.format(strings.text(key, in: language) ?? key, arguments, into: &output)
    }
    return output.text
  }

  /// Documented: `%@` takes the next argument, `%1$@` the argument with that number. Assumed: a missing argument is an
  /// empty text, `%%` is a percent sign, and any other directive is shown as written.
  private static func format(_ text: String, _ arguments: [String], into output: inout BoundedText) {
    var rest = text[...]
    var turn = 0
    while !output.isFull {
      // In UTF-8, the percent sign is always a single byte.
      let percent = rest.utf8.firstIndex(of: UInt8(ascii: "%"))
      output.append(rest[..<(percent ?? rest.endIndex)])
      guard let percent, !output.isFull else { return }
      rest = rest[rest.utf8.index(after: percent)...]
      switch directive(&rest) {
      case .percent, nil: output.append("%")
      case .next:
        if arguments.indices.contains(turn) { output.append(arguments[turn]) }
        turn += 1
      case .numbered(let number):
        if arguments.indices.contains(number - 1) { output.append(arguments[number - 1]) }
      }
    }
  }

  private enum Directive {
    case percent
    case next
    case numbered(Int)
  }

  /// Reads a directive after a percent sign; consumes nothing if it is not one.
  private static func directive(_ rest: inout Substring) -> Directive? {
    var ahead = rest.unicodeScalars
    switch ahead.popFirst() {
    case "%":
      rest = Substring(ahead)
      return .percent
    case "@":
      rest = Substring(ahead)
      return .next
    default: break
    }
    // Four digits are enough: a payload has no room for so many arguments.
    let digits = rest.unicodeScalars.prefix(4).prefix { ("0"..."9").contains($0) }
    ahead = rest.unicodeScalars.dropFirst(digits.count)
    guard let number = Int(String(digits)), ahead.popFirst() == "$", ahead.popFirst() == "@" else { return nil }
    rest = Substring(ahead)
    return .numbered(number)
  }
}
