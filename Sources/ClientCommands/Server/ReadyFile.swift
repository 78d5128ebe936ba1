import Configuration
import Pushpit
import Signing
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file with the ready line, for programs that do not read the server's standard output. It exists while the server
/// runs; a killed server leaves it behind, and another server may then replace it.
package struct ReadyFile: Sendable {
  private let path: String
  private let text: String
  /// The descriptor whose lock keeps other servers out.
  private let claim: Int32

  /// Writes the file atomically, unless a running server has written it.
  package init(_ path: String, _ ready: ReadyLine) throws(StartFailure) {
    self.path = AbsolutePath.of(path)
    text = ready.text + "\n"
    claim = try Self.write(text, to: self.path)
  }

  /// Programs of other users may read it.
  private static let mode: UInt16 = 0o644

  /// Checks that no running server has written a ready file.
  package static func checkFree(_ path: String) throws(StartFailure) {
    if let stale = try existing(AbsolutePath.of(path)) { close(stale) }
  }

  /// Locks the file of a server that was killed, or one that is empty; nil if there is no file.
  private static func existing(_ path: String) throws(StartFailure) -> Int32? {
    let claim: Int32?
    do throws(OutputProblem) {
      claim = try OutputClaim.takeExisting(path)
    } catch {
      throw StartFailure("--ready-file: \(path) \(error.predicate).", isOfInput: true)
    }
    guard let claim else { return nil }
    var facts = stat()
    let isEmpty = fstat(claim, &facts) == 0 && facts.st_size == 0
    guard isEmpty || (try? admin(in: path)) != nil else {
      close(claim)
      throw StartFailure("--ready-file: \(path) is another file, which is not overwritten.", isOfInput: true)
    }
    return claim
  }

  /// - Returns: the locked file.
  private static func write(_ text: String, to path: String) throws(StartFailure) -> Int32 {
    for _ in 0..<OutputClaim.attempts {
      if let stale = try existing(path) {
        // While the stale file is locked, no other server replaces it.
        defer { close(stale) }
        try StartFailure.wrapping { () throws(SigningFailure) in try KeyFile.write(text, to: path, mode: mode) }
      } else {
        let isWritten = try StartFailure.wrapping { () throws(SigningFailure) in
          try KeyFile.writeNew(text, to: path, mode: mode)
        }
        guard isWritten else { continue }
      }
      if let file = try existing(path) { return file }
    }
    throw StartFailure("--ready-file: \(path) \(OutputProblem.inUse(by: nil).predicate).", isOfInput: true)
  }

  /// Removes it, unless another server has written its own meanwhile.
  package func remove() {
    if (try? KeyFile.read(path)) == text { _ = unlink(path) }
    close(claim)
  }

  /// The admin API's URL in such a file.
  package static func admin(in path: String) throws(CommandFailure) -> String {
    let text: String
    do {
      text = try KeyFile.read(path)
    } catch {
      throw CommandFailure(error.description)
    }
    guard let admin = (try? JSONValue.parse(Array(text.utf8)))?["admin"]?.string else {
      throw CommandFailure(
        "\(path) is not a ready file; it must have the JSON written by `pushpit serve --ready-file`.")
    }
    return admin
  }
}
