import Simulation
import Timeline
import Transport

/// What the gateway does with its lock held, and what that is done to.
struct GatewayState: Sendable {
  var simulator: Simulator
  var dispatcher: EffectDispatcher
  let queue: ReaderQueue
  /// Of the last turn.
  var events: [WorldEvent] = []
  var opened: UInt64 = 0
  /// Where answers go: the wire's name of each connection of the world.
  var wires: [ProviderConnectionID: ConnectionID] = [:]
  var alarm = DueAlarm()
  /// Time and faults on many devices go on in turns, so that no hold of the lock is as long as both.
  var wavesAreNext = false
  /// Done on the main loop when the world is where its clock is.
  var waiting: [@Sendable () -> Void] = []
  var main: MainLoopPoster?
  /// Calls of apps that ended at once, which the world does not know yet.
  var ended: [AppCallEnd] = []

  /// Takes what has happened, and has it read in this order.
  mutating func settle() {
    let batch = simulator.takeBatch()
    events = batch.events
    queue.enqueue(batch)
  }

  mutating func deliver() { if !events.isEmpty { ended += dispatcher.deliver(events, wires) } }

  /// Lets happen what is due, as much as is done in one go; others have the lock before the rest.
  ///
  /// - Returns: whether what happens next may happen now.
  mutating func catchUp(_ wall: Instant) -> Bool {
    simulator.step(wall: wall)
    if simulator.world.hasEvents {
      settle()
      deliver()
    }
    return !simulator.isAtWork
  }

  /// What the alarm rings for: time passes, and faults reach more devices.
  mutating func goOn(_ wall: Instant) {
    wavesAreNext = simulator.world.hasWaves && !(wavesAreNext && simulator.clock.isBehind)
    guard wavesAreNext else {
      _ = catchUp(wall)
      return
    }
    simulator.stepWaves(wall: wall)
    settle()
    deliver()
  }

  /// What every turn at the lock ends with.
  ///
  /// - Returns: what the world is to be told in another.
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
