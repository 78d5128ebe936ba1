import Foundation
import TestSupport
import Testing

/// Functions that change the world, as far as the text of its sources tells.
private struct Entrances {
  struct Function: Equatable {
    let name: String
    let path: String
    let isPackage: Bool
    /// The cases of `WorldCall` that it records.
    let calls: [String]
  }

  /// The functions that are not private.
  private(set) var functions: [Function] = []
  /// Files that declare or extend `World`.
  private var own: Set<String> = []

  init(_ files: [SourceFile]) {
    for file in files {
      let heads = file.code.indices.filter { Self.isHead(file.code[$0]) }
      if !heads.isEmpty { own.insert(file.path) }
      for head in heads {
        let depth = file.lines[head].prefix { $0 == " " }
        let end = file.lines[head...].firstIndex(of: depth + "}") ?? file.lines.endIndex
        for declaration in file.declarations where (head..<end).contains(declaration.line - 1) {
          let first = declaration.line - 1
          let words = file.code[first].split(separator: " ")
          guard file.lines[first].prefix(while: { $0 == " " }).count == depth.count + 2, words.contains("mutating"),
            !words.contains("private"), !words.contains("fileprivate")
          else { continue }
          let body = file.code[first..<first + declaration.lines].joined(separator: "\n")
          functions.append(
            Function(
              name: declaration.name, path: file.path, isPackage: words.contains("package"), calls: Self.calls(in: body)
            ))
        }
      }
    }
  }

  private static func isHead(_ line: String) -> Bool {
    let words = line.split(separator: " ")
    guard let place = words.firstIndex(where: { $0 == "struct" || $0 == "extension" }), place + 1 < words.count else {
      return false
    }
    return words[place + 1].prefix { $0.isLetter } == "World"
  }

  private static func calls(in body: String) -> [String] {
    body.matches(of: /(?:enter|output\.record)\(\s*\.(\w+)/).map { String($0.1) }
  }

  /// Entrances that record no call: those of the package, and those that others than the world's own files call.
  func unrecorded(in files: [SourceFile]) -> [String] {
    let others = files.filter { !own.contains($0.path) }
    let called = Set(
      others.flatMap { file in
        file.code.flatMap { line in
          line.hasBytes(of: "orld.") ? line.matches(of: /(?:^|\W)world\.(\w+)\(/).map { String($0.1) } : []
        }
      })
    let recorded = Set(functions.filter { !$0.calls.isEmpty }.map(\.name))
    return functions.filter { function in
      function.calls.isEmpty
        && (function.isPackage || called.contains(function.name) && !recorded.contains(function.name))
    }.map { "\($0.path): \($0.name)" }
  }

  /// Lines of other files that change a part of the world.
  func assignments(in files: [SourceFile]) -> [String] {
    files.filter { !own.contains($0.path) }.flatMap { file in
      file.code.filter { line in
        line.hasBytes(of: "orld.") && line.contains(/(?:^|\W)world(?:\.\w+|\[\w+\])+ (?:\+|-)?=\s/)
      }.map { "\(file.path): \($0.trimmingCharacters(in: .whitespaces))" }
    }
  }
}

@Suite("The world's entry points")
struct EntranceTests {
  /// Functions that record no call: the first two call recorded ones, the last two return past events.
  private static let others = ["advance", "apply", "takeEvents", "takeRecordedCalls"]

  private static let files = SourceFile.all.filter { !$0.path.hasPrefix("Timeline/") }

  @Test("every entry point records its call: whatever changes the world is a case of WorldCall")
  func recorded() {
    let unrecorded = Entrances(Self.files).unrecorded(in: Self.files)
    #expect(unrecorded.map { $0.split(separator: " ").last.map(String.init) ?? "" }.sorted() == Self.others)
  }

  @Test("the world's entry points are all the cases of WorldCall")
  func cases() throws {
    let file = try #require(Self.files.first { $0.path == "Simulation/WorldCall.swift" })
    let body = file.code.drop { !$0.contains("enum WorldCall:") }.prefix { $0 != "}" }
    let cases = body.flatMap { line in line.matches(of: /^  (?:indirect )?case (\w+)/).map { String($0.1) } }
    #expect(cases.count > 5)
    #expect(Set(Entrances(Self.files).functions.flatMap(\.calls)) == Set(cases))
  }

  @Test("the entry points are the only way into the world: nobody else assigns to a part of it")
  func assigned() {
    // Two switches of the list of events, which change nothing that happens.
    let allowed = ["world.recordsCalls = ", "world.tracesRefusals = "]
    let found = Entrances(Self.files).assignments(in: Self.files).filter { line in
      !allowed.contains { line.contains($0) }
    }
    #expect(found == [])
  }

  @Test("an entry point that records nothing, and an assignment from outside, are found by their text")
  func found() {
    func file(_ path: String, _ text: String) -> SourceFile {
      SourceFile(path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }
    let world = file(
      "Simulation/World+Some.swift",
      """
      extension World {
        package mutating func bare(at now: Now) { count += 1 }
        package mutating func good(at now: Now) -> Bool {
          let now = enter(
            .closed(connection), at: now)
          return true
        }
        mutating func helper(at now: Now) { count += 1 }
        mutating func asked(at now: Now) { count += 1 }
        private mutating func own() { count += 1 }
        package func query() -> Int { count }
      }
      extension Part {
        package mutating func other() { count += 1 }
      }
      """)
    let simulator = file(
      "Simulation/Simulator.swift",
      """
      mutating func step() {
        world.asked(at: now)
        if world.query() == 1 { self.world.part.count = 2 }
      }
      """)
    let entrances = Entrances([world, simulator])
    #expect(entrances.functions.first { $0.name == "good" }?.calls == ["closed"])
    #expect(
      entrances.unrecorded(in: [world, simulator]) == [
        "Simulation/World+Some.swift: bare", "Simulation/World+Some.swift: asked",
      ])
    #expect(entrances.assignments(in: [world, simulator]).count == 1)
  }
}
