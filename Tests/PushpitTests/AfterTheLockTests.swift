import APNs
import Devices
import Dispatch
import Foundation
import HTTP2
import Scenarios
import Simulation
import Synchronization
import Testing
import Timeline
import Transport
import WireFormats
@testable import ClubSupport
@testable import Pushpit

/// Examination before the world's lock, responses and readers after it.
@Suite("A gateway with connections that examine their pushes")
struct AfterTheLockTests {
  /// A gateway with a hundred phones, and the tokens of some of them.
  private struct Office {
    let gateway: Gateway
    let tokens: [String]
    let topic: String

    /// - Parameter check: verifies signatures; nil if all are valid.
    init(pushLog: Int = 10_000, check: KeyRing.Check? = nil) throws {
      let club = try Club(devices: 100)
      topic = club.bundleID
      tokens = (0..<100).compactMap { club.world.fleet.token(DeviceID($0), app: 0, slot: .app)?.text }
      var world = club.world
      if let check {
        let key = ProviderKey(keyID: "KEY0000001", teamID: "PUSHPIT001", environments: [.sandbox])
        world = World(
          world.fleet.plan, rulebook: world.rulebook,
          keyRing: KeyRing(keys: [key], apps: [(topic, "PUSHPIT001")], check: check), at: world.began)
      }
      let simulator = Simulator(world: world, clock: WorldClock(), pushLogCapacity: pushLog)
      gateway = Gateway(simulator, authorisedStreams: 1000, announcesStreams: false) { _ in }
    }

    /// Opens a connection and gives what it is known by.
    func connect(_ number: UInt64) -> (id: ConnectionID, setup: ConnectionSetup) {
      let id = ConnectionID(loop: 0, number: number)
      let info = ConnectionInfo(
        id: id, listener: Listeners.sandbox, peer: "127.0.0.1:\(number)",
        tls: TLSInfo(version: "TLSv1.3", alpn: .h2, clientCertificate: nil))
      var effects = Effects()
      return (id, gateway.opened(info, into: &effects))
    }

    /// - Parameter age: seconds since the provider token was issued; each age is another token.
    func push(_ stream: Int32, to token: String, age: Int64 = 0, body: String = #"{"aps":{"alert":"x"}}"#)
      -> IncomingRequest
    {
      let parts = [
        #"{"alg":"ES256","kid":"KEY0000001"}"#, #"{"iss":"PUSHPIT001","iat":\#(SystemClock.now.seconds - 60 - age)}"#,
        String(repeating: "s", count: 64),
      ]
      let jwt = parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
      let fields = [(name: "apns-topic", value: topic), (name: "authorization", value: "bearer " + jwt)]
      return IncomingRequest(
        stream: stream, request: HTTPRequest("POST", "/3/device/" + token, fields: fields, body: Array(body.utf8)))
    }

    /// Sends requests in batches of a size; gives the statuses of the answers in their order.
    func statuses(_ requests: [IncomingRequest], by size: Int) -> [Int] {
      statuses(requests, by: size, on: connect(UInt64(size)))
    }

    func statuses(
      _ requests: [IncomingRequest], by size: Int, on connection: (id: ConnectionID, setup: ConnectionSetup)
    ) -> [Int] {
      let (id, setup) = connection
      var found: [Int] = []
      var rest = requests[...]
      while !rest.isEmpty {
        var effects = Effects()
        let batch = Array(rest.prefix(size))
        let taken = gateway.received(batch, on: id, token: setup.token, state: setup.state, into: &effects)
        rest = rest.dropFirst(taken)
        for case .respond(_, let response) in effects.list { found.append(response.status) }
      }
      return found
    }
  }

  @Test(
    "A new provider token waits for the world with all pushes behind it: batches of any size get the same answers",
    arguments: [2, 3, 5, 12])
  func newTokens(_ size: Int) throws {
    let ages: [Int64] = [0, 0, 1, 0, 1, 2, 0, 2, 1, 0, 0, 1]
    func answers(by size: Int) throws -> [Int] {
      let office = try Office()
      let requests = ages.enumerated().map { number, age in
        office.push(Int32(2 * number + 1), to: office.tokens[number], age: age)
      }
      return office.statuses(requests, by: size)
    }
    let one = try answers(by: 1)
    // The second token is a change that is allowed, the third is one too many.
    #expect(one == [200, 200, 200, 200, 200, 429, 200, 429, 200, 200, 200, 200])
    #expect(try answers(by: size) == one)
  }

  /// Records if another thread got the lock while the first signature was verified.
  private final class Verifications: Sendable {
    let gateway = Mutex<Gateway?>(nil)
    let gotLock = Mutex<[Bool]>([])

    func verify() {
      guard let gateway = gateway.withLock({ $0.take() }) else { return }
      let isDone = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        gateway.work { _, _ in ((), []) }
        isDone.signal()
      }
      let result = isDone.wait(timeout: .now() + .seconds(30))
      gotLock.withLock { $0.append(result == .success) }
    }
  }

  @Test("A signature is verified before the lock")
  func signatures() throws {
    let verifications = Verifications()
    let office = try Office { _, _, _ in
      verifications.verify()
      return true
    }
    verifications.gateway.withLock { $0 = office.gateway }
    let requests = (0..<3).map { office.push(Int32(2 * $0 + 1), to: office.tokens[$0]) }
    #expect(office.statuses(requests, by: 2) == [200, 200, 200])
    #expect(verifications.gotLock.withLock(\.self) == [true])
  }

  @Test("Where the world's clock applies to provider tokens, it also applies to connections that know their token")
  func worldTokens() throws {
    let office = try Office()
    let (id, setup) = office.connect(1)
    func status(_ stream: Int32) -> Int? {
      var effects = Effects()
      let request = office.push(stream, to: office.tokens[0])
      _ = office.gateway.received([request], on: id, token: setup.token, state: setup.state, into: &effects)
      for case .respond(_, let response) in effects.list { return response.status }
      return nil
    }
    #expect(status(1) == 200 && status(3) == 200)
    office.gateway.work { simulator, wall in
      simulator.clock.rulesTokens = true
      simulator.clock.advance(by: simulator.now(wall: wall).world.duration(to: wall.advanced(by: .seconds(7200))))
      return ((), [])
    }
    #expect(status(5) == 403)
    office.gateway.work { simulator, _ in
      simulator.clock.rulesTokens = false
      return ((), [])
    }
    #expect(status(7) == 200)
  }

  @Test("Queued answers are read before a query, also where the queue was not drained")
  func lent() throws {
    var simulator = Simulator(world: try Club().world, clock: WorldClock(), pushLogCapacity: 10)
    let queue = ReaderQueue(simulator.readers)
    let now = Now(Club.began)
    for number: UInt64 in 2...4 {
      simulator.world.connectionOpened(ProviderConnectionID(number), to: .sandbox, peer: "test", at: now)
      queue.enqueue(simulator.takeBatch())
    }
    let opened = queue.lend(to: &simulator) { $0.readers.logs.metrics.connectionsOpened }
    #expect(opened == 3)
    #expect(simulator.readers.logs.metrics.connectionsOpened == 0, "the station has its own again")
  }

  @Test("A refusal, a payload that is not JSON and an unknown token are answered as usual, beside valid pushes")
  func refusals() throws {
    let office = try Office()
    let requests = [
      office.push(1, to: office.tokens[0]), office.push(3, to: String(repeating: "0", count: 64)),
      office.push(5, to: office.tokens[1], body: ""), office.push(7, to: office.tokens[2], body: "no JSON"),
      office.push(9, to: "short"), office.push(11, to: office.tokens[3]),
    ]
    #expect(office.statuses(requests, by: 6) == [200, 400, 400, 200, 400, 200])
    #expect(office.statuses(requests, by: 1) == [200, 400, 400, 200, 400, 200])
  }

  @Test("An answered push is found by the next query, and the ledger has each push once and in order, for every reader")
  func readYourWrites() throws {
    let office = try Office()
    let missed = Mutex<[UInt64]>([])
    let (threads, rounds, burst) = (4, 60, 8)
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      let (id, setup) = office.connect(UInt64(thread + 1))
      for round in 0..<rounds {
        let first = Int32(2 * burst * round + 1)
        let batch = (0..<burst).map {
          office.push(first + Int32(2 * $0), to: office.tokens[(thread + round + $0) % 100])
        }
        var effects = Effects()
        _ = office.gateway.received(batch, on: id, token: setup.token, state: setup.state, into: &effects)
        let answered = effects.list.count { if case .respond = $0 { true } else { false } }
        let connection = ProviderConnectionID(setup.token)
        let found = office.gateway.work { simulator, _ in
          (
            simulator.readers.logs.pushLog.list(.init(), before: nil, limit: 100_000).pushes
              .count { $0.stream.connection == connection && $0.stream.number >= first }, []
          )
        }
        if found != burst || answered != burst { missed.withLock { $0.append(UInt64(found)) } }
      }
    }
    #expect(missed.withLock { $0 }.isEmpty)
    let numbers = office.gateway.work { simulator, _ in
      (simulator.readers.logs.pushLog.list(.init(), before: nil, limit: 100_000).pushes.map(\.sequence), [])
    }
    #expect(numbers.reversed() == Array(1...UInt64(threads * rounds * burst)))
  }

  @Test("A push that finds the lock held waits for it, and the wait is counted; one that finds it free is not")
  func waits() throws {
    let office = try Office()
    let gateway = office.gateway
    let connection = office.connect(1)
    #expect(office.statuses([office.push(1, to: office.tokens[0])], by: 1, on: connection) == [200])
    #expect(gateway.waits == LockTimes() && gateway.waitsBegun.load(ordering: .relaxed) == 0)
    let isHeld = DispatchSemaphore(value: 0)
    let holder = DispatchQueue(label: "holder")
    holder.async {
      gateway.work { _, _ in
        isHeld.signal()
        // Ten seconds: a push that did not count its wait would wait here for ever.
        let end = SystemClock.steadyNanoseconds + 10_000_000_000
        while gateway.waitsBegun.load(ordering: .relaxed) == 0, SystemClock.steadyNanoseconds < end {}
        return ((), [])
      }
    }
    isHeld.wait()
    #expect(office.statuses([office.push(3, to: office.tokens[1])], by: 1, on: connection) == [200])
    holder.sync {}
    #expect(gateway.waits.counts.reduce(0, +) == 1 && gateway.waits.nanoseconds > 0)
  }
}
