import Commands

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Output: messages for people go to standard error, data for programs goes to standard output, in complete lines and
/// without buffering.
enum Terminal {
  static func say(_ text: String) { LineWriter.write(text, to: STDERR_FILENO) }
  static func announce(_ line: String) { LineWriter.write(line, to: STDOUT_FILENO) }

  /// Overwrites the current line of a terminal.
  static func replaceLine(_ text: String) {
    // ECMA-48: CR moves to the beginning of the line, EL (ESC [ K) erases to its end.
    let bytes = Array("\r\u{1B}[K\(text)".utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
