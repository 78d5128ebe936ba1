import Foundation
import Pushpit
import WireFormats

extension Pushpit {
  /// The port of the admin API, if a URL names none.
  private static let standardPort = 2190

  /// Uses a server that is already running, such as one in a container, which other suites may use at the same time. If
  /// its files are not on this machine, its certificate authority and its keys are downloaded.
  ///
  /// - Parameters:
  ///   - url: that of its admin API, such as `http://127.0.0.1:2190`. Without it, the server is that of
  ///     `PUSHPIT_ADMIN`, `PUSHPIT_STATE`, the default state folder, or port 2190: the first of them that is there.
  ///   - timeout: the time that an answer of its admin API may take.
  public static func connect(_ url: String? = nil, timeout: Duration = .seconds(30)) async throws -> Pushpit {
    try await connect(url, timeout: timeout, environment: ProcessInfo.processInfo.environment)
  }

  static func connect(
    _ url: String?, timeout: Duration, environment: [String: String]
  ) async throws -> Pushpit {
    let meant: (url: String, authority: String?) = if let url { (url, nil) } else { try runningServer(environment) }
    let api = AdminClient(try address(meant.url), patience: timeout)
    try await checkProtocol(of: api)
    let ready = try await api.get("/v1/ready")
    if let known = meant.authority, ready["ca"].text != known {
      let folder = URL(fileURLWithPath: known).deletingLastPathComponent().path
      throw PushpitError(.noServer, "\(api.url) is another server than that of \(folder), which has ended.")
    }
    let authority = try await api.text("/v1/ca.pem")
    guard (try? String(contentsOfFile: ready["ca"].text, encoding: .utf8)) != authority else {
      return Pushpit(ready, api, nil, nil)
    }
    let directory = try StateDirectory()
    let keys = try await api.get("/v1/keys")["keys"].array ?? []
    let copies: [String: JSON] = [
      "ca": JSON(try directory.add("ca.pem", authority)),
      "keys": JSON(try keys.map { try copied($0, to: directory) }),
    ]
    return Pushpit(ready.adding(copies), api, nil, directory)
  }

  /// The server that the commands of `pushpit` would use (docs/exit-codes.md), and its certificate authority if a state
  /// folder names it.
  private static func runningServer(
    _ environment: [String: String]
  ) throws(PushpitError) -> (url: String, authority: String?) {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let url = variable("PUSHPIT_ADMIN") { return (url, nil) }
    let named = variable("PUSHPIT_STATE").map { NSString(string: $0).expandingTildeInPath }
    let base = variable("XDG_STATE_HOME") ?? (variable("HOME") ?? ".") + "/.local/state"
    let folder = named ?? base + "/pushpit"
    let text = try? String(contentsOf: readyFile(in: URL(fileURLWithPath: folder)), encoding: .utf8)
    if let text, let line = try? JSON(value: JSONValue.parse(Array(text.utf8))), let url = line["admin"].string {
      return (url, line["ca"].text)
    }
    guard let named else { return ("http://127.0.0.1:\(standardPort)", nil) }
    throw PushpitError(.noServer, "PUSHPIT_STATE names \(named), where no server runs.")
  }

  /// The ready line of the newest server of a folder that lives: `ready.json` is that of a server even after it was
  /// killed.
  private static func readyFile(in folder: URL) -> URL {
    let key = URLResourceKey.contentModificationDateKey
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder.appending(path: "ready"), includingPropertiesForKeys: [key])
    let living = (files ?? []).filter { $0.pathExtension == "json" && lives($0.lastPathComponent) }
    let dated = living.map { (file: $0, time: try? $0.resourceValues(forKeys: [key]).contentModificationDate) }
    let newest = dated.max { ($0.time ?? .distantPast) < ($1.time ?? .distantPast) }
    return newest?.file ?? folder.appending(path: "ready.json")
  }

  /// True if the process after which a ready line is named runs.
  private static func lives(_ name: String) -> Bool {
    guard let pid = pid_t(name.prefix { $0.isNumber }) else { return false }
    return kill(pid, 0) == 0 || errno == EPERM
  }

  /// The URL without a path, with its port.
  private static func address(_ url: String) throws(PushpitError) -> String {
    let parts = URLComponents(string: url.contains("//") ? url : "http://\(url)")
    guard let parts, parts.scheme == "http", let host = parts.host, !host.isEmpty else {
      throw PushpitError(.misuse, "\(url) is not the address of an admin API, such as http://127.0.0.1:2190.")
    }
    let named = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    return "http://\(named):\(parts.port ?? standardPort)"
  }

  private static func checkProtocol(of api: AdminClient) async throws {
    let answer: JSON
    do {
      answer = try await api.get("/version")
    } catch let error as PushpitError {
      guard let status = error.status else { throw error }
      throw PushpitError(.noServer, "\(api.url) is not Pushpit: it answered GET /version with \(status).")
    }
    guard answer["name"].string == "pushpit" else {
      throw PushpitError(.noServer, "\(api.url) is not Pushpit: its answer to GET /version does not name Pushpit.")
    }
    guard answer["protocol"].int != ReadyLine.protocolNumber else { return }
    throw PushpitError(
      .wrongVersion,
      "The server at \(api.url) is Pushpit \(answer["version"].text), and this library (pushpit \(Version.text)) is "
        + "for protocol \(ReadyLine.protocolNumber); use the same version of both.")
  }

  /// The key with its private half in a file; `p8` stays null if the server withholds it.
  private static func copied(_ key: JSON, to directory: StateDirectory) throws(PushpitError) -> JSON {
    guard let text = key["p8"].string else { return key }
    return key.adding(["p8": JSON(try directory.add("AuthKey_\(AdminClient.part(key["keyId"].text)).p8", text))])
  }
}

extension AdminClient {
  /// A listener on all addresses is reached under the host of the admin API, or on this machine.
  func local(_ listener: String) -> String {
    for (all, loopback) in [("0.0.0.0:", "127.0.0.1"), ("[::]:", "[::1]")] where listener.hasPrefix(all) {
      let host = url.dropFirst("http://".count).prefix { $0 != "/" }
      let named = host.hasPrefix(all) ? loopback[...] : host[..<(host.lastIndex(of: ":") ?? host.endIndex)]
      return "\(named):\(listener.dropFirst(all.count))"
    }
    return listener
  }
}
