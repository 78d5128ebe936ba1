import TestSupport

/// The settings that a test, scenario or example may change, in every spelling: nested as in a settings file, with dots
/// as in `--set lives.linger=5m` or `"lives.linger"`, by flag and by environment variable.
struct SettingMentions {
  private(set) var words: Set<String> = []

  init(in text: String) {
    var open: [(indent: Int, key: String)] = []
    for line in text.split(separator: "\n") {
      let indent = line.prefix { $0 == " " || $0 == "-" }.count
      let content = line.dropFirst(indent)
      guard !content.isEmpty, !content.hasPrefix("#"), !content.hasPrefix("//") else { continue }
      // `--flag` at the beginning of a line has no indentation of dashes.
      addWords(of: line)
      while let last = open.last, last.indent >= indent { open.removeLast() }
      if let key = addNested(in: content, below: open.map(\.key)) { open.append((indent, key)) }
    }
  }

  /// Flags, variables, `key=value` and `"key"`.
  private mutating func addWords(of line: Substring) {
    func has(_ character: Character) -> Bool { character.asciiValue.map { line.utf8.contains($0) } ?? false }
    if has("-") { for match in line.matches(of: /--[a-z0-9-]+/) { words.insert(String(match.0)) } }
    if String(line).hasBytes(of: "PUSHPIT_") {
      for match in line.matches(of: /PUSHPIT_[A-Z_]+/) { words.insert(String(match.0)) }
    }
    if has("=") {
      for match in line.matches(of: /([A-Za-z][A-Za-z0-9_.]*)=/) { words.insert(String(match.1)) }
    }
    if has("\""), has(".") {
      for match in line.matches(of: /"([A-Za-z][A-Za-z0-9_.]*)"/) where match.1.contains(".") {
        words.insert(String(match.1))
      }
    }
  }

  /// Adds the path of every key in the line, and each ending of it, because a text may begin anywhere.
  ///
  /// - Returns: the key whose members are on the next lines.
  private mutating func addNested(in line: Substring, below open: [String]) -> String? {
    guard line.utf8.contains(UInt8(ascii: ":")) else { return nil }
    var inner: [String] = []
    var last: String?
    for part in SettingLine(line).parts {
      switch part {
      case .key(let key):
        let path = (open + inner + [key]).filter { !$0.isEmpty }
        for start in path.indices { words.insert(path[start...].joined(separator: ".")) }
        last = key
      case .opening:
        inner.append(last ?? "")
        last = nil
      case .comma: last = nil
      case .closing where !inner.isEmpty:
        inner.removeLast()
        last = nil
      case .closing: break
      }
    }
    guard inner.isEmpty, let last, line.wholeMatch(of: /[A-Za-z][A-Za-z0-9_.]*"?:\s*(&\w+)?\s*/) != nil else {
      return nil
    }
    return last
  }
}

/// A line of YAML or JSON, as far as its keys tell. Read byte by byte, because a regular expression takes seconds for all
/// tests.
struct SettingLine {
  enum Part: Hashable {
    /// A word before a colon that ends the line or has a space behind it.
    case key(String)
    case opening
    case closing
    case comma
  }

  private(set) var parts: [Part] = []

  init(_ line: Substring) {
    let bytes = Array(line.utf8)
    var place = 0
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): parts.append(.opening)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): parts.append(.closing)
      case UInt8(ascii: ","): parts.append(.comma)
      case let byte where Self.isLetter(byte):
        let word = bytes[place...].prefix { Self.isLetter($0) || Self.isOfKey($0) }
        place = word.endIndex
        if Self.isColon(in: bytes, at: place) { parts.append(.key(String(decoding: word, as: UTF8.self))) }
        continue
      default: break
      }
      place += 1
    }
  }

  private static func isColon(in bytes: [UInt8], at place: Int) -> Bool {
    let colon = place < bytes.count && bytes[place] == UInt8(ascii: "\"") ? place + 1 : place
    guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return false }
    return colon + 1 == bytes.count || bytes[colon + 1] == UInt8(ascii: " ")
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isOfKey(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
  }
}
