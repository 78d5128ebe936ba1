import Configuration
import Signing
import Timeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The folder where Pushpit keeps its certificate authority, its certificate and its provider keys between runs, and
/// notes its addresses while it runs.
public struct StateFolder: Sendable {
  public let path: String
  /// Returns true as long as a change may wait for the lock; nil to wait as long as it takes.
  var isAwaited: (@Sendable () -> Bool)?

  /// - Parameter path: nil for `$XDG_STATE_HOME/pushpit`, or `~/.local/state/pushpit`.
  public init(_ path: String?) {
    self.path = path.map(AbsolutePath.of) ?? Self.standard
  }

  private static var standard: String {
    if let state = AbsolutePath.variable("XDG_STATE_HOME") { return AbsolutePath.of(state) + "/pushpit" }
    return (AbsolutePath.variable("HOME") ?? ".") + "/.local/state/pushpit"
  }

  public var authorityPath: String { path + "/ca.pem" }
  /// A second certificate authority, for rehearsing a change of the root.
  public var secondAuthorityPath: String { path + "/ca-second.pem" }
  /// The path where earlier versions kept the authority's key.
  var authorityKeyPath: String { path + "/ca-key.pem" }
  var certificatePath: String { path + "/tls.pem" }
  var certificateKeyPath: String { path + "/tls-key.pem" }
  /// The ready line of the newest server that runs on this folder.
  public var readyPath: String { path + "/ready.json" }
  /// The folder of the ready lines of all servers that run on this folder.
  package var readyFolderPath: String { path + "/ready" }
  var keyListPath: String { path + "/keys.json" }
  /// The authority that signs provider certificates, instead of Apple's, and its key.
  var providerAuthorityPath: String { path + "/provider-ca.pem" }
  var providerAuthorityKeyPath: String { path + "/provider-ca-key.pem" }
  var providerListPath: String { path + "/provider-certificates.json" }
  /// The folder of provider certificates.
  public var providersPath: String { path + "/providers" }

  package func exists(_ file: String) -> Bool { Self.exists(file) }

  static func exists(_ file: String) -> Bool { access(file, F_OK) == 0 }

  /// True if nothing has this name, not even a symbolic link that leads to nothing.
  static func isMissing(_ file: String) -> Bool {
    var facts = stat()
    return lstat(file, &facts) != 0 && errno == ENOENT
  }

  /// Reason for which a symbolic link cannot be followed; nil if it leads to a file, or if this is not a link.
  static func brokenLink(_ file: String) -> String? {
    var facts = stat()
    guard lstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFLNK, stat(file, &facts) != 0 else { return nil }
    return String(cString: strerror(errno))
  }

  /// Names of files that Pushpit makes here.
  private static let ownNames = [
    ".lock", ".serving", "ca.pem", "ca-second.pem", "ca-key.pem", "tls.pem", "tls-key.pem", "tls-secondRoot.pem",
    "ready.json", "keys.json", "provider-ca.pem", "provider-ca-key.pem", "provider-certificates.json",
  ]

  /// True for a file that Pushpit makes in this folder, or will make.
  func owns(_ file: String) -> Bool {
    let whole = AbsolutePath.of(file)
    let slash = whole.lastIndex(of: "/") ?? whole.startIndex
    let (parent, name) = (String(whole[...slash]), String(whole[slash...].dropFirst()))
    return Self.ownNames.contains(name) && Self.isSame(parent, path)
      || Self.ownNames.contains { Self.isSame(whole, "\(path)/\($0)") }
  }

  private static func isSame(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  /// The folder of keys that settings have generated.
  var configuredPath: String { path + "/configured" }

  /// Makes the folder, and rejects one to which other users can write.
  func prepare() throws(SigningFailure) {
    try KeyFile.makeDirectory(path)
    for folder in [path, configuredPath, providersPath] { try FolderRights.check(folder) }
  }

  /// Removes what processes that were killed have left half-written.
  func removeDrafts() {
    let hour: Int64 = 3600
    for folder in [path, configuredPath, providersPath] {
      KeyFile.removeDrafts(in: folder, before: SystemClock.now.seconds - hour)
    }
  }

  /// A copy of this folder for a change that stops waiting for the lock once nobody waits for the change.
  func waiting(while isAwaited: @escaping @Sendable () -> Bool) -> StateFolder {
    var folder = self
    folder.isAwaited = isAwaited
    return folder
  }

  /// The folder in settings.
  public static func of(_ settings: Settings) -> StateFolder { StateFolder(settings.state) }
}
