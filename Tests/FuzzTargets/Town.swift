import APNs
import Devices
import Orders
import Reporting
import Scenarios
import Simulation
import Synchronization
import Timeline
import WireFormats

/// A small world that everybody may ask and push to: three phones, two apps, both environments.
struct Town {
  static let began = Instant(seconds: 1_700_000_000)
  static let team = "PUSHPIT001"
  static let app = "com.example.app"
  static let sandbox = ProviderConnectionID(1)
  static let production = ProviderConnectionID(2)
  static let channels = ProviderConnectionID(3)
  static let devices: UInt32 = 3

  var simulator: Simulator
  private(set) var rules = WorldRules()
  private var streams: Int32 = 1
  private let reel = Reel()
  /// As it was before anybody came.
  let first: World

  /// - Parameters:
  ///   - ring: nil for one to which every signature is good.
  ///   - portion: limits of the work on many devices that is done at once.
  init(ring: KeyRing? = nil, portion: Portion = .usual) {
    let types = [
      AttributesType(
        "MatchAttributes", contentState: .object([.init("score", .int), .init("over", .optional(.double))])),
      AttributesType("RaceAttributes"),
    ]
    var match = AppProfile(bundleID: Self.app, teamID: Self.team, types: types)
    match.traits.serviceExtension = .succeeds(after: .seconds(2))
    let apps = [match, AppProfile(bundleID: "com.example.store", teamID: Self.team, build: .production)]
    let key = ProviderKey(keyID: "KEY0000001", teamID: Self.team, environments: [.sandbox, .production])
    let ring = ring ?? KeyRing(keys: [key], apps: apps.map { ($0.bundleID, $0.teamID) }) { _, _, _ in true }
    let plan = FleetPlan(
      devices: Self.devices, seed: 1, apps: apps, mix: FleetPlan.standardMix, phones: .ideal)
    var clock = WorldClock()
    clock.stand(at: Self.began)
    var rulebook = Rulebook()
    rulebook.updateTokenRate = nil
    var world = World(plan, rulebook: rulebook, keyRing: ring, at: Self.began)
    world.waves.portion = portion
    simulator = Simulator(world: world, clock: clock, pushLogCapacity: 50, audits: true)
    first = world
    simulator.record(reel.add)
    simulator.world.connectionOpened(Self.sandbox, to: .sandbox, peer: "127.0.0.1:50001", at: now)
    simulator.world.connectionOpened(Self.production, to: .production, peer: "127.0.0.1:50002", at: now)
    simulator.world.connectionOpened(
      Self.channels, to: .sandbox, peer: "127.0.0.1:50003", managesChannels: true, at: now)
  }

  /// Time of the machine, by which provider tokens are judged.
  var wall = Town.began
  var now: Now { simulator.now(wall: wall) }

  static let authorization: String = {
    let parts = [#"{"alg":"ES256","kid":"KEY0000001"}"#, #"{"iss":"PUSHPIT001","iat":1700000000}"#]
    let texts = (parts.map { Array($0.utf8) } + [[UInt8](repeating: 7, count: 64)]).map { Base64URL.encode($0) }
    return "bearer " + texts.joined(separator: ".")
  }()

  // MARK: - Doing

  /// A request on one of the connections, to be answered exactly once unless a fault is set.
  mutating func send(
    _ path: String, _ fields: [(name: String, value: String)], _ body: [UInt8],
    on connection: ProviderConnectionID = Town.sandbox, method: String = "POST",
    authorization: String = Town.authorization
  ) throws(FuzzFinding) {
    let stream = StreamID(connection, streams)
    streams += 2
    let all = [(name: "authorization", value: authorization)] + fields
    simulator.world.receive(HTTPRequest(method, path, fields: all, body: body), on: stream, at: now)
    rules.asked(stream)
    try settle()
  }

  mutating func advance(by duration: Duration) throws(FuzzFinding) {
    simulator.clock.advance(by: duration)
    simulator.world.advance(to: now)
    try settle()
  }

  mutating func order(_ action: DeviceAction, on device: UInt32) throws(FuzzFinding) {
    do throws(CommandProblem) {
      try simulator.world.perform(.device(DeviceID(device), action), at: now)
    } catch {
      try FuzzFinding.require(!error.sentence.isEmpty, "an order was refused without a word")
    }
    try settle()
  }

  /// Shows what has happened to the rules, and keeps it for the tape.
  mutating func settle() throws(FuzzFinding) { try read(happened()) }

  /// Takes the events since the last call, and keeps them for the tape.
  mutating func happened() -> [WorldEvent] {
    var events: [WorldEvent] = []
    simulator.settle(into: &events)
    return events
  }

  /// The calls that have led to it.
  var lastCalls: [RecordedCall] { reel.batches.last?.calls ?? [] }

  /// Judges what somebody else has settled.
  mutating func read(_ events: [WorldEvent]) throws(FuzzFinding) { try rules.read(events) }

  // MARK: - Looking

  /// Looks at everything a person could look at.
  func look() throws(FuzzFinding) {
    let world = simulator.world
    for number in 0..<Self.devices {
      let device = DeviceID(number)
      let screen = world.screen(of: device, at: now.world)
      let cards = screen.cards.map { [Int($0.number), $0.app] }
      try FuzzFinding.require(Set(cards).count == cards.count, "two cards for one activity on \(device.text)")
      guard let view = world.device(device, at: now.world) else { throw FuzzFinding("\(device.text) is gone") }
      for left in view.apps.flatMap({ $0.activities.compactMap(\.budgetLeft) }) {
        try FuzzFinding.require((0...360).contains(left), "\(left) updates left on \(device.text)")
      }
    }
    for record in simulator.readers.logs.pushLog.list(Filter(), before: nil, limit: 5).pushes {
      try FuzzFinding.require(
        record.answer.rejection != nil || !PushStory(record).lines.isEmpty, "push \(record.sequence) has no story")
    }
  }

  /// All that was done, as a tape has it.
  var tape: [UInt8] {
    get throws(FuzzFinding) {
      var encoder = TapeEncoder()
      do throws(TapeProblem) {
        var bytes = try encoder.begin(TapeHeader(program: "fuzz", began: Self.began, sources: .null))
        for batch in reel.batches { try encoder.add(batch, to: &bytes) }
        try encoder.end(into: &bytes)
        return bytes
      } catch {
        throw FuzzFinding("a tape cannot be written: \(error)")
      }
    }
  }

  /// Plays all of it again from a tape: the same must come of it.
  func replay() throws(FuzzFinding) {
    var frames = TapeFrames()
    frames.add(try tape[...])
    do throws(UnplayableTape) {
      try frames.open()
    } catch {
      throw FuzzFinding("what was written as a tape is none: \(error)")
    }
    var decoder = TapeDecoder()
    var player = TapePlayer(world: first)
    while case .record(let payload) = frames.next() {
      let record: TapeDecoder.Record
      do throws(TapeCorruption) {
        record = try decoder.read(payload)
      } catch {
        throw FuzzFinding("what was written on a tape cannot be read: \(error.sentence)")
      }
      guard case .calls(let calls) = record else { continue }
      if let difference = player.play(calls) { throw FuzzFinding(difference.text) }
    }
    try FuzzFinding.require(frames.waiting == 0, "\(frames.waiting) bytes of the tape cannot be read")
  }
}

/// Keeps what a simulator hands over for a tape.
private final class Reel: Sendable {
  private let kept = Mutex<[TapeBatch]>([])
  var batches: [TapeBatch] { kept.withLock { $0 } }

  @Sendable func add(_ batch: TapeBatch) { kept.withLock { $0.append(batch) } }
}

/// Rules that hold whatever is sent, ordered and waited for.
struct WorldRules {
  /// Requests that no answer has been decided for.
  private var undecided: Set<StreamID> = []
  private var answered: Set<StreamID> = []
  private var isFinal: [UInt64: Bool] = [:]

  mutating func asked(_ stream: StreamID) { undecided.insert(stream) }

  mutating func read(_ events: [WorldEvent]) throws(FuzzFinding) {
    for event in events {
      switch event {
      case .push(let record):
        try decide(record.stream)
        let refused = record.answer.rejection != nil
        try FuzzFinding.require(
          refused == (record.firstFate == .refused), "push \(record.sequence) is refused and has a fate, or neither")
        if !refused { isFinal[record.sequence] = record.firstFate.isFinal }
        if !record.isAnsweredApart { try answer(record.stream) }
      case .channels(let record):
        try decide(record.stream)
        try answer(record.stream)
      case .wire(let connection, .respond(let stream, _)), .wire(let connection, .respondInPieces(let stream, _, _)):
        try answer(StreamID(connection, stream))
      case .pushSettled(let number, _, let fate, _):
        guard let wasFinal = isFinal[number] else { throw FuzzFinding("push \(number) settles before it was taken") }
        try FuzzFinding.require(!wasFinal, "push \(number) has a second last word")
        isFinal[number] = fate.isFinal
      default: break
      }
    }
  }

  private mutating func decide(_ stream: StreamID) throws(FuzzFinding) {
    try FuzzFinding.require(undecided.remove(stream) != nil, "stream \(stream.number) was decided twice or never asked")
  }

  private mutating func answer(_ stream: StreamID) throws(FuzzFinding) {
    try FuzzFinding.require(answered.insert(stream).inserted, "stream \(stream.number) was answered twice")
  }
}
