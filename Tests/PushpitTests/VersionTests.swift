import Foundation
import Pushpit
import Testing

@Suite("The version")
struct VersionTests {
  private struct Section {
    let title: String
    /// Nil for what is not released.
    let version: String?
    let date: String?
    let lines: [String]

    /// The section's headings of the third level.
    var kinds: [String] { lines.filter { $0.hasPrefix("### ") }.map { String($0.dropFirst(4)) } }
  }

  private static func text(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func sections() throws -> [Section] {
    try text("CHANGELOG.md").split(separator: "\n## ").dropFirst().map { part in
      let lines = part.split(separator: "\n").map(String.init)
      let heading = lines[0].wholeMatch(of: /(\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)/)
      return Section(
        title: lines[0], version: heading.map { String($0.1) }, date: heading.map { String($0.2) },
        lines: Array(lines.dropFirst()))
    }
  }

  private static func numbers(_ version: String) -> [Int] { version.split(separator: ".").compactMap { Int($0) } }

  @Test("the version is the newest of CHANGELOG.md, which `pushpit --version` prints")
  func newest() throws {
    let newest = try #require(Self.sections().compactMap(\.version).first)
    #expect(newest == Version.text)
  }

  @Test("CHANGELOG.md contains a section for each release, with its date, the newest first")
  func sections() throws {
    let sections = try Self.sections()
    #expect(sections.dropFirst().allSatisfy { $0.version != nil }, "\(sections.map(\.title))")
    #expect(sections.first.map { $0.title == "Unreleased" || $0.version != nil } == true)
    let released = sections.filter { $0.version != nil }
    for (newer, older) in zip(released, released.dropFirst()) {
      let (high, low) = (Self.numbers(newer.version ?? ""), Self.numbers(older.version ?? ""))
      #expect(low.lexicographicallyPrecedes(high), "\(older.title) stands below \(newer.title)")
      #expect((older.date ?? "") <= (newer.date ?? ""))
    }
  }

  @Test("CHANGELOG.md groups changes by added, changed and fixed, each once, in the words of Keep a Changelog")
  func kinds() throws {
    let known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
    for section in try Self.sections() {
      #expect(section.kinds == known.filter(section.kinds.contains), "\(section.title): \(section.kinds)")
    }
  }
}
