import APNs
import Grammar
import Pushpit
import Transport
import WireFormats

/// A running Pushpit as its own commands reach it: over the public interfaces.
package struct RunningServer: Sendable {
  package let folder: StateFolder
  /// The address of the gateway, such as `https://localhost:2197`.
  package let gateway: String
  let api: AdminAPI
  /// The authority that its clients must trust.
  let authority: TrustedAuthority
  /// The server's ready line; nil if it does not answer.
  let line: JSONValue?
  /// True if certificates and keys of the folder are those of the server.
  let isFolderItsOwn: Bool
  /// True if the caller has named the gateway.
  private let hasGivenGateway: Bool

  /// The address of the admin API, such as `http://127.0.0.1:2190`.
  package var admin: String { api.url }

  /// - Parameter gateway: nil for the listener that the server names.
  package init(_ address: ServerAddress, gateway: String? = nil, production: Bool = false) {
    folder = address.folder
    api = AdminAPI(address)
    isFolderItsOwn = address.isFolderItsOwn
    line = address.line ?? api.readyLine()
    authority = Self.authority(of: api, address)
    hasGivenGateway = gateway != nil
    self.gateway =
      gateway.map(AdminAPI.withoutSlash)
      ?? Self.listener(production ? ("production", 2198) : ("sandbox", 2197), of: line, besides: api.url)
  }

  /// Each cell of a fleet; its admin API reports where it listens.
  package static func all(
    of check: CellCheck, _ folder: StateFolder, production: Bool
  ) throws -> [RunningServer] {
    try check.members.map { member in
      let address = try ServerAddress(url: member.url, named: "--cells", folder, isItsOwn: true)
      return RunningServer(address, production: production)
    }
  }

  /// Checks that requests will go to the server that was meant: without its ready line, the addresses of its listeners
  /// are only guessed.
  func checkListeners() throws(CommandFailure) {
    if !hasGivenGateway { try api.checkServer() }
  }

  /// URL of the channel management.
  func channelManager(_ url: String?, production: Bool) -> String {
    url.map(AdminAPI.withoutSlash)
      ?? Self.listener(
        production ? ("productionChannels", 2196) : ("channels", 2195), of: line, besides: api.url)
  }

  /// The folder's authority if the folder is the server's; otherwise the authority that the server reports.
  private static func authority(of api: AdminAPI, _ address: ServerAddress) -> TrustedAuthority {
    let path = address.folder.authorityPath
    if address.isFolderItsOwn, address.folder.exists(path) { return .file(path) }
    guard let text = api.authority() else { return .file(path) }
    return .text(text, from: api.url + "/v1/ca.pem")
  }

  private static func listener(
    _ listener: (name: String, port: Int), of line: JSONValue?, besides admin: String
  ) -> String {
    line?["listeners"]?[listener.name]?.string.map { gateway($0, besides: admin) }
      ?? "https://localhost:\(listener.port)"
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
  func firstApp() throws(CommandFailure) -> String {
    var order = AdminAPI.Order("v1", "devices")
    // Not d0, which may belong to another cell.
    order.query = [("limit", "1")]
    let view = try api.perform(order).value["devices"]?.elements?.first
    guard let app = view?["apps"]?.elements?.first?["bundleId"]?.string else {
      throw CommandFailure("\(admin) named no app; choose one with --app.")
    }
    return app
  }

  /// Signs provider tokens with a key of the folder, or with one that the server names and that can be read here.
  ///
  /// - Parameters:
  ///   - keyID: nil for the first key of the app's team, or the first of all.
  ///   - app: bundle id of the app that is pushed to.
  func signer(_ keyID: String?, for app: String) throws -> ProviderSigner {
    try signer(keyID ?? key(of: app))
  }

  /// The id of the first key of an app's team; nil if there is only one key, or none of that team.
  private func key(of app: String) -> String? {
    guard let keys = api.readyLine()?["keys"]?.elements, keys.count > 1,
      let apps = try? api.perform(AdminAPI.Order("v1", "apps")).value["apps"]?.elements,
      let team = apps.first(where: { $0["bundleId"]?.string == app })?["teamId"]?.string
    else { return nil }
    return keys.first { $0["teamId"]?.string == team }?["keyId"]?.string
  }

  /// - Parameter keyID: nil for the first key.
  func signer(_ keyID: String?) throws -> ProviderSigner {
    let mine = Result { try ProviderSigner(folder, keyID: keyID) }
    if isFolderItsOwn, case .success(let signer) = mine { return signer }
    for key in line?["keys"]?.elements ?? [] {
      guard let id = key["keyId"]?.string, keyID == nil || id == keyID, let team = key["teamId"]?.string
      else { continue }
      if let path = key["p8"]?.string, let signer = try? ProviderSigner(p8: path, keyID: id, teamID: team) {
        return signer
      }
      // The folder may be a copy of that of a server on another machine.
      if let signer = try? ProviderSigner(folder, keyID: id) { return signer }
    }
    // Any other key of the folder would only be rejected, unless the caller has named it.
    guard isFolderItsOwn || keyID != nil || line == nil else {
      throw CommandFailure(
        "No private key of \(admin) can be read here; name its state folder with --state, or a key with --key-id.")
    }
    return try mine.get()
  }

  /// Identifies the server at the gateway's address, without leaving a trace there.
  func probe() -> GatewayProbe.Finding {
    guard let address = WebAddress(gateway) else { return .unreachable("\(gateway) is not a URL") }
    return GatewayProbe.look(at: address.host, port: address.port, authority: authority)
  }

  /// Sends a request to the gateway.
  func push(
    _ path: String, headers: [(name: String, value: String)], body: [UInt8]
  ) throws(CommandFailure) -> WebCall.Reply {
    try send("POST", to: gateway, path, headers: headers, body: body)
  }

  /// Sends a request to one of the server's listeners.
  func send(
    _ method: String, to listener: String, _ path: String, headers: [(name: String, value: String)], body: [UInt8]
  ) throws(CommandFailure) -> WebCall.Reply {
    // HTTP/2 has no form for it.
    let flawed = headers.first { $0.value.unicodeScalars.contains { $0.properties.generalCategory == .control } }
    if let flawed {
      throw CommandFailure("\(flawed.name) cannot be sent: its value has a control character.", .invalid)
    }
    var call = WebCall(method, listener + path, version: .http2)
    call.headers = headers
    call.body = body
    call.authority = authority
    do {
      return try call.perform()
    } catch {
      throw CommandFailure(noAnswer: listener, error)
    }
  }

  /// The app whose channels are meant: the value of `--app`, or the fleet's first.
  func channelApp(_ named: String?) throws -> String {
    guard let named else { return try firstApp() }
    guard Topic(named) != nil, named.contains(where: { $0 != "." }) else {
      throw InputProblem("--app must be a bundle id such as com.example.app, not \(Wording.quoted(named)).")
    }
    return named
  }
}
