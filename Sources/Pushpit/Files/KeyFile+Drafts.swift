#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension KeyFile {
  /// Removes drafts that were last changed before a time, in Unix seconds. A draft is in use for less than a second; an
  /// older one was left by a process that was killed, and may have a secret.
  package static func removeDrafts(in folder: String, before limit: Int64) {
    guard let listing = opendir(folder) else { return }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { place in
        place.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: place.pointee)) {
          String(cString: $0)
        }
      }
      let path = folder + "/" + name
      var facts = stat()
      guard isDraft(name), lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, changed(facts) < limit else {
        continue
      }
      _ = unlink(path)
    }
  }

  private static func isDraft(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 2, parts[0].isEmpty, let end = parts.last else { return false }
    return end.utf8.count == 2 * draftBytes && end.allSatisfy(\.isHexDigit)
  }

  private static func changed(_ facts: stat) -> Int64 {
    #if canImport(Glibc)
      Int64(facts.st_mtim.tv_sec)
    #else
      Int64(facts.st_mtimespec.tv_sec)
    #endif
  }
}
