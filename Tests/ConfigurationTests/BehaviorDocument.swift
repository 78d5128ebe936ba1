import Foundation

/// The pages of docs/behavior, and what the rest of the repository says of them.
enum BehaviorDocument {
  static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../").standardizedFileURL

  /// The anchors of each page, by its name: headings as GitHub makes them, and `<a id="…">`.
  static let anchors: [String: Set<String>] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let pages = names.filter { $0.hasSuffix(".md") }
    return Dictionary(uniqueKeysWithValues: pages.map { ($0, Set(anchors(of: text("docs/behavior/" + $0)))) })
  }()

  private static var folder: URL { root.appendingPathComponent("docs/behavior") }

  static func text(_ path: String) -> String {
    (try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)) ?? ""
  }

  private static func anchors(of text: String) -> [String] {
    let headings = text.matches(of: /(?m)^#+ (.+)$/).map { match in
      match.1.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.replacing(" ", with: "-")
    }
    return headings + text.matches(of: /<a id="([^"]+)">/).map { String($0.1) }
  }

  /// Every file below some folders that is written by people, with its path from the root of the repository.
  static func files(_ folders: String..., endings: [String] = ["swift", "py", "yaml", "md"]) -> [(
    path: String, text: String
  )] {
    folders.flatMap { folder -> [(path: String, text: String)] in
      let below = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
      let paths = below?.compactMap { $0 as? String } ?? []
      return paths.sorted().filter { path in endings.contains { path.hasSuffix("." + $0) } }.map { path in
        ("\(folder)/\(path)", text("\(folder)/\(path)"))
      }
    }
  }

  /// The text of each section up to the next heading, by its name, such as `tokens.md#eight-hours`.
  static let sections: [String: String] = {
    var found: [String: String] = [:]
    for page in anchors.keys {
      let lines = text("docs/behavior/\(page)").split(separator: "\n", omittingEmptySubsequences: false)
      for start in lines.indices where lines[start].hasPrefix("#") {
        let rest = lines[(start + 1)...].prefix { !$0.hasPrefix("#") }.filter {
          !$0.hasPrefix("[") || !$0.contains("]: ")
        }
        for anchor in anchors(of: String(lines[start])) { found["\(page)#\(anchor)"] = rest.joined(separator: "\n") }
      }
    }
    return found
  }()

  /// The marks of a section, in order: `documented`, `observed`, `disputed`, `assumed`.
  static func marks(of section: String) -> [String] {
    section.matches(of: /(?m)^- (Documented|Observed|Disputed|Assumed):/).map { $0.1.lowercased() }
  }

  /// True if `page.md` exists, and contains `section` where one is named.
  static func has(_ page: String, _ section: String?) -> Bool {
    guard let known = anchors[page] else { return false }
    return section.map(known.contains) ?? true
  }

  /// The numbers of the statements that a text names: `S` and up to three digits, as a word. Found byte by byte, because a
  /// regular expression takes seconds for all sources.
  static func statements(in text: String) -> [Int] {
    let bytes = Array(text.utf8)
    var found: [Int] = []
    for place in bytes.indices where bytes[place] == UInt8(ascii: "S") && (place == 0 || !isOfWord(bytes[place - 1])) {
      let digits = bytes[(place + 1)...].prefix(4).prefix { isDigit($0) }
      guard (1...3).contains(digits.count), digits.endIndex == bytes.count || !isOfWord(bytes[digits.endIndex]) else {
        continue
      }
      found.append(digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) })
    }
    return found
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Letters, digits and the underscore, and every byte of a character beyond ASCII.
  private static func isOfWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
