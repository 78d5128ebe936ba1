import APNs
import Devices
import Timeline

extension World {
  /// Begins with new phones, at a time that may be before that of the old ones: everything is as it was when the world
  /// was made, except for the providers' keys, which stay as they are. Open connections get their delayed answers and
  /// end with GOAWAY; what they still send arrives at the new phones. Numbers of pushes and calls continue, so that
  /// nothing new is mistaken for something old.
  ///
  /// Calls of apps that have not been answered are forgotten. A request that a fault has left without an answer gets
  /// none; its connection stays until the client leaves.
  mutating func beginAnew(at now: Now) {
    #if PUSHPIT_CHECKS
      output.times = EventTimes()
    #endif
    deleteAllFaults(at: now.world)
    for connection in openConnections.map(\.id) {
      for held in faults.held.takeAll(of: connection) { send(held, at: now.world) }
      output.append(
        .wire(connection, .goAway(lastStream: nil, code: 0, debug: Self.farewell, closes: true)))
    }
    let plan = partition.fleet.plan
    let calls = partition.reports.count
    beginnings += 1
    validator = RequestValidator(
      rulebook: validator.rulebook, keyRing: validator.keyRing, seed: plan.seed, epoch: validator.examiner.epoch)
    broadcasts = BroadcastChannels(seed: plan.seed, rulebook: broadcasts.rulebook)
    faults = FaultRegistry(seed: plan.seed, apps: plan.apps.map(\.bundleID))
    partition = Partition(plan, rulebook: validator.rulebook, at: now.world)
    partition.reports.count = calls
  }

  /// Assumed: to clients, a world that begins anew is a server that shuts down.
  private static let farewell = Array(#"{"reason":"Shutdown"}"#.utf8)
}
