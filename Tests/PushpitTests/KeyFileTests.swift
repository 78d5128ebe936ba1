import Foundation
import Signing
import TestSupport
import Testing

@testable import Pushpit

@Suite("A key file")
struct KeyFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("a key file is readable only by its owner, and no other file is left")
  func isPrivate() throws {
    let path = try folder.file("AuthKey.p8")
    try KeyFile.write("secret\n", to: path)
    #expect(try folder.mode(of: "AuthKey.p8") == 0o600)
    #expect(try KeyFile.read(path) == "secret\n")
    #expect(try folder.contents == ["AuthKey.p8"])
  }

  @Test("a key file has the given mode, and a new file replaces a readable one")
  func setsMode() throws {
    let path = try folder.file("ca.pem", "old")
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    try KeyFile.write("public", to: path, mode: 0o644)
    #expect(try folder.mode(of: "ca.pem") == 0o644)
    try KeyFile.write("secret", to: path)
    #expect(try folder.mode(of: "ca.pem") == 0o600)
    #expect(try KeyFile.read(path) == "secret")
  }

  @Test("a key file that cannot be written leaves the old one and no temporary file")
  func failsWhole() throws {
    let missing = folder.path + "/nowhere/key.p8"
    let failure = #expect(throws: SigningFailure.self) { try KeyFile.write("x", to: missing) }
    #expect(failure?.description == "\(missing) cannot be written: No such file or directory.")
    #expect(throws: SigningFailure.notAFile(file: folder.path)) { try KeyFile.write("x", to: folder.path) }
    #expect(throws: SigningFailure.notAFile(file: missing + "/")) { try KeyFile.write("x", to: missing + "/") }
    #expect(throws: SigningFailure.notAFile(file: "/dev/null")) { try KeyFile.write("x", to: "/dev/null") }
    #expect(try folder.contents.isEmpty)
  }

  @Test("a key file is refused in a sentence when missing, a folder, a device, too long or not text")
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

  @Test("a key file that is a pipe without a writer does not block the reader", .timeLimit(.minutes(15)))
  func refusesPipe() throws {
    let pipe = try folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(throws: SigningFailure.notAFile(file: pipe)) { try KeyFile.read(pipe) }
  }

  @Test("a key file that its owner may not read is reported", .enabled(if: geteuid() != 0))
  func refusesUnreadable() throws {
    let path = try folder.file("locked.p8", "x")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
    #expect(throws: SigningFailure.unreadable(file: path, reason: "Permission denied")) { try KeyFile.read(path) }
  }

  @Test("the folders of a key file can be opened only by their owner; existing folders are unchanged")
  func makesFolders() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    let deep = folder.path + "/a/b//c/"
    try KeyFile.makeDirectory(deep)
    try KeyFile.makeDirectory(deep)
    for part in ["/a", "/a/b", "/a/b/c"] { #expect(try folder.mode(of: part) == 0o700) }
    #expect(try folder.mode(of: ".") == 0o755)
    try KeyFile.write("x", to: deep + "key.p8")
  }

  @Test("a new key file is written only where no file is")
  func writesNewOnly() throws {
    let path = try folder.file("ready.json")
    #expect(try KeyFile.writeNew("first", to: path, mode: 0o644))
    #expect(try !KeyFile.writeNew("second", to: path, mode: 0o644))
    #expect(try KeyFile.read(path) == "first")
    #expect(try folder.mode(of: "ready.json") == 0o644)
    #expect(try folder.contents == ["ready.json"])
  }

  @Test("a half-written key file is removed when it is old, and no other file is")
  func removesDrafts() throws {
    let old = [".AuthKey_A.p8.0123456789abcdef", ".tls.pem.ABCDEF0123456789"]
    let kept = [
      ".lock", ".a.0123456789abcde", ".a.0123456789abcdeg", "AuthKey_A.p8.0123456789abcdef", ".0123456789abcdef",
    ]
    for name in old + kept { _ = try folder.file(name, "x") }
    let now = Int64(Date().timeIntervalSince1970)
    KeyFile.removeDrafts(in: folder.path, before: now - 3600)
    #expect(try folder.contents == (old + kept).sorted())
    KeyFile.removeDrafts(in: folder.path, before: now + 3600)
    #expect(try folder.contents == kept.sorted())
    KeyFile.removeDrafts(in: folder.path + "/missing", before: now)
  }

  @Test(
    "a key file is not read through another user's link, unless that leads to a file of that user",
    .enabled(if: geteuid() == 0))
  func followsNoForeignLink() throws {
    let (nobody, other): (uid_t, uid_t) = (65534, 65533)
    let (secret, theirs) = (try folder.file("secret", "root's"), try folder.file("theirs", "nobody's"))
    #expect(chown(theirs, nobody, nobody) == 0)
    let link = folder.path + "/link"
    // The owners of the link, what it leads to, and what is read.
    for (owner, target, text) in [
      (0, secret, "root's"), (0, theirs, "nobody's"), (nobody, theirs, "nobody's"), (nobody, secret, nil),
      (other, theirs, nil),
    ] as [(uid_t, String, String?)] {
      unlink(link)
      #expect(symlink(target, link) == 0 && lchown(link, owner, owner) == 0)
      if let text {
        #expect(try KeyFile.read(link) == text)
      } else {
        #expect(throws: SigningFailure.foreignLink(file: link)) { try KeyFile.read(link) }
      }
    }
  }

  @Test("the lock of a folder is no link")
  func lockIsNoLink() throws {
    let elsewhere = try folder.file("elsewhere")
    for name in [".lock", ".serving"] {
      try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + name, withDestinationPath: elsewhere)
    }
    #expect(throws: SigningFailure.self) { _ = try FolderLock(folder.path) }
    #expect(throws: SigningFailure.self) { try FolderUse.begin(folder.path) }
    #expect(!FileManager.default.fileExists(atPath: elsewhere))
  }

  @Test("a key file cannot be at a symbolic link that leads nowhere, and the sentence names the remedy")
  func refusesDanglingLink() throws {
    let link = folder.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path + "/nowhere/state")
    for path in [link, link + "/below"] {
      let failure = #expect(throws: SigningFailure.self) { try KeyFile.makeDirectory(path) }
      let sentence = failure?.description ?? ""
      #expect(sentence.contains("\(link) is a symbolic link that leads to no folder"), "\(sentence)")
      #expect(sentence.contains("create the folder that it names, or remove the link"), "\(sentence)")
    }
  }

  @Test("a key file cannot be below a file, and the sentence names that file")
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
