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
  package init(_ folder: String) throws(SigningFailure) {
    let path = folder + "/.lock"
    do throws(Descriptor.SystemError) {
      let file = try Descriptor(path, O_RDONLY | O_CREAT | O_NOFOLLOW, mode: 0o600)
      try file.lock()
      self.file = consume file
    } catch {
      guard error.code == EROFS || error.code == EACCES else {
        throw .unwritable(file: path, reason: error.sentence)
      }
      file = nil
    }
  }

  /// Runs a closure under the lock.
  package borrowing func hold<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body()
  }
}
