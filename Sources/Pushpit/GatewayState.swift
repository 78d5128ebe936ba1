import Simulation
import Timeline
import Transport

/// What the gateway does with its lock held, and what that is done to.
struct GatewayState: Sendable {
  var station: Station
  var outlets: Outlets
  let queue: ReaderQueue
  /// Of the last turn.
  var events: [Event] = []
  var opened: UInt64 = 0
  /// Where answers go: the wire's name of each connection of the world.
  var wires: [Simulation.ConnectionID: Transport.ConnectionID] = [:]
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
    let batch = station.takeBatch()
    events = batch.events
    queue.put(batch)
  }

  mutating func deliver() { if !events.isEmpty { ended += outlets.deliver(events, wires) } }

  /// Lets happen what is due, as much as is done in one go; others have the lock before the rest.
  ///
  /// - Returns: whether what happens next may happen now.
  mutating func catchUp(_ wall: Instant) -> Bool {
    station.step(wall: wall)
    if station.world.hasNews {
      settle()
      deliver()
    }
    return !station.isAtWork
  }

  /// What the alarm rings for: time passes, and faults reach more devices.
  mutating func goOn(_ wall: Instant) {
    wavesAreNext = station.world.hasWaves && !(wavesAreNext && station.clock.isBehind)
    guard wavesAreNext else {
      _ = catchUp(wall)
      return
    }
    station.stepWaves(wall: wall)
    settle()
    deliver()
  }

  /// What every turn at the lock ends with.
  ///
  /// - Returns: what the world is to be told in another.
  mutating func finish(_ wall: Instant) -> [AppCallEnd] {
    if let due = alarm.set(station.wakeUp(wall: wall), wall: wall) { outlets.alarm?(due) }
    if !waiting.isEmpty, !station.clock.isBehind {
      for job in waiting { main?.post(job) }
      waiting = []
    }
    guard !ended.isEmpty else { return [] }
    defer { ended = [] }
    return ended
  }
}
