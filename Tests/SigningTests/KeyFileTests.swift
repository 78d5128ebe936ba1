import Foundation
import Signing
import Testing

@Suite("A key file")
struct KeyFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("is readable only by its owner, and no other file is left")
  func isPrivate() throws {
    let path = try folder.file("AuthKey.p8")
    try KeyFile.write("secret\n", to: path)
    #expect(try TemporaryFolder.mode(of: path) == 0o600)
    #expect(try KeyFile.read(path) == "secret\n")
    #expect(try folder.contents == ["AuthKey.p8"])
  }

  @Test("has the given mode, and a new one replaces a readable one")
  func setsMode() throws {
    let path = try folder.file("ca.pem", "old")
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    try KeyFile.write("public", to: path, mode: 0o644)
    #expect(try TemporaryFolder.mode(of: path) == 0o644)
    try KeyFile.write("secret", to: path)
    #expect(try TemporaryFolder.mode(of: path) == 0o600)
    #expect(try KeyFile.read(path) == "secret")
  }

  @Test("that cannot be written leaves the old one and no temporary file")
  func failsWhole() throws {
    let missing = folder.path + "/nowhere/key.p8"
    let sentence = try #require(
      Fixtures.sentence { () throws(SigningFailure) in
        try KeyFile.write("x", to: missing)
      })
    #expect(
      sentence == "\(missing) cannot be written: No such file or directory.")
    #expect(throws: SigningFailure.notAFile(file: folder.path)) { try KeyFile.write("x", to: folder.path) }
    #expect(throws: SigningFailure.notAFile(file: missing + "/")) { try KeyFile.write("x", to: missing + "/") }
    #expect(throws: SigningFailure.notAFile(file: "/dev/null")) { try KeyFile.write("x", to: "/dev/null") }
    #expect(try folder.contents.isEmpty)
  }

  @Test("is refused in a sentence when missing, a folder, a device, too long or not text")
  func refusesReading() throws {
    let missing = try folder.file("missing.p8")
    #expect(throws: SigningFailure.unreadable(file: missing, reason: "No such file or directory")) {
      try KeyFile.read(missing)
    }
    #expect(throws: SigningFailure.notAFile(file: folder.path)) { try KeyFile.read(folder.path) }
    #expect(throws: SigningFailure.notAFile(file: "/dev/zero")) { try KeyFile.read("/dev/zero") }
    let long = try folder.file("long.pem", String(repeating: "x", count: 101))
    #expect(throws: SigningFailure.tooLong(file: long, limit: 100)) { try KeyFile.read(long, limit: 100) }
    #expect(try KeyFile.read(long, limit: 101).utf8.count == 101)
    let binary = try folder.file("key.der")
    try Data([0x30, 0x82, 0xFF]).write(to: URL(fileURLWithPath: binary))
    #expect(throws: SigningFailure.notText(file: binary)) { try KeyFile.read(binary) }
    #expect(SigningFailure.notText(file: binary).description.contains("-----BEGIN"))
  }

  @Test("that is a pipe without a writer does not block the reader", .timeLimit(.minutes(1)))
  func refusesPipe() throws {
    let pipe = try folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(throws: SigningFailure.notAFile(file: pipe)) { try KeyFile.read(pipe) }
  }

  @Test("that its owner may not read is reported", .enabled(if: geteuid() != 0))
  func refusesUnreadable() throws {
    let path = try folder.file("locked.p8", "x")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
    #expect(throws: SigningFailure.unreadable(file: path, reason: "Permission denied")) { try KeyFile.read(path) }
  }

  @Test("is in folders that only their owner can open; existing folders are unchanged")
  func makesFolders() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    let deep = folder.path + "/a/b//c/"
    try KeyFile.makeDirectory(deep)
    try KeyFile.makeDirectory(deep)
    for part in ["/a", "/a/b", "/a/b/c"] { #expect(try TemporaryFolder.mode(of: folder.path + part) == 0o700) }
    #expect(try TemporaryFolder.mode(of: folder.path) == 0o755)
    try KeyFile.write("x", to: deep + "key.p8")
  }

  @Test("cannot be below a file, and the sentence names that file")
  func refusesFolderBelowFile() throws {
    let file = try folder.file("file", "x")
    #expect(throws: SigningFailure.folderNotMade(path: file, reason: "\(file) is a file, not a folder")) {
      try KeyFile.makeDirectory(file)
    }
    let below = file + "/state"
    #expect(throws: SigningFailure.folderNotMade(path: below, reason: "\(file) is a file, not a folder")) {
      try KeyFile.makeDirectory(below)
    }
  }
}
