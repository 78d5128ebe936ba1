import APNs
import HTTP2
import Orders
import Scenarios
import Simulation
import Synchronization
import Testing
import Timeline
import Transport
import WireFormats

@testable import ClubSupport
@testable import Pushpit

/// Reports of the wire that change nothing in the simulation.
@Suite("Troubles of the wire")
struct WireTroubleTests {
  /// A gateway whose calls and lines of the log are kept.
  private final class Watched: Sendable {
    let before: World
    let gateway: Gateway
    private let kept: Kept

    private final class Kept: Sendable {
      let batches = Mutex<[TapeBatch]>([])
      let lines = Mutex<[String]>([])
    }

    init() throws {
      before = try Club(devices: 10).world
      let kept = Kept()
      var simulator = Simulator(world: before, clock: WorldClock(), pushLogCapacity: 100)
      simulator.record { batch in kept.batches.withLock { $0.append(batch) } }
      gateway = Gateway(simulator, authorisedStreams: 1000, announcesStreams: false) { line in
        kept.lines.withLock { $0.append(line) }
      }
      self.kept = kept
    }

    var batches: [TapeBatch] {
      gateway.readAll()
      return kept.batches.withLock { $0 }
    }
    var lines: [String] { kept.lines.withLock { $0 } }

    func connect(_ number: UInt64) -> (id: ConnectionID, token: UInt64) {
      let id = ConnectionID(loop: 0, number: number)
      var effects = Effects()
      let info = ConnectionInfo(
        id: id, listener: Listeners.sandbox, peer: "127.0.0.1:\(number)",
        tls: TLSInfo(version: "TLSv1.3", alpn: .h2, clientCertificate: nil))
      return (id, gateway.opened(info, into: &effects).token)
    }

    /// A push without a provider token, which the world itself calls a trouble.
    func push(on connection: (id: ConnectionID, token: UInt64)) {
      let token = before.fleet.token(DeviceID(0), app: 0, slot: .app)?.text ?? ""
      let request = HTTPRequest("POST", "/3/device/" + token, fields: [], body: [])
      var effects = Effects()
      _ = gateway.received(
        [IncomingRequest(stream: 1, request: request)], on: connection.id, token: connection.token, state: nil,
        into: &effects)
    }

    var troubles: [(kind: String, peer: String)] {
      var found: [(kind: String, peer: String)] = []
      gateway.look { found = $0.logs.troubles.entries.map { ($0.latest.kind, $0.latest.peer) } }
      return found
    }
  }

  @Test("Troubles of the wire are in the log in the order of events, and on no tape")
  func order() throws {
    let watched = try Watched()
    let connection = watched.connect(1)
    watched.gateway.ignored([7, 9], on: connection.id, token: connection.token)
    watched.push(on: connection)
    watched.gateway.unserved(
      [UnservedStream(11, .refused), UnservedStream(13, .aboveLastStream)], on: connection.id, token: connection.token)
    watched.gateway.trouble(ConnectionTrouble(.http1, listener: Listeners.sandbox, peer: "127.0.0.1:2"))
    watched.gateway.closed(connection.id, token: connection.token, why: .client)
    let kinds = [
      "streamAfterGoAway", "streamAfterGoAway", "providerToken", "streamRefused", "streamNotProcessed", "http1",
    ]
    #expect(watched.troubles.map(\.kind) == kinds)
    #expect(watched.troubles.map(\.peer) == Array(repeating: "127.0.0.1:1", count: 5) + ["127.0.0.1:2"])
    #expect(watched.lines.contains { $0.contains("Stream 11 is above the stream limit") })

    let calls = watched.batches.flatMap(\.calls).map(\.call)
    #expect(calls.count == 3, "a connection opens, a push arrives, the connection closes")
    let recorded = watched.batches.flatMap(\.events).compactMap {
      if case .trouble(let it) = $0 { it.kind } else { nil }
    }
    #expect(recorded == ["providerToken"], "the world has found this one")
  }

  @Test("A tape replays without a difference although its client had troubles of the wire")
  func replay() throws {
    let watched = try Watched()
    let connection = watched.connect(1)
    for stream: Int32 in [1, 3, 5] {
      watched.gateway.ignored([stream], on: connection.id, token: connection.token)
      watched.push(on: connection)
    }
    var encoder = TapeEncoder()
    var bytes = try encoder.begin(TapeHeader(program: "test", began: watched.before.began, sources: .null))
    for batch in watched.batches { try encoder.add(batch, to: &bytes) }
    var frames = TapeFrames()
    frames.add(bytes[...])
    try frames.open()
    var decoder = TapeDecoder()
    var player = TapePlayer(world: watched.before)
    while case .record(let payload) = frames.next() {
      if case .calls(let calls) = try decoder.read(payload) { #expect(player.play(calls) == nil) }
    }
    #expect(player.tally.calls == 4 && player.tally.pushes == 3)
  }

  @Test("Troubles of a closed connection are not reported")
  func ended() throws {
    let watched = try Watched()
    let connection = watched.connect(1)
    watched.gateway.closed(connection.id, token: connection.token, why: .client)
    watched.gateway.ignored([7], on: connection.id, token: connection.token)
    watched.gateway.unserved([UnservedStream(9, .refused)], on: connection.id, token: connection.token)
    #expect(watched.troubles.isEmpty)
  }
}
