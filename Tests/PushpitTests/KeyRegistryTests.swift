import Foundation
import TestSupport
import Testing

@testable import Pushpit

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

  @Test("the file of a key that was made or given as text goes with the key, and a file of the user stays")
  func files() throws {
    let temporary = try TemporaryFolder()
    let folder = StateFolder(temporary.path + "/state")
    var registry = try KeyRegistry(folder)
    try make("MADE", in: &registry)
    let p8 = try #require(registry.entries[0].p8)
    let pem = try String(contentsOfFile: p8, encoding: .utf8)
    let own = temporary.path + "/own.p8"
    try pem.write(toFile: own, atomically: false, encoding: .utf8)
    func register(_ file: String, _ id: String) throws {
      _ = try registry.register(
        file: file, keyID: id, teamID: nil, environment: "both", topics: [], related: nil)
    }
    try register(own, "OWN")
    // The user has copied a key to where Pushpit would write it.
    let copied = folder.path + "/AuthKey_COPIED.p8"
    try pem.write(toFile: copied, atomically: false, encoding: .utf8)
    try register(copied, "COPIED")
    let given = try registry.register(
      pem: pem, keyID: "GIVEN", teamID: nil, environment: "both", topics: [], related: nil)
    let publicKey = try #require(given.publicKey)
    for id in ["MADE", "OWN", "COPIED", "GIVEN"] { try registry.remove(id) }
    let kept = [p8, own, copied, publicKey].map(folder.exists)
    #expect(kept == [false, true, true, false])
  }

  @Test("a key of a copied state folder is removed without the file in the other folder")
  func copiedFolder() throws {
    let temporary = try TemporaryFolder()
    let (folder, copy) = (StateFolder(temporary.path + "/state"), StateFolder(temporary.path + "/copy"))
    var registry = try KeyRegistry(folder)
    try make("MADE", in: &registry)
    try FileManager.default.copyItem(atPath: folder.path, toPath: copy.path)
    var copied = try KeyRegistry(copy)
    try copied.remove("MADE")
    #expect(folder.exists(folder.path + "/AuthKey_MADE.p8"))
  }

  @Test(
    "a state folder to which others can write is refused, and so is one of its folders", arguments: ["", "/providers"])
  func openFolders(name: String) throws {
    let folder = StateFolder(try TemporaryFolder().path + "/state")
    var registry = try KeyRegistry(folder)
    try make("FIRST", in: &registry)
    try FileManager.default.createDirectory(
      atPath: folder.providersPath, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let path = folder.path + name
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
    let problem = #expect(throws: KeyProblem.self) { try make("SECOND", in: &registry) }
    #expect(problem?.description.contains("Other users can write to \(path) (mode 777)") == true)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    try make("SECOND", in: &registry)
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
