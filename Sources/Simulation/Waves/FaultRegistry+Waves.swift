import APNs
import Devices
import Timeline

/// The actions of the waves of faults, and their devices.
extension FaultRegistry {
  /// The action of a wave, looked up once per portion.
  struct WaveJob {
    let action: DeviceAction
    /// Index of the fault that begins; nil if one is being reverted.
    let place: Int?
    /// The devices to process; nil for the whole fleet.
    let devices: [DeviceID]?
    let fleet: UInt32

    func device(_ number: UInt64) -> DeviceID? {
      if let devices { return number < devices.count ? devices[Int(number)] : nil }
      return number < fleet ? DeviceID(UInt32(number)) : nil
    }
  }

  /// The action of a wave; nil if it has nothing to do any more.
  func job(of kind: Wave.Kind, _ plan: FleetPlan) -> WaveJob? {
    switch kind {
    case .broadcast: return nil
    case .revert(let devices, let action):
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

  /// Records that a wave's action was done on a device.
  mutating func countDone(_ device: DeviceID, _ job: WaveJob) {
    if let place = job.place { armed[place].done.append(device) }
  }

  /// True if a wave includes a device.
  func isAffected(_ device: DeviceID, _ job: WaveJob, in fleet: Fleet) -> Bool {
    guard fleet.contains(device), fleet.owns(device) else { return false }
    guard let place = job.place else { return true }
    var subject = DeviceSubject(device, fleet, for: armed[place].matcher)
    return armed[place].matcher.matches(&subject)
  }
}
