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
/// runs; a killed server leaves it behind.
package struct ReadyFile: Sendable {
  private let path: String
  private let text: String

  /// Writes it atomically.
  package init(_ path: String, _ ready: ReadyLine) throws(StartFailure) {
    self.path = AbsolutePath.of(path)
    text = ready.text + "\n"
    let (text, file) = (text, self.path)
    try StartFailure.wrapping { () throws(SigningFailure) in try KeyFile.write(text, to: file, mode: 0o644) }
  }

  /// In the state folder, where `pushpit health` looks for it; nil if the folder is not writable.
  package init?(in folder: StateFolder, _ ready: ReadyLine) {
    guard let file = try? ReadyFile(folder.readyPath, ready) else { return nil }
    self = file
  }

  /// Removes it, unless another server has written its own meanwhile.
  package func remove() {
    if (try? KeyFile.read(path)) == text { _ = unlink(path) }
  }

  /// The ready line of the server that uses a state folder; nil if no server uses it.
  static func noted(in folder: StateFolder) -> JSONValue? {
    guard let text = try? KeyFile.read(folder.readyPath) else { return nil }
    return try? JSONValue.parse(Array(text.utf8))
  }

  /// The admin API's URL in such a file.
  package static func admin(in path: String) throws(StartFailure) -> String {
    let text = try StartFailure.wrapping { () throws(SigningFailure) in try KeyFile.read(path) }
    guard let admin = (try? JSONValue.parse(Array(text.utf8)))?["admin"]?.string else {
      throw StartFailure("\(path) is not a ready file; it must have the JSON written by `pushpit serve --ready-file`.")
    }
    return admin
  }
}
