import APNs
import Devices
import Timeline

/// Something that a fault does to many devices, a few at a time: a million at once would hold the world for seconds.
struct DeviceWave: Sendable {
  enum Kind: Sendable {
    /// What a fault does to the devices it is for, while it is in force.
    case begin(String, serial: UInt64)
    /// What takes that back, where it was done.
    case heal([DeviceID], DeviceAction)
  }

  /// How much is done before others have a turn.
  struct Portion {
    let looks: Int
    let orders: Int
    let events: Int

    /// A fleet of this size is done with when the order is.
    static let one = Portion(looks: 5_000, orders: 200, events: 1_000)
  }

  let kind: Kind
  let began: Instant
  /// How many devices have been looked at.
  var next = 0

  init(_ kind: Kind, at began: Instant) {
    self.kind = kind
    self.began = began
  }
}

extension World {
  /// Begins with a wave, or lets it wait for those before it: what heals a device must not overtake what ailed it.
  mutating func start(_ wave: DeviceWave) {
    waves.append(wave)
    if waves.count == 1 { carryOn(.one, at: wave.began) }
  }

  /// Whether faults have devices left to reach or to heal. Pushes and time do not wait for them.
  package var hasWaves: Bool { !waves.isEmpty }

  /// Reaches some more devices.
  package mutating func stepWaves(at now: Now) {
    guard hasWaves else { return }
    note(.waved, at: now)
    carryOn(.one, at: now.world)
  }

  /// Reaches all that are left, each when its wave began.
  mutating func finishWaves() {
    while let wave = waves.first { carryOn(.one, at: wave.began) }
  }

  /// Devices that waves have still to look at.
  package var devicesAhead: Int {
    waves.reduce(0) { sum, wave in
      switch wave.kind {
      case .begin(let name, _): return sum + (faults[name].map { devicesAhead(of: $0) } ?? 0)
      case .heal(let devices, _): return sum + devices.count - wave.next
      }
    }
  }

  /// Devices that a fault has still to look at; 0 where it is not in force.
  package func devicesAhead(of armed: FaultDesk.Armed) -> Int {
    guard armed.isInForce else { return 0 }
    return waves.reduce(0) { sum, wave in
      guard case .begin(_, armed.serial) = wave.kind else { return sum }
      return sum + (armed.fault.condition.devices?.count ?? Int(fleet.plan.devices)) - wave.next
    }
  }

  private mutating func carryOn(_ portion: DeviceWave.Portion, at now: Instant) {
    let firstEvent = events.count
    var looks = 0
    var orders = 0
    while !waves.isEmpty {
      guard let job = job(of: waves[0]) else {
        waves.removeFirst()
        continue
      }
      while let device = job.device(waves[0].next) {
        guard looks < portion.looks, orders < portion.orders, events.count - firstEvent < portion.events else { return }
        waves[0].next += 1
        looks += 1
        guard fleet.contains(device), isMeant(device, job) else { continue }
        orders += 1
        // Where it makes no sense nothing happens.
        guard (try? perform(job.action, on: device, at: now)) != nil, let place = job.place else { continue }
        faults.armed[place].done.append(device)
      }
      waves.removeFirst()
    }
  }

  /// What is to be done, read once for a portion.
  private struct WaveJob {
    let action: DeviceAction
    /// Place of the fault that begins; nil where one is healed.
    let place: Int?
    var app: Int?
    var os: Int?
    /// Those to go through; nil for the whole fleet.
    let devices: [DeviceID]?
    let fleet: UInt32

    func device(_ number: Int) -> DeviceID? {
      if let devices { return number < devices.count ? devices[number] : nil }
      return number < fleet ? DeviceID(UInt32(number)) : nil
    }
  }

  /// Nil where there is nothing left to do.
  private func job(of wave: DeviceWave) -> WaveJob? {
    switch wave.kind {
    case .heal(let devices, let action):
      return WaveJob(action: action, place: nil, devices: devices, fleet: fleet.plan.devices)
    case .begin(let name, let serial):
      guard let place = faults.armed.firstIndex(where: { $0.fault.name == name }), faults.armed[place].serial == serial,
        faults.armed[place].isInForce, case .devices(let action, _) = faults.armed[place].fault.consequence
      else { return nil }
      let condition = faults.armed[place].fault.condition
      return WaveJob(
        action: action, place: place,
        app: condition.app.flatMap { app in fleet.plan.apps.firstIndex { $0.bundleID == app } }, os: condition.os,
        devices: condition.devices.map { $0.sorted() }, fleet: fleet.plan.devices)
    }
  }

  private func isMeant(_ device: DeviceID, _ job: WaveJob) -> Bool {
    guard let place = job.place else { return true }
    return faults.holds(faults.armed[place], device) && (job.os.map { fleet.os(of: device).major == $0 } ?? true)
      && (job.app.map { fleet.install(device, app: $0).isInstalled } ?? true)
  }
}
