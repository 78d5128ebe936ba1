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
    if line.contains("--") { for match in line.matches(of: /--[a-z0-9-]+/) { words.insert(String(match.0)) } }
    if line.contains("PUSHPIT_") { for match in line.matches(of: /PUSHPIT_[A-Z_]+/) { words.insert(String(match.0)) } }
    if line.contains("=") {
      for match in line.matches(of: /([A-Za-z][A-Za-z0-9_.]*)=/) { words.insert(String(match.1)) }
    }
    if line.contains("\"") {
      for match in line.matches(of: /"([A-Za-z][A-Za-z0-9_.]*)"/) where match.1.contains(".") {
        words.insert(String(match.1))
      }
    }
  }

  /// Adds the path of every key in the line, and each ending of it, because a text may begin anywhere.
  ///
  /// - Returns: the key whose members are on the next lines.
  private mutating func addNested(in line: Substring, below open: [String]) -> String? {
    guard line.contains(":") else { return nil }
    var inner: [String] = []
    var last: String?
    for match in line.matches(of: /([A-Za-z][A-Za-z0-9_.]*)"?:(?=\s|$)|([{}\[\],])/) {
      if let key = match.1 {
        let path = (open + inner + [String(key)]).filter { !$0.isEmpty }
        for start in path.indices { words.insert(path[start...].joined(separator: ".")) }
        last = String(key)
      } else if match.2 == "{" || match.2 == "[" {
        inner.append(last ?? "")
        last = nil
      } else if match.2 == "," {
        last = nil
      } else if !inner.isEmpty {
        inner.removeLast()
        last = nil
      }
    }
    guard inner.isEmpty, let last, line.wholeMatch(of: /[A-Za-z][A-Za-z0-9_.]*"?:\s*(&\w+)?\s*/) != nil else {
      return nil
    }
    return last
  }
}
