import Configuration
import Foundation
import TestSupport
import Testing

@Suite("A text file that somebody named")
struct TextFileTests {
  @Test("a named text file is read whole up to its limit, and refused a byte beyond it")
  func limit() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.yaml"
    // Longer than what is read at a time.
    let text = String(repeating: "é", count: 50_000)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try TextFile.read(path, limit: 100_000) == text)
    let obstacle = #expect(throws: TextFile.Obstacle.self) { try TextFile.read(path, limit: 99_999) }
    #expect(obstacle?.description == "it is longer than 99999 bytes")
  }

  @Test("a file that is not text is rejected in a short sentence; a pipe is, without waiting for its writer")
  func others() throws {
    let folder = try TemporaryFolder()
    try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: folder.path + "/bytes"))
    #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
    for (name, words) in [
      ("absent", "no such file or directory"), ("", "it is a folder or a device, not a file"),
      ("pipe", "it is a folder or a device, not a file"), ("bytes", "it is not text in UTF-8"),
    ] {
      let obstacle = #expect(throws: TextFile.Obstacle.self, "\(name)") {
        try TextFile.read(folder.path + "/" + name, limit: 100)
      }
      #expect(obstacle?.description == words)
    }
  }
}
