import APNs
import Configuration
import Foundation
import Pushpit
import TestSupport
import Testing
import Transport
import WireFormats

@Suite("A server in this process", .serialized)
struct ServerTests {
  private func settings(_ folder: TemporaryFolder, devices: UInt32 = 3) -> Settings {
    var settings = Settings()
    settings.takesFreePorts = true
    settings.state = folder.path
    settings.devices = devices
    settings.wire.loops = 1
    return settings
  }

  /// The response of the admin API to a GET; nil if the server does not respond.
  private func ask(_ ready: ReadyLine, _ path: String) -> JSONValue? {
    var call = WebCall("GET", ready.admin + path, version: .http1)
    call.timeout = .seconds(600)
    let reply = try? call.perform()
    return reply.flatMap { try? JSONValue.parse($0.body) }
  }

  /// The status of the response to a push to the first device.
  private func push(_ ready: ReadyLine, _ folder: TemporaryFolder) throws -> Int {
    let app = try #require(ask(ready, "/v1/devices/d0")?["apps"]?.elements?.first)
    let token = try #require(app["deviceToken"]?.string)
    var call = WebCall("POST", "https://\(ready.sandbox)/3/device/\(token)", version: .http2)
    call.headers = [
      ("authorization", "bearer " + (try ProviderSigner(StateFolder(folder.path), keyID: nil).token())),
      ("apns-topic", try #require(app["bundleId"]?.string)),
    ]
    call.body = Array(#"{"aps":{"alert":"Hi"}}"#.utf8)
    call.authority = .file(ready.authority)
    call.timeout = .seconds(600)
    return try call.perform().status
  }

  private func devices(_ ready: ReadyLine) -> Int64? { ask(ready, "/v1/ready")?["fleet"]?["devices"]?.integer }

  @Test("two servers run at the same time with their own keys and phones, and stopping one does not affect the other")
  func two() async throws {
    let (folder, otherFolder) = (try TemporaryFolder(), try TemporaryFolder())
    let (server, other) = (Server(settings(folder)), Server(settings(otherFolder, devices: 5)))
    async let starting = server.start()
    async let otherStarting = other.start()
    let (ready, otherReady) = try await (starting, otherStarting)
    #expect(server.ready?.admin == ready.admin && other.ready?.admin == otherReady.admin)
    #expect(ready.keys.map(\.keyID) != otherReady.keys.map(\.keyID))
    #expect(devices(ready) == 3 && devices(otherReady) == 5)
    #expect(try push(ready, folder) == 200)
    #expect(try push(otherReady, otherFolder) == 200)
    #expect(ask(ready, "/v1/pushes")?["pushes"]?.elements?.count == 1)

    await server.stop()
    #expect(server.ready == nil && ask(ready, "/health") == nil)
    #expect(try push(otherReady, otherFolder) == 200)
    await other.stop()
    #expect(other.ready == nil && ask(otherReady, "/health") == nil)
  }

  @Test("a server makes the keys that its settings ask for, the same ones each time, and registers none of them")
  func generatedKeys() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/p.yaml"
    try Data("keys: [{keyId: RESTRICTED, environment: production, generate: true}]\n".utf8).write(
      to: URL(filePath: file))
    var made: [String] = []
    for _ in 0..<2 {
      var settings = try Settings.gathered(file: file, flags: [])
      settings.takesFreePorts = true
      settings.state = folder.path
      settings.devices = 1
      settings.wire.loops = 1
      let server = Server(settings)
      let ready = try await server.start()
      await server.stop()
      #expect(ready.keys.count == 2 && ready.keys.last?.keyID == "RESTRICTED")
      made.append(try String(contentsOfFile: try #require(ready.keys.last?.p8), encoding: .utf8))
    }
    #expect(made[0] == made[1] && made[0].contains("PRIVATE KEY"))
    #expect(try KeyRegistry(StateFolder(folder.path)).entries.count == 1)
  }

  @Test("a stopped server frees its ports: another starts on them, and again, and finds the same keys")
  func again() async throws {
    let folder = try TemporaryFolder()
    let first = Server(settings(folder))
    let ready = try await first.start()
    await first.stop()
    var settings = settings(folder)
    let port = { (address: String) in UInt16(address.split(separator: ":").last ?? "") ?? 0 }
    settings.sandboxPort = port(ready.sandbox)
    settings.adminPort = port(ready.admin)
    let second = Server(settings)
    for _ in 0..<2 {
      let again = try await second.start()
      #expect(again.sandbox == ready.sandbox && again.admin == ready.admin)
      #expect(again.keys.map(\.keyID) == ready.keys.map(\.keyID))
      #expect(try push(again, folder) == 200)
      await second.stop()
    }
    let key = try #require(ready.keys.first?.keyID)
    for secret in ["tls-key.pem", "keys.json", "AuthKey_\(key).p8"] {
      #expect(try folder.mode(of: secret) == 0o600, "\(secret)")
    }
    #expect(try folder.mode(of: "ca.pem") == 0o644)
  }

  @Test("a running server cannot be started again, and stop returns immediately for a server that is not running")
  func order() async throws {
    let folder = try TemporaryFolder()
    let server = Server(settings(folder))
    await server.stop()
    let ready = try await server.start()
    await #expect(throws: StartFailure.self) { try await server.start() }
    #expect(ask(ready, "/health") != nil, "it goes on")
    async let stopped: Void = server.stop()
    async let stoppedToo: Void = server.stop()
    _ = await (stopped, stoppedToo)
    #expect(server.ready == nil)
  }

  @Test("a server without references stops", .timeLimit(.minutes(15)))
  func letGo() async throws {
    let folder = try TemporaryFolder()
    let (lines, said) = AsyncStream.makeStream(of: String.self)
    var server: Server? = Server(settings(folder)) { said.yield($0) }
    try await server?.start()
    server = nil
    for await line in lines where line.hasPrefix("Stopping") { break }
  }

  @Test("starting and stopping a server changes no signal handlers of the process")
  func signals() async throws {
    func handlers() -> [UInt] {
      [SIGTERM, SIGINT, SIGHUP].map { signal in
        var action = sigaction()
        sigaction(signal, nil, &action)
        return withUnsafeBytes(of: &action) { $0.load(as: UInt.self) }
      }
    }
    let folder = try TemporaryFolder()
    let before = handlers()
    let server = Server(settings(folder))
    try await server.start()
    #expect(handlers() == before)
    await server.stop()
    #expect(handlers() == before)
  }

  @Test("a server whose port is in use fails with a reason, and starts when the port is free")
  func failure() async throws {
    let folder = try TemporaryFolder()
    let holder = Server(settings(folder))
    let ready = try await holder.start()
    var settings = settings(folder)
    settings.adminPort = UInt16(ready.admin.split(separator: ":").last ?? "") ?? 0
    let server = Server(settings)
    let failure = await #expect(throws: StartFailure.self) { try await server.start() }
    #expect(failure?.description.contains("the admin API") == true && server.ready == nil)
    await holder.stop()
    #expect(try await server.start().admin == ready.admin)
    await server.stop()
  }

  @Test(
    "settings that name an app outside the fleet are rejected, and the error names the app",
    arguments: ["keys: [{keyId: A, p8: a.p8, topics: [com.unknown]}]", "rules: {broadcastDisabled: com.unknown}"])
  func unknownApp(yaml: String) async throws {
    let server = Server(try Settings(yaml: yaml, named: "p.yaml"))
    let problem = await #expect(throws: InputProblem.self) { try await server.start() }
    #expect(problem?.sentence.contains("com.unknown") == true)
    if yaml.hasPrefix("keys") { #expect(problem?.place == "p.yaml:1") }
  }

  @Test("a setting can be set by its key, and a wrong key or value is an error")
  func keys() throws {
    var settings = Settings()
    try settings.set("fleet.devices", to: "7")
    #expect(settings.devices == 7)
    let problem = #expect(throws: InputProblem.self) { try settings.set("fleet.devises", to: "7") }
    #expect(problem?.description.contains("did you mean fleet.devices?") == true)
    let value = #expect(throws: InputProblem.self) { try settings.set("fleet.devices", to: "many") }
    #expect(value?.description.hasPrefix("fleet.devices must be a whole number") == true)
  }
}
