import APNs
import Pushpit
import Transport
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A running Pushpit as its own commands reach it: over the public interfaces.
package struct RunningServer: Sendable {
  package let folder: StateFolder
  /// Such as `https://localhost:2197`.
  package let gateway: String
  /// Such as `http://127.0.0.1:2190`.
  package let admin: String

  /// The server's note in the state folder, used if nothing else gives an address.
  private let note: JSONValue?
  private let givenAdmin: String?

  /// Each address is the given one, or else that of the environment's ports, of the server of this state folder, or the
  /// default port. If only the admin API is given, it supplies the gateway.
  package init(_ folder: StateFolder, gateway: String? = nil, production: Bool = false, admin: String? = nil) {
    self.folder = folder
    let note = ReadyFile.noted(in: folder)
    self.note = note
    let adminPort = Self.port("PUSHPIT_ADMIN_PORT")
    let given = admin.map(Self.withoutSlash) ?? adminPort.map { "http://127.0.0.1:\($0)" }
    self.admin = given ?? note?["admin"]?.string.map(Self.local) ?? "http://127.0.0.1:2190"
    givenAdmin = given
    self.gateway = Self.address(
      gateway,
      production
        ? (name: "production", variable: "PUSHPIT_PRODUCTION_PORT", port: 2198)
        : (name: "sandbox", variable: "PUSHPIT_PORT", port: 2197),
      givenAdmin: given, note)
  }

  /// Where channels are managed, found in the same way.
  func channelManager(_ url: String?, production: Bool) -> String {
    Self.address(
      url,
      production
        ? (name: "productionChannels", variable: "PUSHPIT_PRODUCTION_CHANNELS_PORT", port: 2196)
        : (name: "channels", variable: "PUSHPIT_CHANNELS_PORT", port: 2195),
      givenAdmin: givenAdmin, note)
  }

  private static func address(
    _ url: String?, _ listener: (name: String, variable: String, port: Int), givenAdmin: String?, _ note: JSONValue?
  ) -> String {
    let standard = "https://localhost:\(listener.port)"
    if let url = url.map(withoutSlash) ?? port(listener.variable).map({ "https://localhost:\($0)" }) { return url }
    if let givenAdmin {
      let server = try? ask(givenAdmin, "/v1/server").value
      return server?["listeners"]?[listener.name]?.string.map { gateway($0, besides: givenAdmin) } ?? standard
    }
    return note?["listeners"]?[listener.name]?.string.map { "https://\(StartupMessage.local($0))" } ?? standard
  }

  private static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }

  private static func port(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

  /// The local URL of a server that listens on all addresses.
  private static func local(_ url: String) -> String {
    let scheme = "http://"
    return url.hasPrefix(scheme) ? scheme + StartupMessage.local(String(url.dropFirst(scheme.count))) : url
  }

  /// A listener on all addresses gets the host under which the admin API was requested.
  private static func gateway(_ listener: String, besides admin: String) -> String {
    let isEverywhere = listener.hasPrefix("0.0.0.0:") || listener.hasPrefix("[::]:")
    guard isEverywhere, let port = listener.split(separator: ":").last, let host = WebAddress(admin)?.host else {
      return "https://\(listener)"
    }
    return "https://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// Further information about a server that does not answer.
  var whereFrom: String {
    guard note?["admin"]?.string.map(Self.local) == admin else { return "" }
    return " \(folder.readyPath) names a server there; the file was left behind by a killed server."
  }

  /// Sends a query to the admin API.
  func ask(_ path: String) throws(WebCall.Failure) -> (status: Int, value: JSONValue) { try Self.ask(admin, path) }

  private static func ask(_ admin: String, _ path: String) throws(WebCall.Failure) -> (status: Int, value: JSONValue) {
    let reply = try WebCall("GET", admin + path, version: .http1).perform()
    return (reply.status, (try? JSONValue.parse(reply.body)) ?? .null)
  }

  /// Sends an order to the admin API.
  func order(_ path: String, _ body: JSONValue) throws(WebCall.Failure) -> (status: Int, value: JSONValue) {
    var call = WebCall("POST", admin + path, version: .http1)
    call.headers = [("content-type", "application/json")]
    call.body = Array(body.text.utf8)
    let reply = try call.perform()
    return (reply.status, (try? JSONValue.parse(reply.body)) ?? .null)
  }

  /// The bundle id of the fleet's first app.
  func firstApp() throws -> String {
    let view: JSONValue
    do {
      view = try ask("/v1/devices/d0").value
    } catch {
      throw StartFailure("\(admin) did not answer (\(error)): is `pushpit serve` running?\(whereFrom)")
    }
    guard let app = view["apps"]?.elements?.first?["bundleId"]?.string else {
      throw StartFailure("\(admin) named no app; say which one with --app.")
    }
    return app
  }

  /// Identifies the server at the gateway's address, without a trace there.
  func probe() -> GatewayProbe.Finding {
    guard let address = WebAddress(gateway) else { return .unreachable("\(gateway) is not a URL") }
    return GatewayProbe.look(at: address.host, port: address.port, authority: folder.authorityPath)
  }

  /// Sends a request to the gateway.
  func push(
    _ path: String, _ headers: [(name: String, value: String)], _ body: [UInt8]
  ) throws(WebCall.Failure) -> WebCall.Reply {
    try send("POST", gateway + path, headers, body)
  }

  /// Sends a request to one of the server's listeners.
  func send(
    _ method: String, _ url: String, _ headers: [(name: String, value: String)], _ body: [UInt8]
  ) throws(WebCall.Failure) -> WebCall.Reply {
    var call = WebCall(method, url, version: .http2)
    call.headers = headers
    call.body = body
    call.authority = folder.authorityPath
    return try call.perform()
  }
}
