import Dispatch
import Pushpit
import Synchronization
import Testing
import Transport
import WireFormats

@testable import PushpitTesting

@Suite("The ways to a server's admin API", .timeLimit(.minutes(5)))
struct DoorTests {
  /// A door through which some calls are not answered.
  private struct NarrowDoor: AdminDoor {
    let inner: any AdminDoor
    /// The end of the target of calls that are not answered.
    let closed: String

    func begin(_ call: AdminCall, for client: WaitingClient, _ end: @escaping End) {
      guard call.target.hasSuffix(closed) else { return inner.begin(call, for: client, end) }
      end(.failure(.timedOut))
    }
  }

  /// A door whose server does not answer.
  private final class SilentDoor: AdminDoor {
    let client = Mutex<WaitingClient?>(nil)

    func begin(_ call: AdminCall, for client: WaitingClient, _ end: @escaping End) {
      self.client.withLock { $0 = client }
      // So that the test fails, and does not hang, if nobody else limits the call.
      DispatchQueue.global().asyncAfter(deadline: .now() + 60) { end(.failure(.stopped)) }
    }
  }

  /// A server of their own, because other tests move the clock of theirs.
  private static let options = ServerOptions(fleet: 1, settings: "clock: manual\nfleet.seed: 41")

  private static func end(
    of call: AdminCall, through door: any AdminDoor
  ) async throws -> HTTPResponse {
    let (ends, ended) = AsyncStream.makeStream(of: Result<HTTPResponse, AdminDoorFailure>.self)
    door.begin(call, for: WaitingClient()) { ended.yield($0) }
    return try #require(await ends.first { _ in true }).get()
  }

  private static func call(_ method: String, _ target: String, _ body: String? = nil) -> AdminCall {
    AdminCall(method, target, body: body.map { Array($0.utf8) }, timeout: .seconds(60))
  }

  @Test(
    "an answer without a socket has the status, the headers and the body of that over HTTP",
    arguments: [
      (200, call("GET", "/version")), (200, call("GET", "/v1/ready")), (200, call("GET", "/v1/settings")),
      (200, call("GET", "/v1/keys")), (200, call("GET", "/v1/devices/d0/screen")),
      (200, call("GET", "/v1/pushes?device=d0&limit=2")), (400, call("GET", "/v1/pushes?limit=x")),
      (404, call("GET", "/v1/devices/d7")), (404, call("GET", "/nothing")), (405, call("DELETE", "/version")),
      (400, call("GET", "/v1/devices/%zz")), (400, call("POST", "/v1/sessions", "[")),
      (422, call("POST", "/v1/sessions", #"{"claim": {"count": 0}}"#)),
      (200, call("POST", "/v1/verify", #"{"expect": [{"pushes": {}, "count": 1}], "within": 0.01}"#)),
      (200, call("POST", "/v1/reset", "{}")),
      (413, call("POST", "/v1/verify", String(repeating: " ", count: 1 << 20 + 1))),
      (400, call("GET", "/v1/pushes?payload=" + String(repeating: "a", count: 1 << 14))),
    ])
  func same(status: Int, call: AdminCall) async throws {
    let own = try await SharedServers.server(Self.options)
    let direct = try await Self.end(of: call, through: own.api.door)
    let http = try await Self.end(of: call, through: HTTPDoor(url: own.url))
    #expect(direct.status == status && http.status == status)
    #expect(direct.body == http.body, "\(String(decoding: direct.body, as: UTF8.self))")
    // What the connection needs, and the time.
    let others = ["connection", "content-length", "date"]
    let headers = http.fields.list.filter { !others.contains($0.name) }
    #expect(direct.fields.list.map { "\($0)" } == headers.map { "\($0)" })
  }

  @Test("a stream is refused without a socket, in a sentence")
  func stream() async throws {
    let own = try await SharedServers.server(Self.options)
    let answer = try await Self.end(of: Self.call("GET", "/v1/events"), through: own.api.door)
    #expect(answer.status == 501)
    #expect(String(decoding: answer.body, as: UTF8.self).contains("which needs HTTP"))
  }

  @Test("a wait ends with its task, and its place at the server becomes free", arguments: Door.allCases)
  func cancelled(door: Door) async throws {
    let own = try await Pushpit.start(fleet: 1)
    let phone = try await door.server(own).phone("d0")
    func isPlaceFree() async throws -> Bool {
      do {
        _ = try await own.api.post("/v1/verify", ["expect": [["pushes": [:], "count": 1]], "within": 0.001])
        return true
      } catch let error as PushpitError where error.code == "too_many_waiting" {
        return false
      }
    }
    func wait() -> Task<Pushpit.Screen, any Error> {
      Task { try await phone.expect(.notifications(1), within: .seconds(3600)) }
    }
    // As many as may wait; with fewer descriptors, others try again and again.
    var waiting = (0..<64).map { _ in wait() }
    while try await isPlaceFree() { waiting.append(wait()) }
    for task in waiting { task.cancel() }
    for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
    while try await !isPlaceFree() {}
    await own.stop()
  }

  @Test("a cancelled test waits for nothing any more, and can close its session", arguments: Door.allCases)
  func cleanup(door: Door) async throws {
    let own = try await Pushpit.start(fleet: 1)
    let session = try await door.server(own).session()
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) {
        try await session.phone().expect(.notifications(1), within: .seconds(3600))
      }
      await #expect(throws: CancellationError.self) { try await session.pushpit.clock.advance(by: .seconds(1)) }
      try await session.close()
    }
    try await cancelled.value
    #expect(try await session.state()["open"].bool == false)
    await own.stop()
  }

  @Test("a call that waits when its server stops fails, as one to a server that was stopped before does")
  func stopped() async throws {
    let own = try await Pushpit.start(fleet: 1)
    let wait = Self.call("POST", "/v1/verify", #"{"expect": [{"pushes": {}, "count": 1}], "within": 300}"#)
    let (ends, ended) = AsyncStream.makeStream(of: Result<HTTPResponse, AdminDoorFailure>.self)
    own.api.door.begin(wait, for: WaitingClient()) { ended.yield($0) }
    await own.stop()
    let end = try #require(await ends.first { _ in true })
    #expect(throws: AdminDoorFailure.stopped) { try end.get() }
    let error = await #expect(throws: PushpitError.self) { try await own.clock.state() }
    #expect(error?.kind == .noServer && error?.sentence == "The server at \(own.url) was stopped.")
  }

  @Test("a call that blocks its thread ends in its time, although a task that would end it may need that thread")
  func blocking() async throws {
    let door = SilentDoor()
    let api = AdminClient("http://server", through: door, patience: .milliseconds(1))
    let error = #expect(throws: PushpitError.self) { try api.ask("/v1/pushes", [:]) }
    #expect(error?.sentence == "The server at http://server did not answer GET /v1/pushes in 0.001 s.")
    #expect(door.client.withLock { $0?.isGone } == true)
  }

  @Test("a session is closed if the screens of its phones cannot be cleared")
  func uncleared() async throws {
    let own = try await Pushpit.start(fleet: 1)
    let narrow = AdminClient(own.url, through: NarrowDoor(inner: own.api.door, closed: "/screen"))
    let server = Pushpit(try await own.api.get("/v1/ready"), api: narrow, server: nil, directory: nil)
    let error = await #expect(throws: PushpitError.self) { try await server.session() }
    #expect(error?.sentence.contains("did not answer GET /v1/devices/d0/screen") == true)
    let sessions = try await own.api.get("/v1/sessions")["sessions"].rows
    #expect(sessions.map { $0["open"].bool } == [false])
    await own.stop()
  }
}
