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

  @Test("a key for which the list has no room is refused, and the list can still be read")
  func full() throws {
    let folder = StateFolder(try TemporaryFolder().path + "/state")
    let topics = (0..<1000).map { _ in String(repeating: "a", count: 200) }
    var registry = try KeyRegistry(folder)
    func make(_ id: String) throws {
      _ = try registry.make(keyID: id, teamID: nil, environment: "both", topics: topics, related: nil)
    }
    var made: [String] = []
    let problem = #expect(throws: KeyProblem.self) {
      for number in 0..<20 {
        try make("KEY\(number)")
        made.append("KEY\(number)")
      }
    }
    #expect(problem?.description.contains("keys.json would be longer than 1048576 bytes") == true)
    #expect(made.count > 1)
    #expect(try KeyRegistry(folder).entries.map(\.keyID) == made)
    #expect(!folder.exists(folder.path + "/AuthKey_KEY\(made.count).p8"))
    try registry.remove("KEY0")
    try make("LAST")
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
