import Signing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The rights to a folder of secrets: whoever can write to it can replace them.
package enum FolderRights {
  /// Rejects a folder to which other users can write; one that does not exist is sound.
  package static func check(_ path: String) throws(SigningFailure) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return }
    if let flaw = flaw(of: path, owner: facts.st_uid, mode: facts.st_mode, for: geteuid()) { throw flaw }
  }

  /// The reason not to trust a folder; nil if it is sound.
  ///
  /// Root may do everything anyway, so its folders are sound. For root, those of every user are sound too: in a
  /// container, root uses folders that the machine's user has made. What a link of that user may lead to, `KeyFile`
  /// checks.
  static func flaw(of path: String, owner: uid_t, mode: mode_t, for user: uid_t) -> SigningFailure? {
    guard owner == user || owner == 0 || user == 0 else { return .folderForeign(path: path, owner: owner, user: user) }
    // Of the group or of all others.
    return mode & 0o022 == 0 ? nil : .folderOpen(path: path, mode: UInt32(mode & 0o7777))
  }
}
