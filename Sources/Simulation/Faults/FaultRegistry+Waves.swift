import APNs
import Devices
import Timeline

/// Which devices waves have still to reach, and what is to be done to them.
extension FaultRegistry {
  /// What the first wave does, read once for a portion.
  struct WaveJob {
    let action: DeviceAction
    /// Place of the fault that begins; nil where one is healed.
    let place: Int?
    /// Those to go through; nil for the whole fleet.
    let devices: [DeviceID]?
    let fleet: UInt32

    func device(_ number: Int) -> DeviceID? {
      if let devices { return number < devices.count ? devices[number] : nil }
      return number < fleet ? DeviceID(UInt32(number)) : nil
    }
  }

  /// What is to be done next; waves that have nothing left to do are dropped. Nil where none has.
  mutating func waveJob(_ plan: FleetPlan) -> WaveJob? {
    while let wave = waves.first {
      if let job = job(of: wave, plan) { return job }
      waves.removeFirst()
    }
    return nil
  }

  private func job(of wave: DeviceWave, _ plan: FleetPlan) -> WaveJob? {
    switch wave.kind {
    case .heal(let devices, let action):
      return WaveJob(action: action, place: nil, devices: devices, fleet: plan.devices)
    case .begin(let name, let serial):
      guard let place = armed.firstIndex(where: { $0.fault.name == name }), armed[place].serial == serial,
        armed[place].isInForce, case .devices(let action, _) = armed[place].fault.consequence
      else { return nil }
      return WaveJob(
        action: action, place: place, devices: armed[place].fault.condition.filter.devices?.sorted(),
        fleet: plan.devices)
    }
  }

  /// The next device that the first wave looks at; nil where it has looked at all.
  func nextDevice(_ job: WaveJob) -> DeviceID? { waves.first.flatMap { job.device($0.next) } }

  /// What the first wave does has been done to a device.
  mutating func countDone(_ device: DeviceID, _ job: WaveJob) {
    if let place = job.place { armed[place].done.append(device) }
  }

  /// Whether a wave is for a device.
  func isAffected(_ device: DeviceID, _ job: WaveJob, in fleet: Fleet) -> Bool {
    guard fleet.contains(device) else { return false }
    guard let place = job.place else { return true }
    var subject = DeviceSubject(device, fleet, for: armed[place].matcher)
    return armed[place].matcher.matches(&subject)
  }

  /// Devices that waves have still to look at, in a fleet of that size.
  func devicesAhead(fleet: UInt32) -> Int {
    waves.list.reduce(0) { sum, wave in
      switch wave.kind {
      case .begin(let name, _): return sum + (self[name].map { devicesAhead(of: $0, fleet: fleet) } ?? 0)
      case .heal(let devices, _): return sum + devices.count - wave.next
      }
    }
  }

  /// Devices that a fault has still to look at; 0 where it is not in force.
  func devicesAhead(of armed: Armed, fleet: UInt32) -> Int {
    guard armed.isInForce else { return 0 }
    return waves.list.reduce(0) { sum, wave in
      guard case .begin(_, armed.serial) = wave.kind else { return sum }
      return sum + (armed.fault.condition.filter.devices?.count ?? Int(fleet)) - wave.next
    }
  }
}
