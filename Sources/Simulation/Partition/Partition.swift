import APNs
import Devices
import Timeline

/// Devices, and all that is theirs: phones, what falls due for them, pushes that wait for them, channels that they
/// listen to, calls of their apps.
///
/// What it does takes the faults, for they may strike a device, and the list to which its events are appended. It knows
/// nothing of connections. Today all devices are in one; what faults and the wire wait for is in its schedule as well.
struct Partition: Sendable {
  var fleet: Fleet
  var schedule: Schedule
  var store: PushStore
  var subscriptions = Subscriptions()
  var reports: ReportRegistry
  var memory: MemoryBudget
  /// What a phone has just said; taken away after each thing it was asked to do.
  var effects = PhoneEffects()

  init(_ plan: FleetPlan, rulebook: Rulebook, at now: Instant) {
    fleet = Fleet(plan, rulebook: rulebook, began: now)
    schedule = Schedule(devices: plan.devices)
    store = PushStore(plan.store)
    memory = MemoryBudget(bytes: plan.policy.fleetMemory, perDevice: plan.policy.memory)
    reports = ReportRegistry(plan.reports, seed: plan.seed)
    planFirstOpenings()
    planFirstRotations()
  }

  /// Every app that reports is opened once, so that its backend knows it.
  private mutating func planFirstOpenings() {
    guard reports.isOn, let span = reports.plan.opensWithin else { return }
    for app in fleet.plan.apps.indices where reports.reports(app) != nil {
      for number in 0..<fleet.plan.devices {
        let wait = reports.draws.opening.duration(in: .zero...span, UInt64(number), UInt64(app))
        schedule.add(.opensFirst(DeviceID(number), app: app), due: fleet.began.advanced(by: wait))
      }
    }
  }

  /// Tokens that are replaced by chance are so from the beginning, whether their apps are ever opened or not.
  private mutating func planFirstRotations() {
    let policy = fleet.policy
    for (app, profile) in fleet.plan.apps.enumerated() where profile.traits.pushCapability {
      var slots: [TokenSlot] = []
      if policy.startTokens.rotation != nil { slots += profile.types.indices.map { .pushToStart(type: $0) } }
      if policy.updateTokenRotation != nil, !profile.types.isEmpty {
        slots += (0..<UInt32(profile.runningActivities)).map { .update(activity: $0) }
      }
      guard !slots.isEmpty else { continue }
      for device in (0..<fleet.plan.devices).lazy.map({ DeviceID($0) }) {
        for slot in slots {
          guard let wait = fleet.model.rotation(of: slot, generation: 0, on: device, app: app) else { continue }
          schedule.add(.phone(device, .tokenRotates(app: app, slot)), due: fleet.began.advanced(by: wait))
        }
      }
    }
  }

  /// Says that nobody waits any more for so many entries of the schedule. They are dropped once they are half of it.
  mutating func countStale(_ count: Int, _ faults: FaultRegistry) {
    guard schedule.countStale(count) else { return }
    let faultsThere = Set(faults.armed.map(\.serial))
    schedule.dropStale { work, due in
      switch work {
      case .wire(let number): faults.held.holds(number)
      case .faultBegins(let serial), .faultEnds(let serial): faultsThere.contains(serial)
      case .storeLooks(let device): store.look(for: device) == due
      case .silence: faults.nextLook == due
      default: true
      }
    }
  }
}
