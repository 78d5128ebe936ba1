#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where words go: those for people to standard error, those for programs to standard output; a whole line at a time
/// and at once, whoever reads.
enum Terminal {
  static func say(_ text: String) { put(text, to: STDERR_FILENO) }
  static func announce(_ line: String) { put(line, to: STDOUT_FILENO) }

  private static func put(_ text: String, to file: Int32) {
    let line = Array((text + "\n").utf8)
    var written = 0
    while written < line.count {
      let count = line[written...].withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      written += count
    }
  }
}
