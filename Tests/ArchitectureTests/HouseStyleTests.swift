import Foundation
import TestSupport
import Testing

@Suite("The style of the sources")
struct HouseStyleTests {
  /// Words that ask the time, draw at random, wait or print. The pure targets contain none of them.
  static let banned = [
    #"\bDate\("#, #"\.random\("#, #"\.shuffled\("#, #"\bhashValue\b"#, #"\bUUID\(\)"#, #"\bTask \{"#,
    #"\bTask\.detached\b"#, #"\bContinuousClock\b"#, #"\bSuspendingClock\b"#, #"\bSystemClock\b"#, #"\bprint\("#,
    #"\bThread\b"#, #"\bsleep\b"#, #"\bSystemRandomNumberGenerator\b"#, #"\bDispatchQueue\b"#, #"\bclock_gettime\b"#,
    #"\bgetenv\b"#, #"\bfopen\b"#,
  ]

  private func findings(_ patterns: [String], in files: [SourceFile]) throws -> [String] {
    let expressions = try patterns.map { pattern in
      // Without its escapes, a pattern is the word that it finds.
      let word = pattern.replacing("\\b", with: "").replacing("\\", with: "")
      return (word: word, expression: try Regex(pattern).wordBoundaryKind(.simple))
    }
    return files.flatMap { file in
      let text = file.code.joined(separator: "\n")
      let expressions = expressions.filter { text.hasBytes(of: $0.word) }
      guard !expressions.isEmpty else { return [String]() }
      return file.code.enumerated().compactMap { number, line in
        expressions.contains { line.contains($0.expression) } ? "\(file.path):\(number + 1): \(line)" : nil
      }
    }
  }

  @Test("pure targets use no clock and no random numbers, and print nothing")
  func pureTargetsArePure() throws {
    let findings = try findings(Self.banned, in: SourceFile.all.filter { ImportTests.pure.contains($0.target) })
    #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
  }

  @Test("banned words are found, but not within other words")
  func wordsAreFound() throws {
    func count(_ line: String) throws -> Int {
      try findings(Self.banned, in: [SourceFile(path: "APNs/X.swift", lines: [line])]).count
    }
    for line in [
      "let now = Date()", "x.shuffled()", "Int.random(in: 1...6)", "Task { }", "print(1)", "x.hashValue", "sleep(1)",
    ] {
      #expect(try count(line) == 1, "\(line)")
    }
    for line in ["countsAsUpdate(x)", "fingerprint(x)", "// print(1)", "asleep", "Threads()", "UUID(text)"] {
      #expect(try count(line) == 0, "\(line)")
    }
  }

  @Test("no line is wider than 120 columns")
  func width() {
    for file in SourceFile.all {
      for (number, line) in file.lines.enumerated() where line.utf8.count > 120 && line.count > 120 {
        Issue.record("\(file.path):\(number + 1) has \(line.count) columns")
      }
    }
  }

  @Test("no file is longer than 600 lines")
  func length() {
    for file in SourceFile.all { #expect(file.lines.count <= 600, "\(file.path) has \(file.lines.count) lines") }
  }

  @Test("a file of more than 300 lines declares one type, and no field that its target may set")
  func longFiles() {
    for file in SourceFile.all where file.lines.count > 300 && !file.isGenerated {
      let types = file.code.filter {
        $0.contains(/^(?:package |public |final |@\w+ )*(?:struct|class|enum|actor|protocol)\s/)
      }
      #expect(types.count == 1, "\(file.path) declares \(types.count) types")
      let open = file.code.filter { $0.contains(/^  (?:public |weak )*var \w+(?:: [^{]+)?(?: = .*)?$/) }
      #expect(open.isEmpty, "\(file.path) has open fields: \(open.joined(separator: ","))")
    }
  }

  @Test("no file is named for the rest of something")
  func rests() {
    for file in SourceFile.all { #expect(!file.path.hasSuffix("+Rest.swift"), "\(file.path)") }
  }

  @Test("no function is longer than 60 lines or has more than 6 parameters")
  func functions() {
    var count = 0
    for file in SourceFile.all {
      for declaration in file.declarations {
        count += 1
        let place = "\(file.path):\(declaration.line): \(declaration.name)"
        #expect(declaration.lines <= 60, "\(place) has \(declaration.lines) lines")
        #expect(declaration.parameters <= 6 || file.isGenerated, "\(place) has \(declaration.parameters) parameters")
      }
    }
    #expect(count > SourceFile.all.count, "only \(count) functions were found in \(SourceFile.all.count) files")
  }

  @Test("functions are found with their lines and parameters")
  func functionsAreFound() {
    let text = """
      struct A {
        init(
          _ a: [Int: String] = [:], b: (Int, x: Int) -> Void,
          c: String = "d: e"
        ) throws {
          self.init(a: 1, b: 2)
        }

        @inline(__always)
        private static func f<T: Hashable, U>(_ t: T, u: Pair<T, U>) -> [T: U] where T: Sendable {
          g(t: t)
        }
        func < (left: A, right: A) -> Bool { true }
        subscript(place: Int) -> Int { place }
        func h()
        let initial = function(a: 1)
      }
      """
    let file = SourceFile(
      path: "APNs/X.swift", lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    #expect(
      file.declarations == [
        Declaration(name: "init", line: 2, parameters: 3, lines: 6),
        Declaration(name: "f", line: 10, parameters: 2, lines: 3),
        Declaration(name: "<", line: 13, parameters: 2, lines: 1),
        Declaration(name: "subscript", line: 14, parameters: 1, lines: 1),
        Declaration(name: "h", line: 15, parameters: 0, lines: 1),
      ])
  }

  @Test("no source forces a try or a cast")
  func noForce() throws {
    let findings = try findings([#"\btry!"#, #"\bas!"#], in: SourceFile.all)
    #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
  }

  @Test("there are no TODO comments")
  func nothingLeft() {
    for file in SourceFile.all {
      for (number, line) in file.lines.enumerated() where line.contains("TODO") || line.contains("FIXME") {
        Issue.record("\(file.path):\(number + 1): \(line)")
      }
    }
  }

  @Test("what the compiler does not check has a comment with the reason")
  func uncheckedIsExplained() {
    let words = ["@unchecked Sendable", "nonisolated(unsafe)", "unowned(unsafe)"]
    for file in SourceFile.all {
      for (number, line) in file.code.enumerated() where words.contains(where: line.contains) {
        let above = number == 0 ? "" : file.lines[number - 1].trimmingCharacters(in: .whitespaces)
        #expect(above.hasPrefix("//") && above.hasSuffix("."), "\(file.path):\(number + 1)")
      }
    }
  }
}
