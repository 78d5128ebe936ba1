import Configuration
import Grammar
import Pushpit

/// One Pushpit in this process: an APNs with a fleet of virtual iPhones.
///
/// Tests with the trait `.pushpit(fleet:app:os:settings:)` share one, and use the static members of this
/// type. ``start(fleet:settings:)`` starts one without the trait.
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
  /// A key that your backend can sign with.
  public let key: Key

  let api: AdminClient
  let seats: Seats
  /// Where `key` is.
  let folder: StateFolder
  private let server: Server
  private let ready: ReadyLine
  private let directory: StateDirectory

  private init(_ server: Server, _ ready: ReadyLine, _ settings: Settings, _ directory: StateDirectory) throws {
    guard let key = ready.keys.first(where: { $0.p8 != nil }) else {
      throw PushpitError(.start, "The server has no key to sign with: add one with its p8 file to keys.")
    }
    self.server = server
    self.ready = ready
    self.directory = directory
    folder = StateFolder.of(settings)
    api = AdminClient(ready, of: server)
    clock = Clock(api: api)
    ca = ready.authority
    self.key = Key(keyID: key.keyID, teamID: key.teamID, p8: key.p8 ?? "")
    seats = Seats(Int(ready.devices))
  }

  /// Starts a server on free ports whose phones show every push at once. Its keys and certificates are new.
  ///
  /// - Parameters:
  ///   - fleet: the number of phones.
  ///   - settings: YAML as in a settings file, such as `clock: manual`; `docs/settings.md` lists all settings.
  public static func start(fleet: Int? = nil, settings: String = "") async throws -> Pushpit {
    try await start(ServerOptions(fleet: fleet, settings: settings))
  }

  static func start(_ options: ServerOptions) async throws -> Pushpit {
    let directory = try StateDirectory()
    do {
      let settings = try options.made(state: directory.path)
      let server = Server(settings)
      return try Pushpit(server, try await server.start(), settings, directory)
    } catch let problem as InputProblem {
      throw PushpitError(.start, problem.description)
    } catch let failure as StartFailure {
      throw PushpitError(.start, failure.description)
    }
  }

  /// Stops the server. To stop it again does nothing.
  public func stop() async { await server.stop() }

  /// URL of the admin API.
  public var url: String { api.url }

  /// URL of the sandbox, in place of `https://api.sandbox.push.apple.com`.
  public var apns: String { "https://\(ready.sandbox)" }

  /// URL of production, in place of `https://api.push.apple.com`.
  public var production: String { "https://\(ready.production)" }

  /// Variables for a backend in a process of its own.
  public var environment: [String: String] { ["PUSHPIT_ADMIN": url] }

  /// A phone by its id, such as `d0`, to look at. Tests get one of their own by a session.
  public func phone(_ device: String, app: String? = nil) -> Phone {
    Phone(pushpit: self, device: device, session: nil, givenApp: app)
  }

  /// Pushes to any phone, newest first. Filters are those of `GET /v1/pushes`.
  public func pushes(_ filters: [String: JSON] = [:]) async throws -> [Push] {
    try await Push.rows(api.get("/v1/pushes", filters))
  }

  /// Sets a fault for all pushes, connections and phones. For one test, use ``Session/fault(_:)``.
  @discardableResult
  public func fault(_ words: [String: JSON]) async throws -> Fault { try await Fault.set(words, nil, api) }

  /// All faults that are set.
  public func faults() async throws -> [JSON] { try await api.pages("/v1/faults", "faults") }

  /// Deletes all faults, those of sessions too, and returns how many there were.
  @discardableResult
  public func deleteFaults() async throws -> Int { try await api.post("/v1/reset")["removed"].int ?? 0 }
}
