import Configuration
import Foundation
import Pushpit
import TestSupport
import Testing
import Transport
import WireFormats

/// Sessions whose 1,000 expectations ask for the screen of each phone.
@Suite("A server whose sessions end", .serialized, .timeLimit(.minutes(15)))
struct EndingSessionServerTests {
  private static let expect = JSONValue.array(
    Array(repeating: ["screens": [:], "show": ["notifications": 1]], count: 1_000))

  private struct TooSlow: Error {}

  /// A server with one session and a fault of it.
  ///
  /// - Parameter lives: when the session expires; on a slow machine, the first may be over before the fault is set.
  private func start(_ folder: TemporaryFolder, devices: UInt32, lives: [JSONValue]) async throws -> (Server, ReadyLine)
  {
    var settings = Settings()
    settings.takesFreePorts = true
    settings.state = folder.path
    settings.devices = devices
    settings.wire.loops = 1
    let server = Server(settings)
    let ready = try await server.start()
    let fault: JSONValue = ["name": "f", "session": "s", "then": ["answer": "TooManyRequests"]]
    for life in lives {
      let session: JSONValue = ["name": "s", "expires": life, "expect": Self.expect]
      #expect(try ask(ready, "POST", "/v1/sessions", session).status == 201)
      if try ask(ready, "POST", "/v1/faults", fault).status == 200 { return (server, ready) }
      #expect(try ask(ready, "DELETE", "/v1/sessions/s").status == 200)
    }
    await server.stop()
    throw TooSlow()
  }

  private func ask(
    _ ready: ReadyLine, _ method: String, _ path: String, _ body: JSONValue? = nil
  ) throws -> (status: Int, json: JSONValue) {
    var call = WebCall(method, ready.admin + path, version: .http1)
    if let body {
      call.headers = [("content-type", "application/json")]
      call.body = Array(body.text.utf8)
    }
    call.timeout = .seconds(600)
    let reply = try call.perform()
    return (reply.status, (try? JSONValue.parse(reply.body)) ?? .null)
  }

  /// The number of faults, which a session keeps until all its expectations are evaluated.
  private func faults(_ ready: ReadyLine) throws -> Int? {
    try ask(ready, "GET", "/v1/faults").json["faults"]?.elements?.count
  }

  @Test("a server answers other clients while a client closes one, and can be stopped meanwhile")
  func closing() async throws {
    let folder = try TemporaryFolder()
    let (server, ready) = try await start(folder, devices: 400, lives: ["1h"])
    let closed = AsyncStream.makeStream(of: Void.self)
    Thread.detachNewThread {
      // The server is stopped before it has answered.
      _ = try? ask(ready, "POST", "/v1/sessions/s/close", [:])
      closed.continuation.finish()
    }
    while try ask(ready, "GET", "/v1/sessions?open=true").json["sessions"] != [] {}
    #expect(try ask(ready, "GET", "/health").status == 200)
    #expect(try ask(ready, "GET", "/v1/devices/d0").status == 200)
    #expect(try faults(ready) == 1, "it is still being evaluated")
    await server.stop()
    #expect(server.ready == nil)
    for await _ in closed.stream {}
  }

  @Test("a server evaluates the expectations of an expiring session, although nobody waits")
  func expiring() async throws {
    let folder = try TemporaryFolder()
    let (server, ready) = try await start(folder, devices: 10, lives: ["1s", "20s", "10m"])
    while try faults(ready) != 0 {}
    let session = try ask(ready, "GET", "/v1/sessions/s").json
    #expect(session["passed"] == false && session["expectations"]?.elements?.count == 1_000)
    await server.stop()
  }
}
