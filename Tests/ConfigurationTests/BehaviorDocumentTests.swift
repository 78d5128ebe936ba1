import APNs
import Configuration
import Devices
import Foundation
import Simulation
import TestSupport
import Testing

@Suite("docs/behavior")
struct BehaviorDocumentTests {
  private static let written = BehaviorDocument.files("Sources", "Tests", "Scenarios", "Examples", "Benchmarks", "docs")
  /// The written files without this suite and its helper, which name what they look for.
  private static let others = written.filter { !$0.path.contains("BehaviorDocument") }

  @Test("docs/behavior contains every page and section that code, tests, scenarios and documents name")
  func named() {
    var count = 0
    let all = Self.others + [("README.md", BehaviorDocument.text("README.md"))]
    for file in all where file.text.hasBytes(of: "docs/behavior/") {
      for match in file.text.matches(of: /docs\/behavior\/([a-z-]+\.md|README\.md)(?:#([A-Za-z0-9_-]+))?/) {
        count += 1
        let section = match.2.map(String.init)
        #expect(BehaviorDocument.has(String(match.1), section), "\(file.path): \(match.0)")
      }
    }
    #expect(count > 100)
  }

  @Test("docs/behavior contains every page and section that its own links and those of docs/settings.md name")
  func links() {
    var count = 0
    for file in Self.written where file.path.hasPrefix("docs/") {
      let own = file.path.hasPrefix("docs/behavior/")
      let page = file.path.split(separator: "/").last.map(String.init) ?? ""
      for match in file.text.matches(of: /\]\((behavior\/)?([A-Za-z-]*\.md)?(?:#([A-Za-z0-9_-]+))?\)/) {
        guard own || match.1 != nil, !match.0.hasPrefix("]()") else { continue }
        count += 1
        #expect(
          BehaviorDocument.has(match.2.map(String.init) ?? page, match.3.map(String.init)), "\(file.path): \(match.0)")
      }
    }
    #expect(count > 200)
  }

  @Test("docs/behavior lists an address for every source that its pages name in brackets")
  func addresses() {
    for page in BehaviorDocument.anchors.keys.sorted() {
      let text = BehaviorDocument.text("docs/behavior/\(page)")
      let definition = /(?m)^\[([^\]]+)\]: \S+$/
      let defined = Set(text.matches(of: definition).map { String($0.1) })
      // A label may break its line.
      let body = text.replacing(definition, with: "").replacing(/\s+/, with: " ")
      let used = Set(body.matches(of: /\[([^\[\]]+)\](?![\(:\[])/).map { String($0.1) })
      #expect(used.symmetricDifference(defined) == [], "\(page)")
    }
  }

  @Test("docs/behavior contains a section for every rule, drop, cause and finding that refers to it")
  func sections() {
    for (name, evidence) in KnownEvidence.usual + KnownEvidence.circumstances.map({ ($0.name, $0.evidence) }) {
      let match = evidence.source.firstMatch(of: /\(docs\/behavior\/([a-z-]+\.md)#([a-z0-9-]+)\)$/)
      #expect(match != nil, "\(name) names no section: \(evidence.source)")
      guard let match else { continue }
      #expect(BehaviorDocument.has(String(match.1), String(match.2)), "\(name): \(match.0)")
    }
  }

  @Test("docs/behavior names every setting that imitates something, and no unknown setting")
  func settings() {
    let text = BehaviorDocument.anchors.keys.map { BehaviorDocument.text("docs/behavior/\($0)") }.joined()
    let named = Set(
      text.matches(of: /- Settings: ([^#]*?)\.\n/).flatMap { list in
        list.1.matches(of: /`([\w.]+)`/).map { String($0.1) }
      })
    let known = Set(Setting.table.map(\.key) + AppSettingKey.table.map(\.key))
    #expect(named.subtracting(known) == [])
    let imitating =
      Setting.table.filter { $0.grounds != nil }.map(\.key)
      + AppSettingKey.table.filter { $0.grounds != nil }.map(\.key)
    #expect(Set(imitating).subtracting(named) == [])
  }

  @Test("docs/behavior lists every forum thread, issue and pull request that the sources name")
  func sources() {
    let list = BehaviorDocument.text("docs/behavior/sources.md")
    var count = 0
    for file in BehaviorDocument.files("Sources", endings: ["swift", "yaml"])
    where ["thread", "issue", "pull"].contains(where: { file.text.hasBytes(of: $0) }) {
      // A comment may break its line within a name.
      let text = file.text.replacing(/\s+(?:\/\/\/? )?/, with: " ")
      for match in text.matches(of: /forum threads? (\d+)(?:, (\d+))?/) {
        for thread in [match.1, match.2 ?? match.1] {
          count += 1
          #expect(list.contains("forums/thread/\(thread))"), "\(file.path): \(match.0)")
        }
      }
      for match in text.matches(of: /([\w-]+) (?:issue|pull request)s? (\d+)(?: and (\d+))?/) {
        for number in [match.2, match.3 ?? match.2] {
          count += 1
          #expect(list.contains("/\(match.1)/issues/\(number))"), "\(file.path): \(match.0)")
        }
      }
    }
    #expect(count > 30)
  }

  @Test("docs/behavior lists every document of Apple that evidence names, by its title")
  func titles() {
    let list = BehaviorDocument.text("docs/behavior/sources.md")
    let grounds = Setting.table.compactMap(\.grounds?.source) + AppSettingKey.table.compactMap(\.grounds?.source)
    for source in KnownEvidence.usual.map(\.evidence.source) + grounds where source.hasPrefix("Apple, ") {
      let title = source.dropFirst("Apple, ".count).prefix { !";".contains($0) }
      let isListed = list.matches(of: /(?m)^\| ([^|]+) \| </).contains { title.hasPrefix($0.1) }
      #expect(isListed, "\(source)")
    }
  }

  @Test("docs/behavior contains a rule and existing tests for each of the 174 statements")
  func acceptance() {
    let rows = BehaviorDocument.text("docs/behavior/acceptance.md")
      .matches(of: /(?m)^\| <a id="s(\d+)"><\/a>S\d+ \| [^|]+ \| \[[a-z-]+\]\(([a-z-]+\.md)#[a-z0-9-]+\) \| (.+) \|$/)
    #expect(rows.compactMap { Int($0.1) } == Array(1...174))
    let tests = BehaviorDocument.files("Tests", endings: ["swift", "py"])
    let numbers = tests.reduce(into: Set<Int>()) { $0.formUnion(BehaviorDocument.statements(in: $1.text)) }
    #expect(numbers.subtracting(1...174).isEmpty, "a test names a row that does not exist")
    #expect(Set(1...174).subtracting(numbers).isEmpty, "no test names a row")
    // A title may begin with the statements that it proves.
    let prefix = #/\bS\d{1,3}(?:(?:, | and | to )S\d{1,3})*:? /#.wordBoundaryKind(.simple)
    let lines = tests.filter { $0.path.hasSuffix(".swift") }.flatMap { $0.text.split(separator: "\n").map(String.init) }
    let swift = lines.map { BehaviorDocument.statements(in: $0).isEmpty ? $0 : $0.replacing(prefix, with: "") }
      .joined(separator: "\n")
    let python = tests.filter { $0.path.hasPrefix("Tests/WireTests") }.map(\.text).joined(separator: "\n")
    for row in rows {
      let titles = row.3.matches(of: /“([^”]+)”/).map { $0.1 }
      let functions = row.3.matches(of: /`(test_\w+)`/).map { $0.1 }
      #expect(!(titles.isEmpty && functions.isEmpty), "S\(row.1) has no proof")
      for title in titles { #expect(swift.hasBytes(of: "\"\(title)\""), "S\(row.1): no test has the title \(title)") }
      for function in functions { #expect(python.hasBytes(of: "def \(function)("), "S\(row.1): no \(function)") }
    }
  }

  @Test("docs/behavior is the only target of references in code, tests and documents")
  func outside() {
    // Each with a word without which it cannot match.
    let banned: [(name: String, word: String, pattern: Regex<Substring>)] = [
      ("a numbered seed document", "eed", /[Ss]eeds? 00\d/),
      ("the device reference", "evice ref", /[Dd]evice reference/),
      ("the provider reference", "rovider ref", /[Pp]rovider reference/),
      ("a numbered failure mode", "ailure mode", /[Ff]ailure modes? \d/),
      ("a section of a reference", "reference", /\breference,? \d/.wordBoundaryKind(.simple)),
    ]
    for file in Self.others {
      for (name, word, pattern) in banned where file.text.hasBytes(of: word) {
        let found = file.text.firstMatch(of: pattern)?.output
        #expect(found == nil, "\(file.path) names \(name): \(found ?? "")")
      }
      // A test names the statements that it proves; `acceptance` holds that they are there.
      guard !file.path.hasSuffix("behavior/acceptance.md"), !file.path.contains("Tests/") else { continue }
      let bare = BehaviorDocument.statements(in: file.text)
      #expect(bare == [], "\(file.path) names statements of acceptance without a link")
    }
  }
}
