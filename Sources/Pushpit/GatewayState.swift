import Scenarios
import Simulation
import Timeline
import Transport

/// The state guarded by the gateway's lock, and the operations under it.
struct GatewayState: Sendable {
  var simulator: Simulator
  var dispatcher: EffectDispatcher
  let queue: ReaderQueue
  let log: @Sendable (String) -> Void
  /// The events of the last turn.
  var events: [WorldEvent] = []
  var opened: UInt64 = 0
  /// Destinations of answers: the wire's id of each connection of the world.
  var wires: [ProviderConnectionID: ConnectionID] = [:]
  var alarm = DueAlarm()
  /// Time and waves take turns, so that no hold of the lock includes both.
  var wavesAreNext = false
  /// Run on the main loop when the world has reached its clock's target.
  var waiting: [@Sendable () -> Void] = []
  var main: MainLoopPoster?
  /// Calls of apps that ended at once, and that the world has not received yet.
  var ended: [AppCallEnd] = []

  /// Takes the events, and passes them to the readers in this order.
  mutating func settle() {
    let batch = simulator.takeBatch()
    events = batch.events
    queue.enqueue(batch)
  }

  /// Writes troubles without a peer to the log, outside of the lock.
  private func log(_ events: [WorldEvent]) {
    for case .trouble(let trouble) in events where trouble.peer.isEmpty {
      main?.post { [log] in log(trouble.sentence) }
    }
  }

  mutating func deliver() { if !events.isEmpty { ended += dispatcher.deliver(events, wires) } }

  /// Processes due work, as much as is done in one go; others get the lock before the rest.
  ///
  /// - Returns: true if the next operation may happen now.
  mutating func catchUp(_ wall: Instant) -> Bool {
    simulator.step(wall: wall)
    if simulator.hasEvents {
      settle()
      log(events)
      deliver()
    }
    return !simulator.isAtWork
  }

  /// The alarm's work: advances time, and lets faults and broadcasts reach more devices.
  mutating func goOn(_ wall: Instant) {
    wavesAreNext = simulator.world.hasWaves && !wavesAreNext
    guard wavesAreNext else {
      _ = catchUp(wall)
      return
    }
    simulator.stepWaves(wall: wall)
    settle()
    deliver()
  }

  /// Ends a turn under the lock.
  ///
  /// - Returns: calls to pass to the world in another turn.
  mutating func finish(_ wall: Instant) -> [AppCallEnd] {
    if let due = alarm.set(simulator.wakeUp(wall: wall), wall: wall) { dispatcher.alarm?(due) }
    if !waiting.isEmpty, !simulator.clock.isBehind {
      for job in waiting { main?.post(job) }
      waiting = []
    }
    guard !ended.isEmpty else { return [] }
    defer { ended = [] }
    return ended
  }
}
