import ClientCommands
import Pushpit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An output file that a command writes completely when it has finished; `-` is standard output.
///
/// The file is claimed when the command begins, so that nobody waits for a run whose report cannot be saved, and no
/// other command takes the file meanwhile. Its contents are replaced when the report is written; a file that was
/// created and not written is removed.
final class OutputFile {
  static let standardOutput = "-"

  private let path: String
  private let file: Int32
  private let isNew: Bool
  private var isWritten = false

  /// - Parameters:
  ///   - flag: the flag that names the file, for error messages.
  ///   - inputs: files that the command reads.
  init(_ path: String, for flag: String, reading inputs: [String] = []) throws(CommandFailure) {
    self.path = path
    guard path != Self.standardOutput else {
      (file, isNew) = (STDOUT_FILENO, false)
      return
    }
    isNew = access(path, F_OK) != 0
    do throws(OutputProblem) {
      file = try OutputClaim.take(path, reading: inputs)
    } catch {
      throw CommandFailure("\(flag): \(path) \(error.predicate).", .invalid)
    }
  }

  deinit {
    guard file != STDOUT_FILENO else { return }
    if isNew, !isWritten { unlink(path) }
    close(file)
  }

  /// Checks that a file can be written, without keeping it.
  static func check(_ path: String, for flag: String, reading inputs: [String] = []) throws(CommandFailure) {
    _ = try OutputFile(path, for: flag, reading: inputs)
  }

  /// Keeps a new file that something else has written.
  func keep() { isWritten = true }

  /// Replaces the contents; call it once.
  func write(_ text: String) throws(CommandFailure) {
    isWritten = true
    do throws(OutputProblem) {
      if file != STDOUT_FILENO { try OutputClaim.truncate(file) }
    } catch {
      throw CommandFailure("\(path) \(error.predicate).", .invalid)
    }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeBytes(to: file, from: $0.baseAddress, count: $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw CommandFailure("\(path) cannot be written: \(String(cString: strerror(errno))).", .invalid)
      }
      rest = rest.dropFirst(count)
    }
  }
}

/// `write` of the C library, which the name of the function above hides.
private func writeBytes(to file: Int32, from bytes: UnsafeRawPointer?, count: Int) -> Int { write(file, bytes, count) }
