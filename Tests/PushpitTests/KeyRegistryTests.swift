import Foundation
import Pushpit
import TestSupport
import Testing

@Suite("The key registry")
struct KeyRegistryTests {
  private func make(_ id: String, in registry: inout KeyRegistry) throws {
    _ = try registry.make(keyID: id, teamID: nil, environment: "both", topics: [], related: nil)
  }

  @Test("a change applies to the current list, not to the list as it was read")
  func changesMeet() throws {
    let folder = StateFolder(try TemporaryFolder().path + "/state")
    var (one, other) = (try KeyRegistry(folder), try KeyRegistry(folder))
    try make("FIRST", in: &one)
    try make("SECOND", in: &other)
    #expect(try KeyRegistry(folder).entries.map(\.keyID) == ["FIRST", "SECOND"])
    #expect(throws: KeyProblem.self) { try make("SECOND", in: &one) }
    try one.remove("SECOND")
    #expect(try KeyRegistry(folder).entries.map(\.keyID) == ["FIRST"])
  }

  @Test("keys made at the same time are all there in the end")
  func atOnce() async throws {
    let temporary = try TemporaryFolder()
    let path = temporary.path
    let ids = (0..<16).map { "KEY\($0)" }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in ids {
        group.addTask {
          var registry = try KeyRegistry(StateFolder(path))
          try make(id, in: &registry)
        }
      }
      try await group.waitForAll()
    }
    #expect(Set(try KeyRegistry(StateFolder(path)).entries.map(\.keyID)) == Set(ids))
  }
}
