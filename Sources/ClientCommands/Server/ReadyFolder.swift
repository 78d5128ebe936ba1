import Pushpit
import Signing
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The servers that run on a state folder.
///
/// `ready/<pid>.json` has the ready line of each, and is locked while its server lives; `ready.json` is a link to the
/// newest, for programs that look for one server.
struct ReadyFolder: Sendable {
  /// A server's ready line.
  struct Server: Sendable {
    let line: JSONValue
    /// URL of its admin API.
    let admin: String
  }

  private let folder: StateFolder
  private var path: String { folder.readyFolderPath }

  /// Longest wait for the lock of the folder.
  private static let patience: Duration = .seconds(1)
  /// Programs of other users may read the files.
  private static let mode: UInt16 = 0o644

  init(_ folder: StateFolder) { self.folder = folder }

  /// The servers that live, newest first.
  var servers: [Server] {
    files.filter { OutputClaim.isInUse($0.path) }.compactMap { file in
      guard let text = try? KeyFile.read(file.path), let line = try? JSONValue.parse(Array(text.utf8)),
        let admin = line["admin"]?.string
      else { return nil }
      return Server(line: line, admin: AdminAPI.local(admin))
    }
  }

  private struct File {
    let name: String
    let path: String
    let pid: pid_t
    /// Time of the last change, in nanoseconds since 1970.
    let time: Int64
  }

  /// The ready lines in the folder, newest first.
  private var files: [File] {
    guard let list = opendir(path) else { return [] }
    defer { closedir(list) }
    var found: [File] = []
    while let entry = readdir(list) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasSuffix(".json"), let pid = pid_t(name.prefix { $0.isNumber }) else { continue }
      var facts = stat()
      guard stat(path + "/" + name, &facts) == 0 else { continue }
      found.append(File(name: name, path: path + "/" + name, pid: pid, time: facts.written))
    }
    return found.sorted { ($0.time, $0.name) > ($1.time, $1.name) }
  }

  // MARK: - The file of one server

  /// Writes a ready line into the folder.
  ///
  /// - Returns: the file and the descriptor that has its lock; nil if the folder is not writable.
  fileprivate func write(_ line: String) -> (file: String, claim: Int32)? {
    guard (try? KeyFile.makeDirectory(path)) != nil else { return nil }
    removeStale()
    for attempt in 0..<OutputClaim.attempts {
      // Servers in containers that share the folder may have the same number.
      let file = "\(path)/\(getpid())" + (attempt == 0 ? "" : "-\(attempt)") + ".json"
      guard !OutputClaim.isInUse(file) else { continue }
      guard (try? KeyFile.write(line, to: file, mode: Self.mode)) != nil else { return nil }
      guard let claim = try? OutputClaim.takeExisting(file) else { continue }
      link()
      return (file, claim)
    }
    return nil
  }

  /// Removes the files of servers that were killed.
  private func removeStale() {
    for file in files where kill(file.pid, 0) != 0 && errno == ESRCH {
      // Locked, so that a server that writes the file at this moment keeps it.
      guard let claim = try? OutputClaim.takeExisting(file.path) else { continue }
      _ = unlink(file.path)
      close(claim)
    }
  }

  /// Points the link `ready.json` to the newest running server, or removes it if no server runs.
  fileprivate func link() {
    // Two servers that begin or end at once would otherwise leave a link to the older one.
    // Another program may hold the lock for long; a server must not wait for it when it ends.
    let end = ContinuousClock.now + Self.patience
    guard let lock = try? FolderLock(folder.path, while: { ContinuousClock.now < end }) else { return }
    lock.hold {
      guard let newest = files.first(where: { OutputClaim.isInUse($0.path) }) else {
        _ = unlink(folder.readyPath)
        return
      }
      let draft = "\(path)/.link"
      _ = unlink(draft)
      if symlink("ready/\(newest.name)", draft) == 0 { _ = rename(draft, folder.readyPath) }
    }
  }
}

extension stat {
  /// Time of the last change, in nanoseconds since 1970.
  fileprivate var written: Int64 {
    #if canImport(Glibc)
      Int64(st_mtim.tv_sec) * 1_000_000_000 + Int64(st_mtim.tv_nsec)
    #else
      Int64(st_mtimespec.tv_sec) * 1_000_000_000 + Int64(st_mtimespec.tv_nsec)
    #endif
  }
}

/// The ready line of a server in its state folder, where commands find the server while it lives.
package struct Announcement: Sendable {
  private let folder: ReadyFolder
  private let file: String
  /// The descriptor whose lock shows that the server is running.
  private let claim: Int32

  /// Nil if the folder is not writable.
  package init?(_ line: ReadyLine, in folder: StateFolder) {
    self.folder = ReadyFolder(folder)
    guard let written = self.folder.write(line.text + "\n") else { return nil }
    (file, claim) = written
  }

  package func remove() {
    _ = unlink(file)
    close(claim)
    folder.link()
  }
}
