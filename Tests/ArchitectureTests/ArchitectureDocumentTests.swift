import Foundation
import TestSupport
import Testing

@Suite("docs/architecture.md")
struct ArchitectureDocumentTests {
  private struct Name {
    let type: String
    let member: String
    /// Nil where the document writes no parentheses.
    let labels: [String]?
  }

  private static let text = document("architecture")

  private static func document(_ name: String) -> String {
    let file = SourceFile.folder.deletingLastPathComponent().appending(path: "docs/\(name).md")
    return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
  }

  /// The drawings: blocks without a language.
  private static var drawings: [Substring] { text.matches(of: /\n```\n((?s:.*?))\n```\n/).map(\.1) }

  /// `Type.member` and `Type.member(label:)`, as the document writes them, in sentences or in drawings.
  private static var names: [Name] {
    let drawn = drawings.flatMap { $0.matches(of: /([A-Z]\w+)\.(\w+)(?:\(([\w:]*)\))?/).map(\.output) }
    let written = text.matches(of: /`([A-Z]\w+)\.(\w+)(?:\(([\w:]*)\))?`/).map(\.output)
    return (written + drawn.filter { $0.2 != "swift" }).map { name in
      let labels = name.3.map { $0.split(separator: ":").map(String.init) }
      return Name(type: String(name.1), member: String(name.2), labels: labels)
    }
  }

  @Test("docs/architecture.md names existing members, with the labels of their parameters")
  func members() {
    #expect(Self.names.count > 20)
    for name in Self.names {
      let code = Self.declaring[name.type, default: []].flatMap(\.code).joined(separator: "\n")
      #expect(!code.isEmpty, "there is no \(name.type)")
      #expect(Self.hasMember(name, in: code), "\(name.type) has no \(name.member) with \(name.labels ?? [])")
    }
  }

  @Test("docs/architecture.md draws functions and files that exist, each function beside its file")
  func drawn() {
    #expect(Self.drawings.count == 3)
    for line in Self.drawings.flatMap({ $0.split(separator: "\n") }) {
      guard let path = line.firstMatch(of: /\w+\/[\w+\/]+\.swift/)?.output else { continue }
      guard let file = SourceFile.all.first(where: { $0.path == path }) else {
        Issue.record("there is no \(path)")
        continue
      }
      guard let name = line.firstMatch(of: /[A-Z]\w+\.(\w+)\(/)?.1 else { continue }
      let isThere = file.code.contains { $0.contains("func \(name)(") || $0.contains("func \(name)<") }
      #expect(isThere, "\(path) has no \(name)")
    }
  }

  @Test("docs/architecture.md names existing types")
  func types() {
    let targets = Set(ImportTests.arrows.map(\.target))
    let types = Self.text.matches(of: /`([A-Z][a-z]\w+)`/).map { String($0.1) }.filter { name in
      !targets.contains(name) && name != "Sources" && !name.hasSuffix("Tests") && !name.hasSuffix("Benchmark")
    }
    #expect(types.count > 40)
    for type in types { #expect(Self.declaring[type] != nil, "there is no \(type)") }
  }

  @Test("each type that docs/glossary.md names exists")
  func glossary() throws {
    let code = try #require(Self.document("glossary").components(separatedBy: "## The code").last)
    let types = code.matches(of: /`(?:\w+\.)?([A-Z]\w+)`/).map { String($0.1) }
    #expect(types.count > 20)
    for type in types { #expect(Self.declaring[type] != nil, "there is no \(type)") }
  }

  @Test("docs/architecture.md lists the permitted imports of each target, as the import tests require")
  func targets() {
    let rows = Self.text.matches(of: /\n\| (\w+) \| ([\w, ]*) ?\| [^\n|]+ \|/).map { match in
      (String(match.1), Set(match.2.split(whereSeparator: { ", ".contains($0) }).map(String.init)))
    }.filter { $0.0 != "target" }
    let arrows = ImportTests.arrows.map { ($0.target, $0.mayImport) }
    #expect(rows.map(\.0).sorted() == arrows.map(\.0).sorted())
    for (target, mayImport) in arrows { #expect(rows.first { $0.0 == target }?.1 == mayImport, "\(target)") }
  }

  /// The files that declare or extend a type, by its name.
  private static let declaring: [String: [SourceFile]] = {
    let kinds = ["class", "struct", "enum", "protocol", "extension", "typealias"]
    var found: [String: [SourceFile]] = [:]
    for file in SourceFile.all {
      var types: Set<String> = []
      for line in file.code where kinds.contains(where: { line.hasBytes(of: $0 + " ") }) {
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        for (kind, name) in zip(words, words.dropFirst()) where kinds.contains(String(kind)) {
          types.insert(String(name))
        }
      }
      for type in types { found[type, default: []].append(file) }
    }
    return found
  }()

  private static func hasMember(_ name: Name, in code: String) -> Bool {
    guard let labels = name.labels else {
      return ["var ", "let ", "func ", "case "].contains { kind in
        code.ranges(of: kind + name.member).contains { range in
          code[range.upperBound...].first.map { !$0.isLetter && !$0.isNumber } ?? true
        }
      }
    }
    return code.ranges(of: "func " + name.member).contains { range in
      let rest = code[range.upperBound...]
      guard let start = rest.first, start == "(" || start == "<", let open = rest.firstIndex(of: "(") else {
        return false
      }
      return Self.labels(rest[rest.index(after: open)...]) == labels
    }
  }

  /// The labels of a list of parameters, whose opening parenthesis has been read.
  private static func labels(_ text: Substring) -> [String] {
    var parameters = [""]
    var depth = 0
    for character in text {
      if "([<{".contains(character) { depth += 1 }
      if ")]>}".contains(character) { depth -= 1 }
      if depth < 0 { break }
      if character == ",", depth == 0 {
        parameters.append("")
      } else {
        parameters[parameters.count - 1].append(character)
      }
    }
    return parameters.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }.map {
      parameter in
      String(parameter.drop { $0 == "@" }.prefix { $0 != " " && $0 != ":" })
    }
  }
}
