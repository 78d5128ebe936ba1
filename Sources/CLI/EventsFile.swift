import ClientCommands
import Pushpit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file to which lines are appended in batches.
final class EventsFile {
  private let path: String
  private let file: Int32
  private var waiting: [UInt8] = []

  /// Replaces the contents of a file, unless another process is writing it.
  ///
  /// - Parameter tape: the tape that the command reads.
  init(_ path: String, reading tape: String) throws(CommandFailure) {
    self.path = path
    do throws(OutputProblem) {
      file = try OutputClaim.take(path, waits: true, reading: [tape])
      try OutputClaim.truncate(file)
    } catch {
      throw CommandFailure("\(path) \(error.predicate).", .invalid)
    }
  }

  /// Standard output.
  init() {
    path = "Standard output"
    file = STDOUT_FILENO
  }

  deinit { if file != STDOUT_FILENO { close(file) } }

  func add(_ line: String) throws(CommandFailure) {
    waiting.append(contentsOf: line.utf8)
    waiting.append(0x0A)
    if waiting.count > 1 << 18 { try finish() }
  }

  /// Writes the pending lines.
  func finish() throws(CommandFailure) {
    defer { waiting.removeAll(keepingCapacity: true) }
    var done = 0
    while done < waiting.count {
      let count = waiting.withUnsafeBytes { write(file, $0.baseAddress.map { $0 + done }, $0.count - done) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(path) }
      done += count
    }
  }

  private static func failure(_ path: String) -> CommandFailure {
    CommandFailure("\(path) cannot be written: \(String(cString: strerror(errno))).", .invalid)
  }
}
