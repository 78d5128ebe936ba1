import APNs
import Devices
import Timeline

/// How faults reach many devices.
extension World {
  /// Starts a wave, or queues it behind earlier waves: a revert must not overtake the action that it reverts.
  mutating func start(_ wave: DeviceWave) {
    if faults.waves.append(wave) { carryOn(.one, at: wave.began) }
  }

  /// Whether faults have devices left to process. Pushes and time do not wait for them.
  package var hasWaves: Bool { !faults.waves.isEmpty }

  /// Processes another portion of devices.
  package mutating func stepWaves(at now: Now) {
    guard hasWaves else { return }
    output.record(.waved, at: now)
    partition.schedule.reach(now.world)
    carryOn(.one, at: now.world)
    check(at: partition.schedule.soonest)
  }

  /// Number of devices that waves have not looked at yet.
  package var devicesAhead: Int { faults.devicesAhead(fleet: partition.fleet.plan.devices) }

  /// Number of devices that a fault has not looked at yet; 0 if it is not in force.
  package func devicesAhead(of armed: FaultRegistry.Armed) -> Int {
    faults.devicesAhead(of: armed, fleet: partition.fleet.plan.devices)
  }

  private mutating func carryOn(_ portion: DeviceWave.Portion, at now: Instant) {
    let firstEvent = output.count
    var looks = 0
    var orders = 0
    while let job = faults.waveJob(partition.fleet.plan) {
      while let device = faults.nextDevice(job) {
        guard looks < portion.looks, orders < portion.orders, output.count - firstEvent < portion.events else { return }
        faults.waves.advance()
        looks += 1
        guard faults.isAffected(device, job, in: partition.fleet) else { continue }
        orders += 1
        // Devices on which the action is not possible are skipped.
        if (try? perform(job.action, on: device, at: now)) != nil { faults.countDone(device, job) }
      }
      faults.waves.removeFirst()
    }
  }
}
