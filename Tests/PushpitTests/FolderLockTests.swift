import Signing
import TestSupport
import Testing

@testable import Pushpit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("The lock of a folder") struct FolderLockTests {
  @Test("a lock held by another is waited for only while somebody waits, and then a sentence reports it")
  func held() throws {
    let folder = try TemporaryFolder()
    let other = try FolderLock(folder.path)
    var questions = 0
    let failure = #expect(throws: SigningFailure.self) {
      _ = try FolderLock(folder.path) {
        questions += 1
        return questions < 3
      }
    }
    #expect(failure == .folderLocked(folder: folder.path) && questions == 3)
    #expect(failure?.description.contains(folder.path) == true)
    other.hold {}
  }

  private final class Holder {
    let lock: FolderLock
    init(_ folder: String) throws { lock = try FolderLock(folder) }
  }

  @Test("a lock that is free again is taken by the one who still waits")
  func freed() throws {
    let folder = try TemporaryFolder()
    var other: Holder? = try Holder(folder.path)
    let lock = try FolderLock(folder.path) {
      other = nil
      return true
    }
    #expect(other === nil)
    #expect(throws: SigningFailure.folderLocked(folder: folder.path)) {
      _ = try FolderLock(folder.path) { false }
    }
    lock.hold {}
  }

  @Test("a pipe in place of the lock's file makes nobody wait for a writer", .timeLimit(.minutes(15)))
  func pipe() throws {
    let folder = try TemporaryFolder()
    try #require(mkfifo(folder.path + "/.lock", 0o600) == 0 && mkfifo(folder.path + "/.serving", 0o600) == 0)
    let lock = try FolderLock(folder.path)
    #expect(throws: SigningFailure.folderLocked(folder: folder.path)) {
      _ = try FolderLock(folder.path) { false }
    }
    lock.hold {}
    _ = try FolderUse.begin(folder.path)
  }
}
