import APNs
import Devices
import Scenarios
import Simulation
import Timeline
import WireFormats

/// A match of nine hours for many phones in manual time: start by push, an update a minute, start again when the eight
/// hours of an activity are over, end with dismissal. The clock is moved a minute at a time.
struct Match {
  static let began = Instant(seconds: 1_760_000_000)
  static let minutes = 540

  let devices: UInt32
  /// The number of updates of which one has priority 10; the others have 5.
  let immediateEvery: Int
  var pushes = 0
  var events = 0
  var shown = 0
  private var simulator: Simulator
  private var now: Now
  private let provider = ProviderConnectionID(1)

  init(devices: UInt32, immediateEvery: Int, phones: PhoneMix) {
    self.devices = devices
    self.immediateEvery = immediateEvery
    var rulebook = Rulebook()
    rulebook.updateTokenRate = nil
    let key = ProviderKey(keyID: "KEY0000001", teamID: FleetPlan.standardTeam, environments: [.sandbox])
    let ring = KeyRing(keys: [key], apps: [(Push.app, FleetPlan.standardTeam)]) { _, _, _ in true }
    let plan = FleetPlan(
      devices: devices, seed: 1, apps: [Push.profile], mix: [.init(OSVersion(26, 1), parts: 1)], phones: phones)
    now = Now(world: Self.began, wall: Self.began)
    simulator = Simulator(
      world: World(plan, rulebook: rulebook, keyRing: ring, at: Self.began), clock: WorldClock(),
      pushLogCapacity: 10_000)
    simulator.world.connectionOpened(provider, to: .sandbox, peer: "benchmark", at: now)
  }

  /// Plays the match. The requests of each minute are made beforehand, so that only the world is timed.
  ///
  /// - Returns: how long the world took.
  mutating func play() -> Duration {
    let clock = ContinuousClock()
    var spent = Duration.zero
    var tokens = [String?](repeating: nil, count: Int(devices))
    var list: [WorldEvent] = []
    for minute in 0...Self.minutes {
      let requests = self.requests(minute, tokens)
      let start = clock.now
      for (index, request) in requests.enumerated() {
        simulator.world.receive(request, on: StreamID(provider, Int32(truncatingIfNeeded: 2 * index + 1)), at: now)
      }
      simulator.settle(into: &list)
      events += list.count
      now = Now(world: now.world.advanced(by: .seconds(60)), wall: now.wall)
      simulator.world.advance(to: now)
      simulator.settle(into: &list)
      events += list.count
      spent += start.duration(to: clock.now)
      pushes += requests.count
      if minute == 0 || minute == 480 { tokens = updateTokens() }
    }
    let start = clock.now
    now = Now(world: now.world.advanced(by: .seconds(6 * 3600)), wall: now.wall)
    simulator.world.advance(to: now)
    simulator.settle(into: &list)
    events += list.count
    spent += start.duration(to: clock.now)
    for device in 0..<devices where simulator.world.screen(of: DeviceID(device), at: now.world).cards.isEmpty {
      shown += 1
    }
    return spent
  }

  /// The pushes that a backend sends in a minute.
  private func requests(_ minute: Int, _ tokens: [String?]) -> [HTTPRequest] {
    let fleet = simulator.world.fleet
    let seconds = now.world.seconds
    if minute == 0 || minute == 480 {
      return (0..<devices).compactMap { device in
        fleet.token(DeviceID(device), app: 0, slot: .pushToStart(type: 0)).map { Push.start($0.text, at: seconds) }
      }
    }
    return tokens.compactMap { token in
      token.map {
        minute == Self.minutes ? Push.end($0, at: seconds) : Push.update($0, minute, isImmediate(minute), at: seconds)
      }
    }
  }

  private func isImmediate(_ minute: Int) -> Bool { minute % immediateEvery == 0 }

  private func updateTokens() -> [String?] {
    (0..<devices).map { device in
      let running = simulator.world.fleet.phone(DeviceID(device)).installs[0].activities.last {
        !$0.isOver(at: now.world)
      }
      return running.flatMap {
        simulator.world.fleet.token(DeviceID(device), app: 0, slot: .update(activity: $0.number))?.text
      }
    }
  }
}
