import APNs
import Devices
import Timeline
import WireFormats

/// How time passes in the world: what is due is done in its order, in slices where there is much of it.
extension World {
  /// Entries of the schedule, and events, after which `step` ends. Both take some microseconds each.
  package static let entriesAStep = 256
  package static let eventsAStep = 512

  /// When `advance` must be called again at the latest; nil when nothing is due.
  package var nextDue: Instant? { partition.schedule.nextDue }

  /// Time passes: everything due by now happens, earliest first, and faults reach all their devices.
  package mutating func advance(to now: Now) {
    guard partition.schedule.soonest <= now.world || hasWaves else { return }
    output.record(.advanced, at: now)
    finishWaves()
    while doNext(by: now.world) != nil { finishWaves() }
  }

  /// Time passes, as far as is done in one go; no further than to where a fault has begun to reach devices.
  ///
  /// - Returns: how far the world is, where something due by `now` is left.
  package mutating func step(to now: Now) -> Instant? {
    guard partition.schedule.soonest <= now.world else { return nil }
    let (first, wavesBefore) = (output.count, faults.waves.count)
    var done = 0
    var reached = now.world
    while done < Self.entriesAStep, output.count - first < Self.eventsAStep, faults.waves.count <= wavesBefore,
      let due = doNext(by: now.world)
    {
      done += 1
      reached = due
    }
    let isThere = partition.schedule.soonest > now.world && faults.waves.count <= wavesBefore
    let call = isThere && !hasWaves ? WorldCall.advanced : .stepped(done)
    output.record(call, at: Now(world: isThere ? now.world : reached, wall: now.wall), firstEvent: first)
    return isThere ? nil : reached
  }

  /// Makes a step again that did so many entries.
  mutating func step(of entries: Int, to now: Now) {
    output.record(.stepped(entries), at: now)
    var left = entries
    while left > 0, doNext(by: now.world) != nil { left -= 1 }
  }

  /// Does what is due before a call.
  @inline(__always)
  mutating func pass(to now: Now) {
    guard partition.schedule.soonest <= now.world else { return }
    catchUp(to: now)
  }

  private mutating func catchUp(to now: Now) {
    while doNext(by: now.world) != nil {}
  }

  /// Does what is due first.
  ///
  /// - Returns: when it was due; nil where nothing is due by then.
  private mutating func doNext(by now: Instant) -> Instant? {
    guard let (due, work) = partition.schedule.takeNext(by: now) else { return nil }
    switch work {
    case .phone, .storeLooks, .callLeaves, .opensFirst, .visitEnds, .staleCheck:
      partition.perform(work, at: due, &faults, &output)
    case .wire(let number): release(number, at: due)
    case .faultBegins(let serial): begin(faults.name(serial), at: due)
    case .faultEnds(let serial): end(faults.name(serial), at: due)
    case .silence: lookForSilence(at: due)
    }
    partition.schedule.finish()
    return due
  }
}
