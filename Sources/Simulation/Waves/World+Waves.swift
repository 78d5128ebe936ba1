import APNs
import Devices
import Timeline

/// Delivery of faults and broadcasts to many devices.
extension World {
  /// Starts a wave with its first portion, or queues it behind earlier waves of its lane.
  mutating func start(_ kind: Wave.Kind, at now: Instant) {
    guard let place = waves.append(kind, at: now) else { return }
    var count = PortionCount(waves.portion, output)
    _ = goOn(place, &count, at: now)
  }

  /// True while waves have devices left to process. Pushes and time do not wait for them.
  package var hasWaves: Bool { !waves.isEmpty }

  /// True while faults have devices left to process.
  package var hasFaultWaves: Bool { waves.list.contains { $0.lane == .faults } }

  /// Number of waves that have begun so far.
  package var wavesBegun: UInt64 { waves.begun }

  /// True while one of the first `count` waves has devices left.
  package func hasWaves(amongFirst count: UInt64) -> Bool { waves.list.contains { $0.number < count } }

  /// Processes another portion of devices.
  package mutating func stepWaves(at now: Now) {
    guard hasWaves else { return }
    // Nothing happens before what is due earlier.
    let now = Now(world: min(now.world, partition.schedule.soonest), wall: now.wall)
    output.record(.waved, at: now)
    partition.schedule.reach(now.world)
    carryOn(at: now.world)
    check(at: now.world)
  }

  /// Number of devices that a fault has not looked at yet; 0 if it is not in force.
  package func devicesAhead(of armed: FaultRegistry.Armed) -> Int {
    guard armed.isInForce else { return 0 }
    let all = armed.fault.condition.filter.devices?.count ?? Int(partition.fleet.plan.devices)
    return waves.list.reduce(0) { sum, wave in
      if case .begin(_, armed.serial) = wave.kind { sum + all - Int(wave.next) } else { sum }
    }
  }

  private mutating func carryOn(at now: Instant) {
    var count = PortionCount(waves.portion, output)
    while let place = waves.takeTurn(), goOn(place, &count, at: now) {}
  }

  /// Processes devices of a wave, which is removed if it is finished.
  ///
  /// - Returns: whether it is finished.
  private mutating func goOn(_ place: Int, _ count: inout PortionCount, at now: Instant) -> Bool {
    let wave = waves.list[place]
    var next: UInt64? = wave.next
    if case .broadcast(let broadcast) = wave.kind {
      next = partition.deliver(broadcast, from: wave.next, &count, at: now, &faults, &output)
    } else if let job = faults.job(of: wave.kind, partition.fleet.plan) {
      next = act(job, from: wave.next, &count, at: now)
    } else {
      next = nil
    }
    if let next { waves.move(place, to: next) } else { waves.remove(place) }
    return next == nil
  }

  /// Performs the action of a fault on more of its devices.
  ///
  /// - Returns: where to go on; nil if no device is left.
  private mutating func act(
    _ job: FaultRegistry.WaveJob, from start: UInt64, _ count: inout PortionCount, at now: Instant
  ) -> UInt64? {
    var number = start
    while let device = job.device(number) {
      guard count.hasRoom(output) else { return number }
      number += 1
      count.look()
      guard faults.isAffected(device, job, in: partition.fleet) else { continue }
      count.order()
      // Devices on which the action is not possible are skipped.
      if (try? perform(job.action, on: device, at: now)) != nil { faults.countDone(device, job) }
    }
    return nil
  }
}
