import APNs
import Devices
import Timeline

/// The state of a world that has begun anew. Freeing that of many phones takes long.
package struct EndedWorld: Sendable {
  fileprivate let deviceState: DeviceState
  fileprivate let waves: Waves
  fileprivate let broadcasts: BroadcastChannels
  fileprivate let validator: RequestValidator
}

/// The phones with which a world begins anew. They can be made without its lock: planning what many do first takes
/// long.
package struct NewPhones: Sendable {
  private let plan: FleetPlan
  private let rulebook: Rulebook
  package let now: Now
  fileprivate private(set) var deviceState: DeviceState?

  package init(_ world: World, at now: Now) {
    (plan, rulebook) = (world.fleet.plan, world.rulebook)
    self.now = now
  }

  package func made() -> NewPhones {
    var made = self
    made.deviceState = DeviceState(plan, rulebook: rulebook, at: now.world)
    return made
  }
}

extension World {
  /// Begins with new phones, at a time that may be before that of the old ones: everything is as it was when the world
  /// was made, except for the providers' keys, which stay as they are. Open connections get their delayed answers and
  /// end with GOAWAY; what they still send arrives at the new phones. Numbers of pushes and calls continue, so that
  /// nothing new is mistaken for something old.
  ///
  /// Calls of apps that have not been answered are forgotten. A request that a fault has left without an answer gets
  /// none; its connection stays until the client leaves.
  ///
  /// - Parameter phones: for that time, if they are made already.
  /// - Returns: the state before.
  package mutating func beginAnew(at now: Now, with phones: NewPhones? = nil) -> EndedWorld {
    output.record(.performed(.beginAnew), at: now)
    defer { check(at: now.world) }
    #if PUSHPIT_CHECKS
      output.times = EventTimes()
    #endif
    deleteAllFaults(at: now.world)
    for connection in openConnections.map(\.id) {
      if let index = connections.index(of: connection) {
        for delayed in connections.takeAllDelayed(at: index) { send(delayed, to: connection, at: now.world) }
      }
      output.append(
        .wire(connection, .goAway(lastStream: nil, code: 0, debug: Self.farewell, closes: true)))
    }
    let plan = fleet.plan
    let calls = deviceState.reports.calls.count
    // The events of the old phones are not taken yet.
    var events = EventList()
    swap(&events, &deviceState.output)
    let ended = EndedWorld(
      deviceState: deviceState, waves: waves, broadcasts: broadcasts, validator: validator)
    beginnings += 1
    connections.forgetFaults()
    validator = RequestValidator(
      rulebook: validator.rulebook, keyRing: validator.keyRing, seed: plan.seed, generation: validator.rules.generation)
    broadcasts = BroadcastChannels(seed: plan.seed, rulebook: broadcasts.rulebook)
    waves = Waves(waves.portion)
    senderBlocks = SenderBlocks(for: validator.rulebook.block)
    suspendedCertificates = SuspendedCertificates()
    deviceState = phones?.deviceState ?? DeviceState(plan, rulebook: validator.rulebook, at: now.world)
    deviceState.reports.continueNumbers(after: calls)
    deviceState.output = events
    return ended
  }

  /// Assumed: to clients, a world that begins anew is a server that shuts down.
  private static let farewell = Array(#"{"reason":"Shutdown"}"#.utf8)
}
