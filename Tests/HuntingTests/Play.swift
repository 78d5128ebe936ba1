import APNs
import Devices
import Reporting
import ScenarioFiles
import Scenarios
import Simulation
import Testing
import Timeline
import WireFormats

@testable import Hunting

/// A play of a story in virtual time: a world with faults, and a backend that a test moves.
struct Play {
  private static let topic = "com.sightscreen.app"

  let scenario: Scenario
  /// The machine's clock, which stands unless a test moves it.
  var wall: Instant
  private(set) var simulator: Simulator
  private var ticks: [Instant] = []
  /// Number of times that the backend has renewed its provider token.
  var renewals: Int64 = 0
  private var connection = ProviderConnectionID(1)
  private var stream: Int32 = -1
  /// Calls of apps that have been answered, for the backend to read.
  private(set) var calls: [CallRecord] = []
  /// The answer of the backend.
  var answer: (CallRecord) -> CallOutcome = { _ in .answered(status: 200, body: nil) }

  /// - Parameters:
  ///   - faults: in YAML, without their names: the first is `hunt 1`.
  ///   - settings: further ones, in YAML.
  ///   - begins: in seconds since 1970; nil for the usual time.
  ///   - profile: its name, or the path of its file.
  ///   - steps: in YAML. Nobody takes them, but oracles know of them.
  ///   - logCapacity: number of pushes, and of calls, that are kept.
  init(
    faults: [String] = [], settings: [String] = [], devices: Int = 3, begins: Int? = nil,
    profile: String = "sightscreen", steps: [String] = [], logCapacity: Int = 1000
  ) throws {
    var text = """
      for: 20m
      settings:
        fleet.begins: \(begins.map(String.init) ?? "now")
        fleet: {devices: \(devices), ideal: true, os: {"26.1": 1}, apps: [{profile: \(profile)}]}
        prompt: {policy: never}
        timing: {immediate: true}
        reports: {backend: "http://127.0.0.1:8080"}

      """
    for setting in settings { text += "  \(setting)\n" }
    if !faults.isEmpty { text += "faults:\n" }
    for (index, fault) in faults.enumerated() { text += "  - {name: hunt \(index + 1), \(fault)}\n" }
    text += "steps: [\((["{at: 1s, do: unlock, device: d0}"] + steps).joined(separator: ", "))]\n"
    text += "expect: [{calls: {}, count: \"0..\"}]\n"
    scenario = try ScenarioFile.parse(text, named: "story.yaml").scenario
    wall = scenario.begins
    let key = ProviderKey(keyID: "KEY0000001", teamID: "PUSHPIT001", environments: [.sandbox, .production])
    let ring = KeyRing(keys: [key], apps: scenario.plan.apps.map { ($0.bundleID, key.teamID) }) { _, _, _ in true }
    let world = World(scenario.plan, rulebook: scenario.rulebook, keyRing: ring, at: scenario.begins)
    var clock = WorldClock()
    clock.stand(at: scenario.begins)
    simulator = Simulator(world: world, clock: clock, pushLogCapacity: logCapacity, audits: true)
    connect()
    for fault in scenario.steps.compactMap(\.fault) { try perform(.setFault(fault.counted(from: scenario.begins))) }
    // A cold launch, at which an app reports its tokens.
    for device in 0..<devices {
      try order(.terminate(app: nil), on: UInt32(device))
      try order(.open(app: nil), on: UInt32(device))
      try order(.leave(app: nil), on: UInt32(device))
    }
  }

  var now: Now { simulator.now(wall: wall) }
  /// The time since the beginning.
  var passed: Duration { scenario.begins.duration(to: now.world) }

  /// The knowledge of oracles now.
  func witness(ended: String? = nil, hangs: Bool = false) -> Witness {
    Witness(simulator, scenario, ended: ended, hangs: hangs, ticks: ticks)
  }

  /// Returns what apps have reported under that name with calls for an event, oldest first.
  func reported(_ name: String, with event: String) throws -> [String] {
    try calls.filter { $0.call.event == event }.compactMap { call in
      try JSONValue.parse(Array((call.call.body ?? "").utf8))[name]?.string
    }
  }

  /// Tells the backend the time.
  mutating func tick() { ticks.append(wall) }

  mutating func perform(_ command: Command) throws {
    try simulator.world.perform(command, at: now)
    settle()
  }

  mutating func order(_ action: DeviceAction, on device: UInt32) throws {
    try perform(.device(DeviceID(device), action))
  }

  /// Lets time pass, second by second, so that the backend answers apps at once.
  mutating func pass(until time: Duration) {
    while passed < time {
      simulator.clock.advance(by: min(.seconds(1), time - passed))
      while !simulator.step(wall: wall) { settle() }
      settle()
    }
  }

  /// Sends a push.
  ///
  /// - Returns: its number.
  mutating func push(
    _ payload: JSONValue, to token: String, type: String = "liveactivity", headers: [(name: String, value: String)] = []
  ) throws -> UInt64 {
    stream += 2
    let suffix = type == "liveactivity" ? ".push-type.liveactivity" : ""
    let fields =
      [
        (name: "apns-topic", value: Self.topic + suffix), (name: "apns-push-type", value: type),
        (name: "authorization", value: authorization),
      ] + headers
    simulator.world.receive(
      HTTPRequest("POST", "/3/device/" + token, fields: fields, body: Array(payload.text.utf8)),
      on: StreamID(connection, stream), at: now)
    settle()
    return try #require(simulator.readers.logs.pushLog.record(aged: 0)).sequence
  }

  /// The backend closes the stream of a push that waits for its answer.
  mutating func breakOff(_ number: UInt64) {
    simulator.world.answerWent(to: number, on: connection, .nothing(.clientReset), at: now)
    settle()
  }

  /// The backend leaves its connection for another one.
  mutating func reconnect() {
    connection = ProviderConnectionID(connection.number + 1)
    stream = -1
    connect()
  }

  private mutating func connect() {
    simulator.world.connectionOpened(connection, to: .sandbox, peer: "127.0.0.1:50001", at: now)
  }

  func record(_ number: UInt64) -> PushRecord? { simulator.readers.logs.pushLog.push(number: number) }

  private var authorization: String {
    let issued = scenario.begins.seconds + renewals
    let parts = [#"{"alg":"ES256","kid":"KEY0000001"}"#, #"{"iss":"PUSHPIT001","iat":\#(issued)}"#]
    let texts = parts.map { Base64URL.encode(Array($0.utf8)) } + [Base64URL.encode([UInt8](repeating: 7, count: 64))]
    return "bearer " + texts.joined(separator: ".")
  }

  private mutating func settle() {
    while true {
      let events = simulator.settle()
      guard !events.isEmpty else { return }
      for case .call(let call) in events {
        calls.append(call)
        let outcome = answer(call)
        _ = try? simulator.world.perform(.answer(call.number, outcome), at: now)
      }
    }
  }
}
