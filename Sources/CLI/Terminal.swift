import Pushpit

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
}
