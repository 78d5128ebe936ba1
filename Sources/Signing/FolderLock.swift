#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Keeps everybody else who asks, in this process or another, out of a folder while its files are read, judged and
/// written.
package struct FolderLock: ~Copyable {
  /// Nil where the folder may not be written to: nobody can change it under our hands then.
  private let file: Descriptor?

  /// Waits until it is our turn.
  package init(_ folder: String) throws(SigningFailure) {
    let path = folder + "/.lock"
    do throws(Descriptor.SystemError) {
      let file = try Descriptor(path, O_RDONLY | O_CREAT, mode: 0o600)
      try file.lock()
      self.file = consume file
    } catch {
      guard error.code == EROFS || error.code == EACCES else {
        throw .unwritable(file: path, reason: error.sentence)
      }
      file = nil
    }
  }

  /// Does something under the lock.
  package borrowing func hold<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body()
  }
}
