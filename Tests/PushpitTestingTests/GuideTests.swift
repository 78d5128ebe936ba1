import Foundation
import Testing

@Suite("docs/testing-with-swift.md")
struct GuideTests {
  @Test(
    "docs/testing-with-swift.md contains test files that are part of this target",
    arguments: ["GoalTests.swift", "BackendTests.swift", "ActivityTests.swift"])
  func files(name: String) throws {
    let guide = try text("docs/testing-with-swift.md")
    let block = try #require(guide.components(separatedBy: "```swift \(name)\n").dropFirst().first)
    let shown = try #require(block.components(separatedBy: "\n```").first)
    #expect(try shown + "\n" == text("Tests/PushpitTestingTests/\(name)"))
  }

  @Test("docs/testing-with-swift.md names the product and the package of the manifest")
  func product() throws {
    let guide = try text("docs/testing-with-swift.md")
    let manifest = try text("Package.swift")
    #expect(guide.contains(#".product(name: "PushpitTesting", package: "pushpit")"#))
    #expect(manifest.contains(#".library(name: "PushpitTesting""#) && manifest.contains(#"name: "pushpit""#))
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: BehaviorTable.repository.appending(path: path), encoding: .utf8)
  }
}
