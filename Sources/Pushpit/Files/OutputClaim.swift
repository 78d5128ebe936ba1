#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Opens files for writing without taking them from a process that is writing them.
///
/// A regular file is locked (flock(2)) before any of its contents is replaced. The lock lasts until the descriptor is
/// closed, which the end of the process does, however it ends. Special files such as pipes and `/dev/null` are not
/// locked, because several processes may use them.
package enum OutputClaim {
  /// Number of attempts, if other processes remove or replace the file meanwhile.
  package static let attempts = 10

  /// Opens a file, creates it if it is missing, and truncates nothing.
  ///
  /// - Parameters:
  ///   - mode: the mode of a new file.
  ///   - waits: true if a pipe without a reader is waited for, false if it is an error.
  ///   - inputs: files that the caller reads, so it must not write them.
  /// - Returns: a descriptor at the beginning of the file.
  package static func take(
    _ path: String, mode: mode_t = 0o644, waits: Bool = false, reading inputs: [String] = []
  ) throws(OutputProblem) -> Int32 {
    for _ in 0..<attempts {
      let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (waits ? 0 : O_NONBLOCK), mode)
      guard file >= 0 else { throw .last }
      if !waits { _ = fcntl(file, F_SETFL, O_WRONLY) }
      if try settle(file, path: path, inputs: inputs) { return file }
    }
    throw .inUse(by: nil)
  }

  /// Locks an existing file, which another process is then about to replace.
  ///
  /// - Returns: nil if there is no such file.
  package static func takeExisting(_ path: String) throws(OutputProblem) -> Int32? {
    for _ in 0..<attempts {
      let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      guard file >= 0 else {
        if errno == ENOENT { return nil }
        throw .last
      }
      if try settle(file, path: path, inputs: []) { return file }
    }
    throw .inUse(by: nil)
  }

  /// True if a process holds the lock of a file.
  package static func isInUse(_ path: String) -> Bool {
    do throws(OutputProblem) {
      if let file = try takeExisting(path) { close(file) }
      return false
    } catch {
      if case .inUse = error { return true }
      return false
    }
  }

  /// Removes the contents of a claimed file; special files have none.
  package static func truncate(_ file: Int32) throws(OutputProblem) {
    guard ftruncate(file, 0) == 0 || errno == EINVAL else { throw .last }
  }

  /// True if a path leads to an open file.
  package static func leads(_ path: String, to file: Int32) -> Bool {
    var (one, other) = (stat(), stat())
    guard stat(path, &one) == 0, fstat(file, &other) == 0 else { return false }
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  /// Locks an open file, and closes it if that fails.
  ///
  /// - Returns: false if the path has led to another file since.
  private static func settle(_ file: Int32, path: String, inputs: [String]) throws(OutputProblem) -> Bool {
    do throws(OutputProblem) {
      var facts = stat()
      guard fstat(file, &facts) == 0 else { throw .last }
      guard facts.st_mode & S_IFMT == S_IFREG else { return true }
      if inputs.contains(where: { leads($0, to: file) }) { throw .input }
      // A file system without locks is used without them.
      if flock(file, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { throw .inUse(by: FileHolder(of: facts)) }
      if leads(path, to: file) { return true }
    } catch {
      close(file)
      throw error
    }
    close(file)
    return false
  }
}

/// The reason that a file cannot be written.
package enum OutputProblem: Error, Hashable, Sendable {
  case system(String)
  /// Nil if the process is unknown.
  case inUse(by: FileHolder?)
  /// The caller reads it.
  case input

  static var last: OutputProblem { .system(String(cString: strerror(errno))) }

  /// The end of a sentence that begins with the file.
  package var predicate: String {
    switch self {
    case .system(let reason): "cannot be written: \(reason)"
    case .inUse(.thisProcess): "is already in use by this command"
    case .inUse(.process(let number, let name)): "is in use by process \(number) (\(name))"
    case .inUse(nil): "is in use by another program"
    case .input: "is a file that this command reads; choose another one for its output"
    }
  }
}
