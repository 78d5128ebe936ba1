import Foundation
import TestSupport

/// A file of this repository's `Sources`, read for what it says.
struct SourceFile {
  /// Path of the file, from `Sources` on: `APNs/Rule.swift`.
  let path: String
  let lines: [String]
  /// The lines without what stands behind `//`. A `//` in a string hides the rest of its line; none is banned there.
  let code: [String]

  init(path: String, lines: [String]) {
    self.path = path
    self.lines = lines
    code = lines.map { line in
      line.hasBytes(of: "//") ? line.range(of: "//").map { String(line[..<$0.lowerBound]) } ?? line : line
    }
  }

  var target: String { String(path.prefix { $0 != "/" }) }

  /// Modules that the file imports.
  var imports: [String] {
    code.compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard let place = words.firstIndex(of: "import"), place + 1 < words.count, place <= 2 else { return nil }
      guard words[..<place].allSatisfy({ $0.hasPrefix("@") || ["public", "package", "internal"].contains($0) }) else {
        return nil
      }
      // `import struct Foundation.Data` names the module second.
      let kinds: Set<String> = ["struct", "class", "enum", "protocol", "func", "var", "typealias"]
      let name = kinds.contains(words[place + 1]) ? words.dropFirst(place + 2).first : words[place + 1]
      return name.map { String($0.prefix { $0 != "." && $0 != ";" }) }
    }
  }

  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources").resolvingSymlinksInPath()

  /// Every Swift file below `Sources`, in the order of its path.
  static let all: [SourceFile] = {
    let paths = FileManager.default.enumerator(atPath: folder.path(percentEncoded: false))?.compactMap { $0 as? String }
    return (paths ?? []).filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
      guard let text = try? String(contentsOf: folder.appending(path: path), encoding: .utf8) else { return nil }
      var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      if lines.last == "" { lines.removeLast() }
      return SourceFile(path: path, lines: lines)
    }
  }()
}
