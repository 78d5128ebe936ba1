import Signing
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Files with secrets and certificates: written completely or not at all, and readable only by their owner.
package enum KeyFile {
  /// Maximum size in bytes. A PEM file of one P-256 key or certificate has less than 2,000.
  package static let longest = 65_536

  /// Writes a file beside `path` that nobody else can open, and moves it into place once it is on disk.
  package static func write(_ text: String, to path: String, mode: UInt16 = 0o600) throws(SigningFailure) {
    try write(Array(text.utf8), to: path, mode: mode)
  }

  /// Writes a list of the state folder, if it is no longer than `limit` bytes.
  package static func write(_ list: String, to path: String, limit: Int) throws(SigningFailure) {
    guard list.utf8.count <= limit else { throw .listFull(file: path, limit: limit) }
    try write(list, to: path)
  }

  package static func write(_ bytes: [UInt8], to path: String, mode: UInt16 = 0o600) throws(SigningFailure) {
    _ = try place(bytes, at: path, mode: mode, replaces: true)
  }

  /// Writes a file in the same way, unless it exists.
  ///
  /// - Returns: false if there is one, which is unchanged.
  package static func writeNew(_ text: String, to path: String, mode: UInt16) throws(SigningFailure) -> Bool {
    try place(Array(text.utf8), at: path, mode: mode, replaces: false)
  }

  private static func place(
    _ bytes: [UInt8], at path: String, mode: UInt16, replaces: Bool
  ) throws(SigningFailure) -> Bool {
    if let kind = kind(of: path), kind != S_IFREG { throw .notAFile(file: path) }
    let (folder, name) = split(path)
    guard !name.isEmpty else { throw .notAFile(file: path) }
    let unique = (0..<draftBytes).map { _ in UInt8.random(in: 0...255) }
    let draft = "\(folder)/.\(name).\(Hex.encode(unique))"
    do throws(Descriptor.SystemError) {
      try fill(draft, with: bytes, mode: mode)
      let isThere = replaces ? false : try isLinked(draft, path)
      guard (isThere ? unlink(draft) : rename(draft, path)) == 0 else { throw .last }
      try Descriptor(folder, O_RDONLY | O_DIRECTORY).settle()
      return true
    } catch {
      _ = unlink(draft)
      if !replaces, error.code == EEXIST { return false }
      throw .unwritable(file: path, reason: error.sentence)
    }
  }

  /// Gives a file a second name, which must be new.
  ///
  /// - Returns: false if the file system has no links.
  private static func isLinked(_ file: String, _ name: String) throws(Descriptor.SystemError) -> Bool {
    if link(file, name) == 0 { return true }
    let refusal = Descriptor.SystemError.last
    guard refusal.code != EEXIST else { throw refusal }
    return false
  }

  /// The text of a file; a file longer than `limit` bytes is rejected.
  ///
  /// - Parameter followsLinks: whether the file may be a symbolic link.
  package static func read(
    _ path: String, limit: Int = longest, followsLinks: Bool = true
  ) throws(SigningFailure) -> String {
    let bytes = try readBytes(path, limit: limit, followsLinks: followsLinks)
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText(file: path) }
    return text
  }

  /// The bytes of a file, which need not be text; a file longer than `limit` bytes is rejected.
  package static func readBytes(
    _ path: String, limit: Int = longest, followsLinks: Bool = true
  ) throws(SigningFailure) -> [UInt8] {
    let bytes: [UInt8]
    do throws(Descriptor.SystemError) {
      // Without O_NONBLOCK, opening a pipe would wait for a writer.
      let file = try Descriptor(path, O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
      guard try file.isOrdinaryFile() else { throw Descriptor.SystemError(code: EISDIR) }
      if let owner = stranger(whoLinked: path), try file.owner() != owner {
        throw Descriptor.SystemError(code: ELOOP)
      }
      bytes = try file.contents(limit: limit + 1)
    } catch {
      if error.code == EISDIR { throw .notAFile(file: path) }
      if error.code == ELOOP, stranger(whoLinked: path) != nil { throw .foreignLink(file: path) }
      throw .unreadable(file: path, reason: error.sentence)
    }
    guard bytes.count <= limit else { throw .tooLong(file: path, limit: limit) }
    return bytes
  }

  /// Removes a file; a missing file is not an error.
  package static func remove(_ path: String) throws(SigningFailure) {
    if unlink(path) == 0 { return }
    let refusal = Descriptor.SystemError.last
    guard refusal.code == ENOENT else { throw .unremovable(file: path, reason: refusal.sentence) }
  }

  /// Number of random bytes in the name of a draft: `.NAME.` and their hexadecimal digits.
  static let draftBytes = 8

  /// Creates the folder and missing parent folders, accessible only to their owner. Existing folders are not changed.
  package static func makeDirectory(_ path: String) throws(SigningFailure) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/" + part
      if mkdir(made, 0o700) == 0 { continue }
      let refusal = Descriptor.SystemError.last
      // For an existing folder, the system may return EROFS or EACCES before EEXIST; that it exists is enough.
      if kind(of: made) == S_IFDIR { continue }
      throw .folderNotMade(path: path, reason: refusal.code == EEXIST ? obstacle(made) : refusal.sentence)
    }
  }

  /// Describes what is in the place of a folder, and what to do about it.
  private static func obstacle(_ path: String) -> String {
    var facts = stat()
    guard stat(path, &facts) != 0 else { return "\(path) is a file, not a folder" }
    let refusal = Descriptor.SystemError.last
    return
      "\(path) is a symbolic link that leads to no folder (\(refusal.sentence)); create the folder that it names, or"
      + " remove the link"
  }

  private static func fill(_ path: String, with bytes: [UInt8], mode: UInt16) throws(Descriptor.SystemError) {
    let file = try Descriptor(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    try file.append(bytes)
    try file.setMode(mode)
    try file.settle()
  }

  /// The user who has made the link at `path`, if that is neither this one nor root. Such a link could lead to a file
  /// that only this user may read.
  private static func stranger(whoLinked path: String) -> uid_t? {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFLNK else { return nil }
    return facts.st_uid == geteuid() || facts.st_uid == 0 ? nil : facts.st_uid
  }

  /// The S_IFMT part of the mode of the file that `path` leads to; nil if it does not exist.
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
