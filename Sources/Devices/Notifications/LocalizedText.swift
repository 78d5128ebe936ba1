/// A line of an alert: what the push says, or what the app's strings say for it.
package enum LocalizedText: Hashable, Sendable {
  case literal(String)
  case key(String, arguments: [String])

  /// Longest line in UTF-8 bytes: a payload's worth, however often a format repeats an argument.
  package static let longest = 4096

  /// Documented: `loc-key` is looked up in the app's strings of the device's language. Assumed: an unknown one is shown
  /// itself, and formatted like any text, as `NSLocalizedString` would have it.
  package func rendered(_ strings: StringTable, in language: String) -> String {
    var output = BoundedText(bytes: Self.longest)
    switch self {
    case .literal(let text):
      // Nearly every line: nothing to copy.
      if text.utf8.count <= Self.longest { return text }
      output.append(text)
    case .key(let key, let arguments): Self.format(strings.text(key, in: language) ?? key, arguments, into: &output)
    }
    return output.text
  }

  /// Documented: `%@` takes the arguments in turn, `%1$@` the one of that number. Assumed: an argument that is not
  /// there leaves nothing, `%%` is a percent sign, and any other directive stands as it is written.
  private static func format(_ text: String, _ arguments: [String], into output: inout BoundedText) {
    var rest = text[...]
    var turn = 0
    while !output.isFull {
      // A percent sign is a byte of its own in UTF-8, whatever stands before and after it.
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

  /// Takes what follows a percent sign; nothing is taken when it is no directive.
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
    // A payload has no room for five digits' worth of arguments.
    let digits = rest.unicodeScalars.prefix(4).prefix { ("0"..."9").contains($0) }
    ahead = rest.unicodeScalars.dropFirst(digits.count)
    guard let number = Int(String(digits)), ahead.popFirst() == "$", ahead.popFirst() == "@" else { return nil }
    rest = Substring(ahead)
    return .numbered(number)
  }
}
