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

  /// Such as `http://127.0.0.1:2190`.
  package var admin: String { api.url }

  /// Each address is the given one, or else that of the environment's ports, of the server of this state folder, or the
  /// default port. If only the admin API is given, it supplies the gateway.
  package init(_ folder: StateFolder, gateway: String? = nil, production: Bool = false, admin: String? = nil) {
    self.folder = folder
    api = AdminAPI(folder, url: admin)
    let port = getenv(production ? "PUSHPIT_PRODUCTION_PORT" : "PUSHPIT_PORT").flatMap { Int(String(cString: $0)) }
    let standard = "https://localhost:\(production ? 2198 : 2197)"
    let name = production ? "production" : "sandbox"
    if let gateway = gateway.map(AdminAPI.withoutSlash) ?? port.map({ "https://localhost:\($0)" }) {
      self.gateway = gateway
    } else if api.isGiven {
      let listener = (try? api.send(.init("v1", "server")))?.value["listeners"]?[name]?.string
      let admin = api.url
      self.gateway = listener.map { Self.gateway($0, besides: admin) } ?? standard
    } else {
      self.gateway = api.note?["listeners"]?[name]?.string.map { "https://\(StartupMessage.local($0))" } ?? standard
    }
  }

  /// A listener on all addresses gets the host under which the admin API was requested.
  private static func gateway(_ listener: String, besides admin: String) -> String {
    let isEverywhere = listener.hasPrefix("0.0.0.0:") || listener.hasPrefix("[::]:")
    guard isEverywhere, let port = listener.split(separator: ":").last, let host = WebAddress(admin)?.host else {
      return "https://\(listener)"
    }
    return "https://\(host.contains(":") ? "[\(host)]" : host):\(port)"
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
    var call = WebCall("POST", gateway + path, version: .http2)
    call.headers = headers
    call.body = body
    call.authority = folder.authorityPath
    return try call.perform()
  }
}
