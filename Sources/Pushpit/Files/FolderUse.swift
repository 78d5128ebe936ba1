import Signing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Held by every server on a state folder while it runs, so that nobody replaces the CA of its certificate. Taken and
/// checked under the `FolderLock`.
package final class FolderUse: Sendable {
  private let file: Descriptor

  /// Nil if another lock prevents it.
  private init?(_ path: String, shared: Bool) throws(Descriptor.SystemError) {
    file = try Descriptor(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
    guard try file.tryLock(shared: shared) else { return nil }
  }

  /// Begins a use. Nil if the folder is not writable: then nobody can replace anything there.
  package static func begin(_ folder: String) throws(SigningFailure) -> FolderUse? {
    let path = folder + "/.serving"
    do throws(Descriptor.SystemError) {
      return try FolderUse(path, shared: true)
    } catch {
      guard error.isForWantOfRights else { throw .unwritable(file: path, reason: error.sentence) }
      return nil
    }
  }

  /// True if a server uses the folder.
  package static func isInUse(_ folder: String) throws(SigningFailure) -> Bool {
    let path = folder + "/.serving"
    do throws(Descriptor.SystemError) {
      return try FolderUse(path, shared: false) == nil
    } catch {
      guard error.isForWantOfRights else { throw .unwritable(file: path, reason: error.sentence) }
      return false
    }
  }
}

extension Descriptor.SystemError {
  fileprivate var isForWantOfRights: Bool { code == EROFS || code == EACCES }
}
