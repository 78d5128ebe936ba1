import WireFormats

/// Writes JSON as YAML that people read: one line for what fits, otherwise one for each member.
struct YAMLText {
  private static let longestLine = 120

  private(set) var text = ""

  init(_ value: JSONValue) { write(value, 0) }

  private mutating func write(_ value: JSONValue, _ depth: Int) {
    let margin = String(repeating: " ", count: depth)
    switch value {
    case .object(let members) where !members.isEmpty:
      for member in members {
        let head = margin + Self.word(member.key, inLine: false) + ":"
        text += head
        writeMember(member.value, depth, behind: head.utf8.count)
      }
    case .array(let elements) where !elements.isEmpty:
      for element in elements {
        guard let line = Self.line(element, room: Self.longestLine - depth - 2) else {
          // The first member stands beside the dash.
          let start = text.endIndex
          write(element, depth + 2)
          let dash = text.index(start, offsetBy: depth)
          text.replaceSubrange(dash..<text.index(after: dash), with: "-")
          continue
        }
        text += margin + "- " + line + "\n"
      }
    default: text += margin + (Self.line(value, room: .max) ?? "") + "\n"
    }
  }

  /// - Parameter used: bytes of the key in its line.
  private mutating func writeMember(_ value: JSONValue, _ depth: Int, behind used: Int) {
    if let string = value.string {
      guard string.contains("\n") else {
        text += " \(Self.word(string, inLine: false))\n"
        return
      }
      text += string.hasSuffix("\n") ? " |\n" : " |-\n"
      let margin = String(repeating: " ", count: depth + 2)
      var lines = string.split(separator: "\n", omittingEmptySubsequences: false)
      if lines.last?.isEmpty ?? false { lines.removeLast() }
      for line in lines { text += line.isEmpty ? "\n" : "\(margin)\(line)\n" }
      return
    }
    if let line = Self.line(value, room: Self.longestLine - used - 1) {
      text += " \(line)\n"
    } else {
      text += "\n"
      write(value, depth + 2)
    }
  }

  /// The value in one line; nil if it is too long or has a line break.
  private static func line(_ value: JSONValue, room: Int) -> String? {
    let line: String
    switch value {
    case .null, .bool, .integer, .double: line = value.text
    case .string(let string):
      guard !string.contains("\n") else { return nil }
      line = word(string, inLine: true)
    case .array(let elements):
      var parts: [String] = []
      for element in elements {
        guard let part = Self.line(element, room: room) else { return nil }
        parts.append(part)
      }
      line = "[\(parts.joined(separator: ", "))]"
    case .object(let members):
      var parts: [String] = []
      for member in members {
        guard let part = Self.line(member.value, room: room) else { return nil }
        parts.append("\(word(member.key, inLine: true)): \(part)")
      }
      line = parts.isEmpty ? "{}" : "{ \(parts.joined(separator: ", ")) }"
    }
    return line.utf8.count <= room ? line : nil
  }

  /// A text without quotes, if nothing in it could mean something else.
  private static func word(_ text: String, inLine: Bool) -> String {
    let needsNoQuotes =
      text.utf8.first.map(isOfStart) ?? false && text.utf8.last != UInt8(ascii: " ")
      && text.utf8.allSatisfy { isPlain($0, inLine: inLine) }
      && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
    return needsNoQuotes ? text : JSONValue.string(text).text
  }

  private static func isOfStart(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "$")
  }

  private static func isPlain(_ byte: UInt8, inLine: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: ":"), UInt8(ascii: "#"), UInt8(ascii: "\\"), 0..<0x20: false
    case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"): !inLine
    default: true
    }
  }
}
