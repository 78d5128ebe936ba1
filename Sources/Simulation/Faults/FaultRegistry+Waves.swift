import APNs
import Devices
import Timeline

/// Which devices waves have not reached yet, and what they do to them.
extension FaultRegistry {
  /// The action of the first wave, looked up once per portion.
  struct WaveJob {
    let action: DeviceAction
    /// Index of the fault that begins; nil if one is being reverted.
    let place: Int?
    /// The devices to process; nil for the whole fleet.
    let devices: [DeviceID]?
    let fleet: UInt32

    func device(_ number: Int) -> DeviceID? {
      if let devices { return number < devices.count ? devices[number] : nil }
      return number < fleet ? DeviceID(UInt32(number)) : nil
    }
  }

  /// The next action. Finished waves are dropped. Nil if no wave is left.
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

  /// The next device of the first wave; nil if it is finished.
  func nextDevice(_ job: WaveJob) -> DeviceID? { waves.first.flatMap { job.device($0.next) } }

  /// Records that the first wave's action was done on a device.
  mutating func countDone(_ device: DeviceID, _ job: WaveJob) {
    if let place = job.place { armed[place].done.append(device) }
  }

  /// Whether a wave includes a device.
  func isAffected(_ device: DeviceID, _ job: WaveJob, in fleet: Fleet) -> Bool {
    guard fleet.contains(device), fleet.owns(device) else { return false }
    guard let place = job.place else { return true }
    var subject = DeviceSubject(device, fleet, for: armed[place].matcher)
    return armed[place].matcher.matches(&subject)
  }

  /// Number of devices that waves have not looked at yet, in a fleet of that size.
  func devicesAhead(fleet: UInt32) -> Int {
    waves.list.reduce(0) { sum, wave in
      switch wave.kind {
      case .begin(let name, _): return sum + (self[name].map { devicesAhead(of: $0, fleet: fleet) } ?? 0)
      case .heal(let devices, _): return sum + devices.count - wave.next
      }
    }
  }

  /// Number of devices that a fault has not looked at yet; 0 if it is not in force.
  func devicesAhead(of armed: Armed, fleet: UInt32) -> Int {
    guard armed.isInForce else { return 0 }
    return waves.list.reduce(0) { sum, wave in
      guard case .begin(_, armed.serial) = wave.kind else { return sum }
      return sum + (armed.fault.condition.filter.devices?.count ?? Int(fleet)) - wave.next
    }
  }
}
