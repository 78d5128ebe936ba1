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
  let api: AdminAPI
  /// Whether the environment's ports are those of other servers, too.
  private let isCell: Bool

  /// Such as `http://127.0.0.1:2190`.
  package var admin: String { api.url }

  /// Each address is the given one, or else that of the environment's ports, of the server of this state folder, or the
  /// default port. If only the admin API is given, it supplies the gateway.
  package init(_ folder: StateFolder, gateway: String? = nil, production: Bool = false, admin: String? = nil) {
    self.init(folder, gateway, production, admin, isCell: false)
  }

  /// Each cell of a fleet; its admin API says where it listens.
  package static func all(of check: CellCheck, _ folder: StateFolder, production: Bool) -> [RunningServer] {
    check.members.map { RunningServer(folder, nil, production, $0.url, isCell: true) }
  }

  private init(_ folder: StateFolder, _ gateway: String?, _ production: Bool, _ admin: String?, isCell: Bool) {
    self.folder = folder
    self.isCell = isCell
    api = AdminAPI(folder, url: admin)
    self.gateway = Self.address(
      gateway,
      production
        ? (name: "production", variable: "PUSHPIT_PRODUCTION_PORT", port: 2198)
        : (name: "sandbox", variable: "PUSHPIT_PORT", port: 2197),
      api, isCell: isCell)
  }

  /// Where channels are managed, found in the same way.
  func channelManager(_ url: String?, production: Bool) -> String {
    Self.address(
      url,
      production
        ? (name: "productionChannels", variable: "PUSHPIT_PRODUCTION_CHANNELS_PORT", port: 2196)
        : (name: "channels", variable: "PUSHPIT_CHANNELS_PORT", port: 2195),
      api, isCell: isCell)
  }

  private static func address(
    _ url: String?, _ listener: (name: String, variable: String, port: Int), _ api: AdminAPI, isCell: Bool
  ) -> String {
    let standard = "https://localhost:\(listener.port)"
    let port = isCell ? nil : getenv(listener.variable).flatMap { Int(String(cString: $0)) }
    if let url = url.map(AdminAPI.withoutSlash) ?? port.map({ "https://localhost:\($0)" }) { return url }
    if api.isGiven {
      let server = (try? api.send(.init("v1", "server")))?.value
      return server?["listeners"]?[listener.name]?.string.map { gateway($0, besides: api.url) } ?? standard
    }
    return api.note?["listeners"]?[listener.name]?.string.map { "https://\(StartupMessage.local($0))" } ?? standard
  }

  /// A listener on all addresses gets the host under which the admin API was requested.
  private static func gateway(_ listener: String, besides admin: String) -> String {
    let isEverywhere = listener.hasPrefix("0.0.0.0:") || listener.hasPrefix("[::]:")
    guard isEverywhere, let port = listener.split(separator: ":").last, let host = WebAddress(admin)?.host else {
      return "https://\(listener)"
    }
    return "https://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// The bundle id of the fleet's first app.
  func firstApp() throws(StartFailure) -> String {
    var order = AdminAPI.Order("v1", "devices")
    // Not d0, which may belong to another cell.
    order.query = [("limit", "1")]
    let view = try api.perform(order).value["devices"]?.elements?.first
    guard let app = view?["apps"]?.elements?.first?["bundleId"]?.string else {
      throw StartFailure("\(admin) named no app; choose one with --app.")
    }
    return app
  }

  /// Identifies the server at the gateway's address, without leaving a trace there.
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
