import Commands

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where words go: those for people to standard error, those for programs to standard output; a whole line at a time
/// and at once, whoever reads.
enum Terminal {
  static func say(_ text: String) { LineWriter.write(text, to: STDERR_FILENO) }
  static func announce(_ line: String) { LineWriter.write(line, to: STDOUT_FILENO) }

  /// Writes over the line that stands on a terminal.
  static func replaceLine(_ text: String) {
    // ECMA-48: CR goes to the line's beginning, EL (ESC [ K) erases what stood there.
    let bytes = Array("\r\u{1B}[K\(text)".utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
