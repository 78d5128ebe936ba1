import Configuration
import Grammar
import Pushpit
import Transport
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The running server that a command means, and its state folder.
///
/// The first of these that is given says it: `--admin`, `--state`, `PUSHPIT_ADMIN`, `PUSHPIT_STATE`. Whatever is named
/// and has no server is an error. If nothing is named, it is the server of the default state folder, or else port 2190.
package struct ServerAddress: Sendable {
  /// URL of the admin API, such as `http://127.0.0.1:2190`.
  package let admin: String
  /// Folder of certificates and keys.
  package let folder: StateFolder
  /// The server's ready line in its folder; nil if only the URL is known.
  let line: JSONValue?
  /// True if certificates and keys of the folder are those of the server.
  let isFolderItsOwn: Bool
  /// A sentence about other servers that may be meant.
  package let note: String?

  /// The URL if nothing is named.
  static let usual = "http://127.0.0.1:2190"

  /// - Parameters:
  ///   - admin: the value of `--admin`.
  ///   - state: the value of `--state`.
  /// - Throws: `InputProblem` for a value that is not valid, `CommandFailure` if there is no such server.
  package init(admin: String?, state: String?) throws {
    let settings = try Self.settings(state: state)
    let folder = StateFolder.of(settings)
    if let admin {
      try self.init(url: admin, named: "--admin", folder, isItsOwn: state != nil)
    } else if state == nil, let url = AbsolutePath.variable("PUSHPIT_ADMIN") {
      try self.init(url: url, named: "PUSHPIT_ADMIN", folder, isItsOwn: state != nil)
    } else if let found = Self(serving: folder) {
      self = found
    } else if settings.state == nil {
      let note = "no server runs on \(folder.path): this is the one at \(Self.usual), if there is one."
      self.init(Self.usual, folder: folder, line: nil, isItsOwn: true, note: note)
    } else {
      throw CommandFailure(
        "No server runs on the state folder \(folder.path); `pushpit serve --state` starts one, and --admin names"
          + " another.", .noServer)
    }
  }

  /// The newest server on a folder; nil if none runs there.
  init?(serving folder: StateFolder) {
    let servers = ReadyFolder(folder).servers
    guard let newest = servers.first else { return nil }
    var note: String?
    if servers.count > 1 {
      let others = servers.dropFirst().map(\.admin).joined(separator: ", ")
      note =
        "\(servers.count) servers run on \(folder.path): this is the newest, \(newest.admin); --admin names another"
        + " (\(others))."
    }
    self.init(newest.admin, folder: folder, line: newest.line, isItsOwn: true, note: note)
  }

  /// A server by the URL of its admin API, with the folder of this command.
  ///
  /// - Parameter name: the flag or variable that has the URL.
  init(url: String, named name: String, _ folder: StateFolder, isItsOwn: Bool) throws(InputProblem) {
    try Self.check(url, named: name)
    self.init(url.hasSuffix("/") ? String(url.dropLast()) : url, folder: folder, line: nil, isItsOwn: isItsOwn)
  }

  /// - Parameter name: the flag or variable that has the URL.
  static func check(_ url: String, named name: String) throws(InputProblem) {
    guard url.hasPrefix("http://") || url.hasPrefix("https://"), WebAddress(url) != nil else {
      throw InputProblem(
        "\(name) must be the URL of an admin API such as \(Self.usual), not \(Wording.quoted(url)).")
    }
  }

  private init(_ admin: String, folder: StateFolder, line: JSONValue?, isItsOwn: Bool, note: String? = nil) {
    self.admin = admin
    self.folder = folder
    self.line = line
    isFolderItsOwn = isItsOwn
    self.note = note
  }

  /// The settings of the environment, with a state folder that is named.
  package static func settings(state: String?) throws(InputProblem) -> Settings {
    try Settings.gathered(file: nil, flags: state.map { [Settings.Flag(key: "state", value: $0)] } ?? [])
  }
}
