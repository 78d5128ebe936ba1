import Foundation
import Pushpit
import Testing
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
  public static func connect(
    _ url: String? = nil, timeout: Duration = .seconds(30), sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Pushpit {
    try await at(sourceLocation) {
      guard timeout > .zero else {
        throw PushpitError(.misuse, "timeout must be more than 0, and not \(timeout.seconds) s.")
      }
      return try await connect(url, timeout: timeout, environment: ProcessInfo.processInfo.environment)
    }
  }

  static func connect(
    _ url: String?, timeout: Duration, environment: [String: String]
  ) async throws -> Pushpit {
    var servers = if let url { [Meant(url: url)] } else { try meantServers(environment) }
    let last = servers.removeLast()
    for server in servers {
      do {
        return try await connect(to: server, timeout: timeout)
      } catch let error as PushpitError where error.kind == .noServer {
        continue
      }
    }
    return try await connect(to: last, timeout: timeout)
  }

  /// A server that may be meant.
  private struct Meant {
    /// URL of its admin API.
    let url: String
    /// Path of the server's certificate authority; nil if no state folder names it.
    var authority: String?
  }

  private static func connect(to meant: Meant, timeout: Duration) async throws -> Pushpit {
    let url = try address(meant.url)
    let api = AdminClient(url, through: HTTPDoor(url: url), patience: timeout)
    try await checkProtocol(of: api)
    let ready = try await api.get("/v1/ready")
    if let known = meant.authority, ready["ca"].text != known {
      let folder = URL(fileURLWithPath: known).deletingLastPathComponent().path
      throw PushpitError(.noServer, "\(api.url) is another server than that of \(folder), which has ended.")
    }
    let authority = try await api.text("/v1/ca.pem")
    guard (try? String(contentsOfFile: ready["ca"].text, encoding: .utf8)) != authority else {
      return Pushpit(ready, api: api, server: nil, directory: nil)
    }
    let directory = try StateDirectory()
    let keys = try await api.get("/v1/keys")["keys"].array ?? []
    let copies: [String: JSON] = [
      "ca": JSON(try directory.add("ca.pem", authority)),
      "keys": JSON(try keys.map { try copied($0, to: directory) }),
    ]
    return Pushpit(ready.adding(copies), api: api, server: nil, directory: directory)
  }

  /// The servers that may be meant, as for the commands of `pushpit` (docs/exit-codes.md). The first that answers is
  /// meant.
  private static func meantServers(_ environment: [String: String]) throws(PushpitError) -> [Meant] {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let url = variable("PUSHPIT_ADMIN") { return [Meant(url: url)] }
    let named = variable("PUSHPIT_STATE").map { NSString(string: $0).expandingTildeInPath }
    let base = variable("XDG_STATE_HOME") ?? (variable("HOME") ?? ".") + "/.local/state"
    let folder = URL(fileURLWithPath: named ?? base + "/pushpit")
    // The newest server was killed, if another one answers.
    let files = [folder.appending(path: "ready.json")] + readyFiles(in: folder.appending(path: "ready"))
    let found = files.compactMap(server)
    guard let named else { return found + [Meant(url: "http://127.0.0.1:\(standardPort)")] }
    guard !found.isEmpty else {
      throw PushpitError(.noServer, "PUSHPIT_STATE names \(named), where no server runs.")
    }
    return found
  }

  /// The ready lines of a folder's servers, newest first. A server that ends removes its own at any moment.
  private static func readyFiles(in folder: URL) -> [URL] {
    let key = URLResourceKey.contentModificationDateKey
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [key])
    let dated = (files ?? []).filter { $0.pathExtension == "json" }
      .map { (file: $0, time: (try? $0.resourceValues(forKeys: [key]).contentModificationDate) ?? .distantPast) }
    return dated.sorted { $0.time > $1.time }.map(\.file)
  }

  /// The server with that ready line; nil without one.
  private static func server(_ file: URL) -> Meant? {
    // Not a pipe, which would be waited for.
    guard (try? file.resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true,
      let bytes = try? Data(contentsOf: file), let line = try? JSONValue.parse(Array(bytes)),
      let url = line["admin"]?.string, url.hasPrefix("http://")
    else { return nil }
    return Meant(url: url, authority: line["ca"]?.string)
  }

  /// The URL without a path, with its port.
  private static func address(_ url: String) throws(PushpitError) -> String {
    let parts = URLComponents(string: url.contains("//") ? url : "http://\(url)")
    guard let parts, parts.scheme == "http", let host = parts.host, !host.isEmpty, parts.port != 0 else {
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
