#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A complete output file of a command; `-` is standard output.
enum OutputFile {
  static let standardOutput = "-"

  /// Checks that a file can be written, so that nobody waits for a run whose report cannot be saved. The check neither
  /// changes nor creates the file.
  static func check(_ path: String, for flag: String) throws(Failed) {
    guard path != standardOutput else { return }
    let isNew = access(path, F_OK) != 0
    let file = open(path, O_WRONLY | O_CLOEXEC | (isNew ? O_CREAT | O_EXCL : O_NONBLOCK), 0o644)
    guard file >= 0 else { throw Failed("\(flag): \(path) cannot be written: \(String(cString: strerror(errno))).") }
    close(file)
    if isNew { unlink(path) }
  }

  static func write(_ text: String, to path: String) throws(Failed) {
    let file = path == standardOutput ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw Failed("\(path) cannot be written: \(String(cString: strerror(errno))).") }
    defer { if file != STDOUT_FILENO { close(file) } }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeBytes(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failed("\(path) cannot be written: \(String(cString: strerror(errno))).") }
      rest = rest.dropFirst(count)
    }
  }
}

/// `write` of the C library, which the name of the function above hides.
private func writeBytes(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
