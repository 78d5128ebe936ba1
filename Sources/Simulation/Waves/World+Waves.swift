import APNs
import Devices
import Timeline

/// Delivery of faults and broadcasts to many devices.
extension World {
  /// Starts a wave with its first portion, or queues it behind earlier waves of its lane.
  mutating func start(_ kind: Wave.Kind, at now: Instant) {
    guard let place = waves.append(kind, at: now) else { return }
    var count = PortionCount(waves.portion, output)
    waves.move(place, to: resume(waves.wave(at: place), &count, at: now))
  }

  /// True while waves have devices left to process. Pushes and time do not wait for them.
  package var hasWaves: Bool { !waves.isEmpty }

  /// True while faults have devices left to process.
  package var hasFaultWaves: Bool { waves.hasActions }

  /// Number of waves that have begun so far.
  package var wavesBegun: UInt64 { waves.begun }

  /// True while one of the first `count` waves is a broadcast that has subscribers left.
  package func hasBroadcasts(amongFirst count: UInt64) -> Bool { waves.hasBroadcasts(amongFirst: count) }

  /// Processes another portion of devices.
  package mutating func stepWaves(at now: Now) {
    guard hasWaves else { return }
    // Nothing happens before what is due earlier.
    let now = Now(world: min(now.world, schedule.soonest), wall: now.wall)
    output.record(.waved, at: now)
    schedule.reach(now.world)
    advanceWaves(at: now.world)
    check(at: now.world)
  }

  /// Number of devices that a fault has not looked at yet; 0 if it is not in force.
  package func devicesAhead(of active: ActiveFault) -> Int {
    guard active.isApplied else { return 0 }
    let all = active.fault.condition.filter.devices?.count ?? Int(fleet.plan.devices)
    return waves.all.reduce(0) { sum, wave in
      if case .begin(_, active.serial) = wave.kind { sum + all - Int(wave.next) } else { sum }
    }
  }

  private mutating func advanceWaves(at now: Instant) {
    var count = PortionCount(waves.portion, output)
    while hasWaves, count.hasRoom(output) {
      let next = resume(waves.wave(at: 0), &count, at: now)
      waves.endTurn(at: next)
      if next != nil { return }
      // A turn is work even if its wave had no device left.
      count.order()
    }
  }

  /// Processes devices of a wave.
  ///
  /// - Returns: where it continues; nil if it is finished.
  private mutating func resume(_ wave: Wave, _ count: inout PortionCount, at now: Instant) -> UInt64? {
    if case .broadcast(let broadcast) = wave.kind {
      return deviceState.deliver(broadcast, from: wave.next, &count, at: now)
    }
    guard let action = faults.action(of: wave.kind, fleet.plan) else { return nil }
    return act(action, from: wave.next, &count, at: now)
  }

  /// Performs the action of a fault on more of its devices.
  ///
  /// - Returns: the number of the next device; nil if no device is left.
  private mutating func act(
    _ wave: FaultRegistry.WaveAction, from start: UInt64, _ count: inout PortionCount, at now: Instant
  ) -> UInt64? {
    var number = start
    while let device = wave.device(number) {
      guard count.hasRoom(output) else { return number }
      number += 1
      count.look()
      guard faults.isAffected(device, wave, in: fleet) else { continue }
      count.order()
      // Devices on which the action is not possible are skipped.
      if (try? perform(wave.action, on: device, at: now)) != nil { faults.countDone(device, wave) }
    }
    return nil
  }
}
