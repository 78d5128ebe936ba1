import WireFormats

/// A value in YAML's flow style, as people write it on one line.
enum FlowText {
  static func write(_ value: JSONValue) -> String {
    switch value {
    case .object(let members):
      "{" + members.map { "\(plain($0.key)): \(write($0.value))" }.joined(separator: ", ") + "}"
    case .array(let elements): "[" + elements.map(write).joined(separator: ", ") + "]"
    case .string(let text): plain(text)
    default: value.text
    }
  }

  /// Without quotes if it can be read back as the same text.
  private static func plain(_ text: String) -> String {
    let isPlain =
      text.first.map { $0.isASCII && $0.isLetter } ?? false
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
      && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
    return isPlain ? text : JSONValue.string(text).text
  }
}
