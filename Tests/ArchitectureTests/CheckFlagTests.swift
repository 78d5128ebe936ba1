import Foundation
import Testing

/// The checks at the boundary of the world are in what tests, and in nothing that users get.
@Suite("The checks of the world")
struct CheckFlagTests {
  private static let root = SourceFile.folder.deletingLastPathComponent()

  private func lines(_ path: String, with words: [String]) throws -> [String] {
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { line in words.contains { line.contains($0) } && !line.hasPrefix("//") && !line.hasPrefix("#") }
  }

  @Test("the checks of the world are compiled into debug builds, the test build and the fuzzers only")
  func flag() throws {
    #expect(
      try lines("Package.swift", with: ["PUSHPIT_CHECKS", "let isQuick", "let isFuzzed"]) == [
        #"let isQuick = Context.environment["PUSHPIT_QUICK_TESTS"] != nil"#,
        #"let isFuzzed = Context.environment["PUSHPIT_FUZZ"] != nil"#,
        #"isQuick || isFuzzed ? .define("PUSHPIT_CHECKS") : .define("PUSHPIT_CHECKS", .when(configuration: .debug))"#,
      ])
  }

  @Test("no build of a program that users get asks for the checks of the world")
  func builds() throws {
    let words = ["PUSHPIT_CHECKS", "PUSHPIT_QUICK_TESTS", "PUSHPIT_FUZZ"]
    #expect(
      try lines("Makefile", with: words) == [
        "TEST_SWIFT = PUSHPIT_QUICK_TESTS=1 $(SWIFT)",
        #"SWIFT="$(SWIFT)" PUSHPIT_QUICK_TESTS=1 scripts/docc $(TEST_FLAGS)"#,
      ])
    // The program that users get, and what packages are made of.
    #expect(
      try lines("Makefile", with: ["--product pushpit"]) == [
        "$(SWIFT) build $(RELEASE) --scratch-path $(RELEASE_FOLDER) --product pushpit"
      ])
    for path in ["Dockerfile", "scripts/release", "Packaging/package.py"] {
      #expect(try lines(path, with: words).isEmpty, "\(path)")
    }
  }
}
