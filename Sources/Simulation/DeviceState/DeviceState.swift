import APNs
import Devices
import Timeline

/// Devices and everything that acts on them or comes from them: phones, scheduled work, stored pushes, channel
/// subscriptions, calls of their apps, the faults that may strike these, and the events.
///
/// The devices know nothing of connections. `World` appends its own events to the same list, schedules its own work in
/// the same schedule, and asks the same faults about pushes and connections.
struct DeviceState: Sendable {
  var fleet: Fleet
  var schedule: Schedule
  var store: PushStore
  var underway: PushesUnderway
  var subscriptions = Subscriptions()
  var reports: ReportRegistry
  var memory: MemoryBudget
  /// Work of devices of a large fleet after the world began that is not on the schedule yet.
  var firstWork: [FirstWork] = []
  var faults: FaultRegistry
  var prompts = PromptBehaviors()
  var output = EventList()
  /// The present or latest call of a phone, whose effects are taken after it.
  var turn: PhoneTurn

  init(_ plan: FleetPlan, rulebook: Rulebook, at now: Instant) {
    fleet = Fleet(plan, rulebook: rulebook, began: now)
    turn = PhoneTurn(fleet.model, at: now)
    schedule = Schedule(devices: plan.devices)
    store = PushStore(plan.store, seed: plan.seed)
    underway = PushesUnderway(plan.store)
    memory = MemoryBudget(bytes: plan.policy.fleetMemory, perDevice: plan.policy.memory)
    faults = FaultRegistry(seed: plan.seed, apps: plan.apps.map(\.bundleID))
    reports = ReportRegistry(plan.reports, devices: plan.ownDevices, seed: plan.seed)
    planFirstOpenings()
    planFirstRotations()
  }

  /// Every app with reports is opened once, so that its backend knows it.
  private mutating func planFirstOpenings() {
    guard reports.isOn, reports.plan.opensWithin != nil else { return }
    for app in fleet.plan.apps.indices where reports.reports(app) != nil { plan(.opens(app: app)) }
  }

  /// Random rotation of tokens starts with the world, whether or not an app is ever opened.
  private mutating func planFirstRotations() {
    let policy = fleet.policy
    for (app, profile) in fleet.plan.apps.enumerated() where profile.traits.pushCapability {
      var slots: [TokenSlot] = []
      if policy.startTokens.rotation != nil { slots += profile.types.indices.map { .pushToStart(type: $0) } }
      if policy.updateTokenRotation != nil, !profile.types.isEmpty {
        slots += (0..<UInt32(profile.runningActivities)).map { .update(activity: $0) }
      }
      for slot in slots { plan(.rotates(app: app, slot)) }
    }
  }
}
