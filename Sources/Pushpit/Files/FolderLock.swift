import Signing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Keeps other users of the lock, in this process or another, out of a folder while its files are read, checked and
/// written.
package struct FolderLock: ~Copyable {
  /// Nil if the folder is not writable: then nobody can change it meanwhile.
  private let file: Descriptor?

  /// Waits for the lock.
  ///
  /// - Parameter isAwaited: asked again and again; the waiting fails when it returns false. Nil to wait as long as it
  ///   takes.
  package init(_ folder: String, while isAwaited: (() -> Bool)? = nil) throws(SigningFailure) {
    let path = folder + "/.lock"
    do throws(Descriptor.SystemError) {
      let file = try Descriptor(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
      if let isAwaited {
        while try !file.tryLock(shared: false) {
          guard isAwaited() else { throw Descriptor.SystemError(code: EWOULDBLOCK) }
          // flock(2) has no time limit, and no event tells that the lock is free.
          usleep(Self.pause)
        }
      } else {
        try file.lock()
      }
      self.file = consume file
    } catch {
      if error.code == EWOULDBLOCK { throw .folderLocked(folder: folder) }
      guard error.code == EROFS || error.code == EACCES else {
        throw .unwritable(file: path, reason: error.sentence)
      }
      file = nil
    }
  }

  /// Microseconds. The system has no lock of a file that waits for a limited time.
  private static let pause: UInt32 = 10_000

  /// Runs a closure under the lock.
  package borrowing func hold<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body()
  }
}
