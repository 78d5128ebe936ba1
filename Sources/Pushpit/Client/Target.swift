import Transport
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A running Pushpit as its own commands reach it: through the same doors as everybody else.
public struct Target: Sendable {
  public let folder: StateFolder
  /// Such as `https://localhost:2197`.
  public let gateway: String
  /// Such as `http://127.0.0.1:2190`.
  public let admin: String

  /// - Parameters:
  ///   - gateway: nil for the standard port of this machine, or the one the environment names.
  ///   - admin: likewise.
  public init(_ folder: StateFolder, gateway: String? = nil, production: Bool = false, admin: String? = nil) {
    self.folder = folder
    let port =
      production ? Self.port("PUSHPIT_PRODUCTION_PORT", standard: 2198) : Self.port("PUSHPIT_PORT", standard: 2197)
    self.gateway = gateway.map(Self.withoutSlash) ?? "https://localhost:\(port)"
    self.admin = admin.map(Self.withoutSlash) ?? "http://127.0.0.1:\(Self.port("PUSHPIT_ADMIN_PORT", standard: 2190))"
  }

  private static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }

  private static func port(_ name: String, standard: Int) -> Int {
    getenv(name).flatMap { Int(String(cString: $0)) } ?? standard
  }

  /// Asks the admin API.
  func ask(_ path: String) throws(WebCall.Failure) -> (status: Int, value: JSONValue) {
    let reply = try WebCall("GET", admin + path, version: .http1).perform()
    return (reply.status, (try? JSONValue.parse(reply.body)) ?? .null)
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
