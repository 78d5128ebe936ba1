import APNs
import Devices
import Timeline
import WireFormats

/// Time in the world: due work is done in order, in slices if there is much of it.
extension World {
  /// Number of schedule entries, and of events, after which `step` ends. Each takes a few microseconds.
  package static let entriesPerStep = 256
  package static let eventsPerStep = 512

  /// Latest time at which `step` must be called again; nil if nothing is scheduled.
  package var nextDue: Instant? { schedule.nextDue }

  /// Advances time without a pause: everything due by now happens, earliest first, and waves reach all their devices.
  package mutating func advance(to now: Now) {
    finishWaves(wall: now.wall)
    while step(to: now) != nil { finishWaves(wall: now.wall) }
  }

  /// Each wave reaches its devices at the time when it began, or that the world has reached since.
  private mutating func finishWaves(wall: Instant) {
    while hasWaves { stepWaves(at: Now(world: schedule.reached, wall: wall)) }
  }

  /// Advances time as far as is done in one go, but not beyond the point where a fault has begun to reach devices.
  ///
  /// - Parameter events: number of events after which it ends.
  /// - Returns: the time that the world has reached, if work due by `now` is left.
  package mutating func step(to now: Now, events: Int = eventsPerStep) -> Instant? {
    guard schedule.soonest <= now.world else { return nil }
    let (first, wavesBefore) = (output.count, waves.count)
    var done = 0
    var reached = now.world
    while done < Self.entriesPerStep, output.count - first < events, waves.count <= wavesBefore,
      let due = doNext(by: now.world)
    {
      done += 1
      reached = due
    }
    let isThere = nextDue.map { $0 > now.world } ?? true && waves.count <= wavesBefore
    output.record(.stepped(done), at: Now(world: isThere ? now.world : reached, wall: now.wall), firstEvent: first)
    if isThere { check(past: now.world) } else { check(at: reached) }
    return isThere ? nil : reached
  }

  /// Advances time by that many entries of the schedule.
  package mutating func step(of entries: Int, to now: Now) {
    output.record(.stepped(entries), at: now)
    var left = entries
    while left > 0, doNext(by: now.world) != nil { left -= 1 }
  }

  /// Begins a call: records it, and does the work that is due before it. There is none if `step` was called before;
  /// otherwise no more is done than in a step.
  ///
  /// - Returns: the time of the call. If work is left, it is the time that the world has reached: nothing happens
  ///   before what is due earlier.
  @inline(__always)
  mutating func enter(_ call: @autoclosure () -> WorldCall, at now: Now) -> Now {
    output.record(call(), at: now)
    let now = schedule.soonest <= now.world ? catchUp(to: now) : now
    schedule.reach(now.world)
    dropObsoleteWork()
    return now
  }

  private mutating func catchUp(to now: Now) -> Now {
    let first = output.count
    var done = 0
    while done < Self.entriesPerStep, output.count - first < Self.eventsPerStep, doNext(by: now.world) != nil {
      done += 1
    }
    return Now(world: min(now.world, schedule.soonest), wall: now.wall)
  }

  /// Does the first due work.
  ///
  /// - Returns: when it was due; nil if nothing is due by then.
  private mutating func doNext(by now: Instant) -> Instant? {
    guard let (due, work) = schedule.takeNext(by: now) else { return nil }
    switch work {
    case .phone, .expiryCheck, .callLeaves, .opensFirst, .firstWork, .visitEnds, .staleCheck, .arrival:
      deviceState.perform(work, at: due)
    case .wire(let connection, let number): release(number, on: connection, at: due)
    case .faultBegins(let serial): begin(faults.name(serial), at: due)
    case .faultEnds(let serial): end(faults.name(serial), at: due)
    case .idleCheck(let connection): performIdleCheck(of: connection, due: due)
    }
    schedule.finish()
    dropObsoleteWork()
    return due
  }

  /// Drops the obsolete entries of the schedule once they are half of it.
  @inline(__always)
  private mutating func dropObsoleteWork() {
    if schedule.isMostlyObsolete { schedule.dropObsolete(keeping: wantedWork) }
  }

  /// Test that tells obsolete entries of the schedule from others.
  var wantedWork: (_ work: Schedule.Work, _ due: Instant) -> Bool {
    let faultsThere = Set(faults.active.map(\.serial))
    return { [connections, store = deviceState.store, underway = deviceState.underway] work, due in
      switch work {
      case .wire(let connection, let number): connections[connection]?.faults.delayed.list[number] != nil
      case .idleCheck(let connection): connections[connection]?.faults.idle?.nextCheck == due
      case .faultBegins(let serial), .faultEnds(let serial): faultsThere.contains(serial)
      case .expiryCheck(let device, let number): store.isNext(number, for: device)
      case .arrival(_, let number): underway.contains(number)
      default: true
      }
    }
  }
}
