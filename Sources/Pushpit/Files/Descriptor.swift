#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Owner of one file descriptor.
package struct Descriptor: ~Copyable {
  /// An error of a system call.
  package struct SystemError: Error {
    package let code: Int32

    package init(code: Int32) { self.code = code }

    static var last: SystemError { SystemError(code: errno) }
    var sentence: String { String(cString: strerror(code)) }
  }

  private let number: Int32

  package init(_ path: String, _ flags: Int32, mode: UInt16 = 0) throws(SystemError) {
    let number = open(path, flags | O_CLOEXEC, mode_t(mode))
    guard number >= 0 else { throw .last }
    self.number = number
  }

  deinit { _ = close(number) }

  func isOrdinaryFile() throws(SystemError) -> Bool {
    var facts = stat()
    guard fstat(number, &facts) == 0 else { throw .last }
    return facts.st_mode & S_IFMT == S_IFREG
  }

  func owner() throws(SystemError) -> uid_t {
    var facts = stat()
    guard fstat(number, &facts) == 0 else { throw .last }
    return facts.st_uid
  }

  /// Exactly `mode`, whatever the umask.
  func setMode(_ mode: UInt16) throws(SystemError) {
    guard fchmod(number, mode_t(mode)) == 0 else { throw .last }
  }

  func append(_ bytes: [UInt8]) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { write(number, $0.baseAddress.map { $0 + done }, $0.count - done) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .last }
      done += count
    }
  }

  /// The complete contents, or the first `limit` bytes.
  func contents(limit: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: min(limit, 16_384))
    while bytes.count < limit {
      let count = read(number, &part, min(part.count, limit - bytes.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .last }
      guard count > 0 else { break }
      bytes += part[..<count]
    }
    return bytes
  }

  /// Waits until no other descriptor holds the file's lock, and holds it until this one is closed.
  func lock() throws(SystemError) {
    while flock(number, LOCK_EX) != 0 {
      guard errno == EINTR else { throw .last }
    }
  }

  /// Takes the file's lock if it is free: exclusively, or shared with others.
  package func tryLock(shared: Bool) throws(SystemError) -> Bool {
    while flock(number, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw .last }
    }
    return true
  }

  /// Waits until the data is on disk.
  func settle() throws(SystemError) {
    guard fsync(number) == 0 else { throw .last }
  }
}
