import Configuration
import Grammar
import Pushpit
import Testing
import WireFormats

/// A server for tests: an APNs with a fleet of virtual iPhones.
///
/// Tests with the trait `.pushpit(fleet:app:os:settings:)` share one in their process, and use the static members of
/// this type. ``start(fleet:settings:sourceLocation:)`` starts one without the trait, and
/// ``connect(_:timeout:sourceLocation:)`` uses one that is already running, such as one in a container.
///
/// Calls go through the admin API, so every server checks its input alike: without a socket if it runs in this process,
/// or else over HTTP. A failure points at the line of the test that made the call.
public final class Pushpit: Sendable {
  /// A key to sign provider tokens with.
  public struct Key: Hashable, Sendable {
    public let keyID: String
    public let teamID: String
    /// Path of the private key.
    public let p8: String
  }

  /// The world's clock, which all tests of this server share.
  public let clock: Clock
  /// PEM file of the certificate authority that your backend must trust.
  public let ca: String

  let api: AdminClient
  let seats: Seats
  private let listeners: JSON
  private let keys: [JSON]
  /// Nil if the server does not run in this process.
  private let server: Server?
  /// Nil if the server has its files elsewhere.
  private let directory: StateDirectory?

  /// - Parameter ready: the ready line; each `p8` is a path, or null.
  init(_ ready: JSON, api: AdminClient, server: Server?, directory: StateDirectory?) {
    self.api = api
    self.server = server
    self.directory = directory
    listeners = ready["listeners"]
    keys = ready["keys"].array ?? []
    clock = Clock(api: api)
    ca = ready["ca"].text
    seats = Seats(ready["fleet"]["devices"].int ?? 1)
  }

  /// Starts a server on free ports whose phones show every push at once. Its keys and certificates are new.
  ///
  /// - Parameters:
  ///   - fleet: the number of phones.
  ///   - settings: YAML as in a settings file, such as `clock: manual`; `docs/settings.md` lists all settings.
  public static func start(
    fleet: Int? = nil, settings: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Pushpit {
    try await at(sourceLocation) { try await start(ServerOptions(fleet: fleet, settings: settings)) }
  }

  static func start(_ options: ServerOptions) async throws -> Pushpit {
    let directory = try StateDirectory()
    do {
      let settings = try options.made(state: directory.path)
      let server = Server(settings)
      let ready = try await server.start()
      guard ready.keys.contains(where: { $0.p8 != nil }) else {
        await server.stop()
        throw PushpitError(.start, "The server has no key to sign with: add one with its p8 file to keys.")
      }
      guard let calls = server.calls else { throw PushpitError(.start, "The server has stopped at once.") }
      let line = JSON(value: try JSONValue.parse(Array(ready.text.utf8)))
      let api = AdminClient(ready.admin, through: DirectDoor(calls: calls))
      return Pushpit(line, api: api, server: server, directory: directory)
    } catch let problem as InputProblem {
      throw PushpitError(.start, problem.description)
    } catch let failure as StartFailure {
      throw PushpitError(.start, failure.description)
    }
  }

  /// Stops the server, if it runs in this process. Stopping it again does nothing.
  public func stop() async { await server?.stop() }

  /// A key that your backend can sign with.
  public func key(sourceLocation: SourceLocation = #_sourceLocation) throws(PushpitError) -> Key {
    if let key = keys.first(where: { $0["p8"].string != nil }) {
      return Key(keyID: key["keyId"].text, teamID: key["teamId"].text, p8: key["p8"].text)
    }
    guard let key = keys.first else {
      throw PushpitError(.misuse, "The server at \(url) has no key to sign with.", at: sourceLocation)
    }
    let why = key["withheld"].string ?? "only its public half is registered."
    throw PushpitError(
      .misuse, "The server at \(url) does not return key \(key["keyId"].text): \(why)", at: sourceLocation)
  }

  /// URL of the admin API.
  public var url: String { api.url }

  /// URL of the gateway, in place of `https://api.sandbox.push.apple.com` or `https://api.push.apple.com`.
  public func apns(_ environment: Environment = .sandbox) -> String {
    "https://" + api.local(listeners[environment.rawValue].text)
  }

  /// Variables for a backend in a separate process.
  public var environment: [String: String] { ["PUSHPIT_ADMIN": url] }

  /// A phone by its id, such as `d0`, to look at. A session gives each test a separate phone.
  public func phone(_ device: String, app: String? = nil) -> Phone {
    Phone(pushpit: self, device: device, session: nil, givenApp: app)
  }

  /// Pushes to any phone, newest first.
  public func pushes(
    _ filters: PushFilter..., limit: Int = 100, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [Push] {
    try await at(sourceLocation) { try await pushes(filters, limit: limit) }
  }

  func pushes(_ filters: [PushFilter], limit: Int) async throws -> [Push] {
    try await Push.rows(api.get("/v1/pushes", filters.query(limit: limit)))
  }

  /// The latest push with this `apns-id`.
  public func push(_ apnsID: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Push {
    try await at(sourceLocation) { Push(raw: try await api.get("/v1/pushes/\(AdminClient.part(apnsID))")) }
  }

  /// All faults that are set.
  public func faults(sourceLocation: SourceLocation = #_sourceLocation) async throws -> [JSON] {
    try await at(sourceLocation) { try await api.pages("/v1/faults", rows: "faults") }
  }

  /// Deletes all faults, those of sessions too, and returns how many there were.
  @discardableResult
  public func deleteFaults(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Int {
    try await at(sourceLocation) { try await api.post("/v1/reset")["deleted"].array?.count ?? 0 }
  }
}

extension Array where Element: ObjectMember {
  /// The filters of a list, and the length of its page.
  func query(limit: Int) -> [String: JSON] { ["limit": JSON(limit)].merging(object.object ?? [:]) { _, own in own } }
}
