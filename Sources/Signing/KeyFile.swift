import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Files of secrets, and the certificates beside them: whole or absent, and readable by their owner alone.
package enum KeyFile {
  /// Bytes. A PEM file of one P-256 key or certificate has less than 2,000.
  package static let longest = 65_536

  /// Writes a file beside `path` that nobody else could ever open, and moves it into place once the disk has it.
  package static func write(_ text: String, to path: String, mode: UInt16 = 0o600) throws(SigningFailure) {
    try write(Array(text.utf8), to: path, mode: mode)
  }

  package static func write(_ bytes: [UInt8], to path: String, mode: UInt16 = 0o600) throws(SigningFailure) {
    if let kind = kind(of: path), kind != S_IFREG { throw .notAFile(file: path) }
    let (folder, name) = split(path)
    guard !name.isEmpty else { throw .notAFile(file: path) }
    let draft = "\(folder)/.\(name).\(Hex.encode(try OpenSSL.random(8)))"
    do throws(Descriptor.SystemError) {
      try fill(draft, with: bytes, mode: mode)
      guard rename(draft, path) == 0 else { throw .last }
      try Descriptor(folder, O_RDONLY | O_DIRECTORY).settle()
    } catch {
      _ = unlink(draft)
      throw .unwritable(file: path, reason: error.sentence)
    }
  }

  /// The text of a file; one longer than `limit` bytes is refused rather than read.
  package static func read(_ path: String, limit: Int = longest) throws(SigningFailure) -> String {
    let bytes = try readBytes(path, limit: limit)
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText(file: path) }
    return text
  }

  /// The same of a file that need not be text.
  package static func readBytes(_ path: String, limit: Int = longest) throws(SigningFailure) -> [UInt8] {
    let bytes: [UInt8]
    do throws(Descriptor.SystemError) {
      // Without O_NONBLOCK, opening a pipe would wait for somebody to write to it.
      let file = try Descriptor(path, O_RDONLY | O_NONBLOCK)
      guard try file.isOrdinaryFile() else { throw Descriptor.SystemError(code: EISDIR) }
      bytes = try file.contents(limit: limit + 1)
    } catch {
      if error.code == EISDIR { throw .notAFile(file: path) }
      throw .unreadable(file: path, reason: error.sentence)
    }
    guard bytes.count <= limit else { throw .tooLong(file: path, limit: limit) }
    return bytes
  }

  /// Removes a file; one that is not there is no failure.
  package static func remove(_ path: String) throws(SigningFailure) {
    if unlink(path) == 0 { return }
    let refusal = Descriptor.SystemError.last
    guard refusal.code == ENOENT else { throw .unremovable(file: path, reason: refusal.sentence) }
  }

  /// Makes the folder and those above it that are missing, each open to its owner alone. Folders that exist are left
  /// as they are.
  package static func makeDirectory(_ path: String) throws(SigningFailure) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/" + part
      if mkdir(made, 0o700) == 0 { continue }
      let refusal = Descriptor.SystemError.last
      // A folder that is there may answer EROFS or EACCES before EEXIST; being there is enough.
      if kind(of: made) == S_IFDIR { continue }
      let reason = refusal.code == EEXIST ? "\(made) is a file, not a folder" : refusal.sentence
      throw .folderNotMade(path: path, reason: reason)
    }
  }

  private static func fill(_ path: String, with bytes: [UInt8], mode: UInt16) throws(Descriptor.SystemError) {
    let file = try Descriptor(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    try file.append(bytes)
    try file.setMode(mode)
    try file.settle()
  }

  /// The S_IFMT part of the mode of what `path` leads to; nil when there is nothing.
  private static func kind(of path: String) -> mode_t? {
    var facts = stat()
    return stat(path, &facts) == 0 ? facts.st_mode & S_IFMT : nil
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = String(path[..<slash])
    return (folder.isEmpty ? "/" : folder, String(path[path.index(after: slash)...]))
  }
}
