import Configuration
import Pushpit
import Signing
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The ready line in a file, for whoever does not read the server's standard output. It is there for as long as the
/// server serves; one that was killed leaves it behind.
package struct ReadyFile: Sendable {
  private let path: String
  private let text: String

  /// Writes it, whole or not at all.
  package init(_ path: String, _ ready: ReadyLine) throws(StartFailure) {
    self.path = AbsolutePath.of(path)
    text = ready.text + "\n"
    let (text, file) = (text, self.path)
    try StartFailure.wrapping { () throws(SigningFailure) in try KeyFile.write(text, to: file, mode: 0o644) }
  }

  /// In the state folder, where `pushpit health` looks for it; nil where the folder may not be written to.
  package init?(in folder: StateFolder, _ ready: ReadyLine) {
    guard let file = try? ReadyFile(folder.readyPath, ready) else { return nil }
    self = file
  }

  /// Removes it, unless another server has written its own there meanwhile.
  package func remove() {
    if (try? KeyFile.read(path)) == text { _ = unlink(path) }
  }

  /// What the server that serves from a state folder has said; nil where none does.
  static func noted(in folder: StateFolder) -> JSONValue? {
    guard let text = try? KeyFile.read(folder.readyPath) else { return nil }
    return try? JSONValue.parse(Array(text.utf8))
  }

  /// The admin API's URL in such a file.
  package static func admin(in path: String) throws(StartFailure) -> String {
    let text = try StartFailure.wrapping { () throws(SigningFailure) in try KeyFile.read(path) }
    guard let admin = (try? JSONValue.parse(Array(text.utf8)))?["admin"]?.string else {
      throw StartFailure("\(path) is no ready line: the JSON that `pushpit serve --ready-file` writes would be right.")
    }
    return admin
  }
}
