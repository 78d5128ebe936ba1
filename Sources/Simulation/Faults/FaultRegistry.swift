import APNs
import Devices
import Timeline

/// The faults that are set, by name, and which of them strikes something that happens.
package struct FaultRegistry: Sendable {
  /// Maximum number of faults set at once.
  package static let most = 1000

  /// In the order in which their names were set first.
  package private(set) var active: [ActiveFault] = []
  private var pushes = PushFaultIndex()
  private var connections = ConnectionFaultIndex()
  private var reports = ReportFaultIndex()
  /// Random stream for delays of answers and calls.
  let delays: Chance
  /// Random stream for delays between APNs and phones.
  let ways: Chance
  private let chance: Chance
  private let apps: [String]
  /// Number of faults set so far.
  private var serials: UInt64 = 0
  /// Number of idle times checked: a measure of the work done for them.
  private(set) var idleChecks = 0

  init(seed: UInt64, apps: [String]) {
    chance = Chance(seed: seed).stream(for: "faults")
    delays = Chance(seed: seed).stream(for: "answer delay")
    ways = Chance(seed: seed).stream(for: "arrival")
    self.apps = apps
  }

  // MARK: - The list

  package subscript(name: String) -> ActiveFault? { active.first { $0.fault.name == name } }

  /// The name of the fault with that serial number, if it is still set.
  func name(_ serial: UInt64) -> String? { active.first { $0.serial == serial }?.fault.name }

  private func place(of name: String) -> Int? { active.firstIndex { $0.fault.name == name } }

  /// Sets a fault, in the place of one with the same name.
  ///
  /// - Returns: the fault's serial number.
  mutating func set(_ fault: Fault) -> UInt64 {
    serials += 1
    let new = ActiveFault(fault, serial: serials, apps: apps, chance)
    if let place = place(of: fault.name) { active[place] = new } else { active.append(new) }
    rebuildIndices()
    return serials
  }

  mutating func remove(_ name: String) -> ActiveFault? {
    guard let place = place(of: name) else { return nil }
    defer { rebuildIndices() }
    return active.remove(at: place)
  }

  private mutating func rebuildIndices() {
    pushes = PushFaultIndex(active)
    connections = ConnectionFaultIndex(active)
    reports = ReportFaultIndex(active)
  }

  /// A fault that stands by itself takes effect, or its effect is reverted.
  mutating func setApplied(_ name: String, _ isApplied: Bool) {
    if let place = place(of: name) { active[place].setApplied(isApplied) }
  }

  /// The effects on listeners of the faults in force, in order.
  var listeners: [(fault: ListenerFault, environment: Environment?)] {
    active.compactMap { active in
      guard active.isApplied, case .listener(let fault) = active.fault.consequence else { return nil }
      return (fault, active.fault.condition.filter.environment)
    }
  }

  // MARK: - Pushes

  /// Every push checks this first.
  var strikesPushes: Bool { !pushes.isEmpty }
  /// True if a fault that strikes pushes has a condition on the version of iOS.
  var needsOS: Bool { pushes.needsOS }
  /// True if a fault changes how pushes arrive at phones.
  var strikesArrivals: Bool { pushes.strikesArrivals }

  /// - Parameter isUnderway: true if the push is for a phone that is online.
  /// - Returns: the index of the first fault that strikes a push, if any. An index, because writing an empty `Fault?`
  ///   for each push takes longer than most checks.
  mutating func strike(
    _ push: inout AcceptedPushSubject, at address: Address, isUnderway: Bool, at now: Instant
  ) -> Int? {
    pushes.strike(&push, at: address, isUnderway: isUnderway, in: &active, at: now)
  }

  /// The fault with an index that `strike` has returned.
  func fault(at index: Int) -> Fault { active[index].fault }

  /// The first fault that strikes a broadcast or a request about channels, if any.
  mutating func strike(_ request: inout ChannelRequestSubject, at now: Instant) -> Fault? {
    guard let place = pushes.strike(&request, in: &active, at: now) else { return nil }
    return active[place].fault
  }

  /// The first fault that strikes the copy of a broadcast for a phone that is online, if any.
  mutating func strike(_ copy: inout BroadcastCopySubject, at now: Instant) -> Fault? {
    pushes.strike(&copy, in: &active, at: now).map { active[$0].fault }
  }

  // MARK: - Connections

  var strikesOpening: Bool { !connections.opening.isEmpty }
  var strikesIdle: Bool { !connections.idle.isEmpty }

  /// A connection was closed; its number does not come again.
  mutating func forget(_ connection: ProviderConnectionID) {
    for place in connections.opening + connections.idle { active[place].forget(connection) }
  }

  /// The first fault that strikes a connection when it opens, if any.
  mutating func strike(opening connection: ProviderConnectionID, to environment: Environment, at now: Instant) -> Fault?
  {
    connections.strike(opening: connection, to: environment, in: &active, at: now)
  }

  /// The faults that strike a connection because it has been idle long enough.
  ///
  /// - Parameter name: the only fault that is checked; nil for all.
  mutating func strike(
    idle connection: ProviderConnectionID, to environment: Environment,
    _ idleTime: inout ConnectionFaultState.IdleTime, by name: String?, at now: Instant
  ) -> [Fault] {
    let due = connections.due(connection, to: environment, &idleTime, by: name, in: active, at: now)
    idleChecks += due.count
    return due.compactMap { active[$0].drawsStrike(for: connection.number) ? active[$0].fault : nil }
  }

  /// Time of the next check of a connection's idle time; nil if no fault waits for it.
  ///
  /// - Parameter name: the only fault that counts; nil for all.
  func nextIdleCheck(
    of connection: ProviderConnectionID, to environment: Environment, _ idleTime: ConnectionFaultState.IdleTime,
    by name: String? = nil, at now: Instant
  ) -> Instant? {
    connections.nextCheck(of: connection, to: environment, idleTime, by: name, in: active, at: now)
  }

  // MARK: - Calls of apps

  var strikesReports: Bool { !reports.places.isEmpty }

  /// The first fault that strikes an app's call, if any.
  mutating func strike(_ call: ReportFaultIndex.Call, at now: Instant) -> (name: String, fault: ReportFault)? {
    reports.strike(call, in: &active, at: now)
  }

  /// Offset of the phone's clock when an app is about to report a time; nil if the clock is right.
  mutating func clockError(_ call: ReportFaultIndex.Call, at now: Instant) -> (name: String, ahead: Duration)? {
    reports.clockError(call, in: &active, at: now)
  }

  // MARK: - Many devices

  /// The action of a wave, looked up once per portion.
  struct WaveAction {
    let action: DeviceAction
    /// Index of the fault that begins; nil if one is being reverted.
    fileprivate let place: Int?
    /// The devices to process; nil for the whole fleet.
    private let devices: [DeviceID]?
    private let fleet: UInt32

    fileprivate init(_ action: DeviceAction, at place: Int?, on devices: [DeviceID]?, in plan: FleetPlan) {
      self.action = action
      self.place = place
      self.devices = devices
      fleet = plan.devices
    }

    func device(_ number: UInt64) -> DeviceID? {
      if let devices { return number < devices.count ? devices[Int(number)] : nil }
      return number < fleet ? DeviceID(UInt32(number)) : nil
    }
  }

  /// The action of a wave; nil if it has nothing to do any more.
  func action(of kind: Wave.Kind, _ plan: FleetPlan) -> WaveAction? {
    switch kind {
    case .broadcast: return nil
    case .revert(let devices, let action): return WaveAction(action, at: nil, on: devices, in: plan)
    case .begin(let name, let serial):
      guard let place = place(of: name), active[place].serial == serial, active[place].isApplied,
        case .devices(let action, _) = active[place].fault.consequence
      else { return nil }
      return WaveAction(action, at: place, on: active[place].fault.condition.filter.devices?.sorted(), in: plan)
    }
  }

  /// Records that a wave's action was done on a device.
  mutating func countDone(_ device: DeviceID, _ wave: WaveAction) {
    if let place = wave.place { active[place].countDone(device) }
  }

  /// True if a wave includes a device.
  func isAffected(_ device: DeviceID, _ wave: WaveAction, in fleet: Fleet) -> Bool {
    guard fleet.contains(device), fleet.owns(device) else { return false }
    guard let place = wave.place else { return true }
    return active[place].matches(device, in: fleet)
  }

  #if PUSHPIT_CHECKS
    /// Indices in the list of the faults that strike each kind of thing.
    var indices: [(kind: String, places: [Int])] {
      [
        ("opening connections", connections.opening), ("idle connections", connections.idle),
        ("reports", reports.places), ("pushes", pushes.places),
      ]
    }
  #endif
}
