import ClientCommands

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Output: messages for people go to standard error, data for programs goes to standard output, in complete lines and
/// without buffering.
enum Terminal {
  static func say(_ text: String) { LineWriter.write(TerminalText.lines(text), to: STDERR_FILENO) }

  /// Opens `/dev/null` in place of each standard stream that was closed when the program began. Otherwise a file that
  /// the program opens would get its number, and messages would be written into that file.
  static func openClosedStreams() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
      // The lowest free number, which is that of the stream.
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// Ends the program if standard output cannot be written: what is lost was not done.
  static func announce(_ line: String) {
    let error = LineWriter.write(line, to: STDOUT_FILENO)
    guard error != 0 else { return }
    say("Error: standard output cannot be written: \(String(cString: strerror(error))).")
    _exit(CommandExit.invalid.rawValue)
  }

  static func announce(_ lines: [StyledLine]) {
    for line in lines { announce(line.text(inColour: hasColour)) }
  }

  /// Columns of the terminal; nil if standard output is not one.
  static var columns: Int? { columns(of: STDOUT_FILENO) }

  private static func columns(of stream: Int32) -> Int? {
    var size = winsize()
    guard isatty(stream) == 1, ioctl(stream, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// https://no-color.org: no color if the variable has any value.
  private static var hasColour: Bool {
    func value(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
    return isatty(STDOUT_FILENO) == 1 && value("NO_COLOR").isEmpty && value("TERM") != "dumb"
  }

  /// Overwrites the current line of a terminal. What does not fit is cut: it would stay as a line of its own.
  static func replaceLine(_ text: String) {
    let text = columns(of: STDERR_FILENO).map { TerminalText.cut(text, to: $0) } ?? text
    // ECMA-48: CR moves to the beginning of the line, EL (ESC [ K) erases to its end.
    let bytes = Array("\r\u{1B}[K\(text)".utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
