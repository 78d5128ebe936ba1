import APNs
import Devices
import Timeline

/// How faults reach many devices.
extension World {
  /// Begins with a wave, or lets it wait for those before it: what heals a device must not overtake what ailed it.
  mutating func start(_ wave: DeviceWave) {
    if faults.waves.append(wave) { carryOn(.one, at: wave.began) }
  }

  /// Whether faults have devices left to reach or to heal. Pushes and time do not wait for them.
  package var hasWaves: Bool { !faults.waves.isEmpty }

  /// Reaches some more devices.
  package mutating func stepWaves(at now: Now) {
    guard hasWaves else { return }
    output.record(.waved, at: now)
    carryOn(.one, at: now.world)
  }

  /// Reaches all that are left, each when its wave began.
  mutating func finishWaves() {
    while let wave = faults.waves.first { carryOn(.one, at: wave.began) }
  }

  /// Devices that waves have still to look at.
  package var devicesAhead: Int { faults.devicesAhead(fleet: partition.fleet.plan.devices) }

  /// Devices that a fault has still to look at; 0 where it is not in force.
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
        // Where it makes no sense nothing happens.
        if (try? perform(job.action, on: device, at: now)) != nil { faults.countDone(device, job) }
      }
      faults.waves.removeFirst()
    }
  }
}
