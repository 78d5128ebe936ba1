import APNs
import Devices
import Timeline

/// The whole fleet in counts, and as a map of tiles, each of which stands for neighbouring devices.
///
/// Devices are counted in portions. Of a very large fleet, only every `step`th device is looked at.
package struct FleetSummary: Sendable {
  package static let mostTiles = 4096
  package static let mostLooked: UInt32 = 1 << 18
  /// Pushes looked at, from the newest, for the last fate of each tile.
  package static let mostPushes = 10_000

  package struct Tile: Hashable, Sendable {
    package fileprivate(set) var looked: UInt32 = 0
    package fileprivate(set) var offline: UInt32 = 0
    /// Devices with a running Live Activity.
    package fileprivate(set) var live: UInt32 = 0
    /// The delivery status of the newest push to one of its devices.
    package fileprivate(set) var fate: DeliveryStatus?
  }

  package struct App: Hashable, Sendable {
    package fileprivate(set) var installed: UInt32 = 0
    /// Running Live Activities.
    package fileprivate(set) var running: UInt32 = 0
  }

  package let devices: UInt32
  private let cell: Cell?
  /// Every `step`th device is looked at.
  package let step: UInt32
  package private(set) var looked: UInt32 = 0
  package private(set) var offline: UInt32 = 0
  package private(set) var versions: [OSVersion: UInt32] = [:]
  package private(set) var apps: [App]
  package private(set) var tiles: [Tile]

  private var nextDevice: UInt32 = 0
  private var nextAge = 0

  package init(_ fleet: Fleet) {
    devices = fleet.plan.ownDevices
    cell = fleet.plan.cell
    step = max(1, (devices + Self.mostLooked - 1) / Self.mostLooked)
    apps = Array(repeating: App(), count: fleet.plan.apps.count)
    tiles = Array(repeating: Tile(), count: min(Self.mostTiles, Int(devices)))
  }

  /// True if all was counted.
  package var isDone: Bool { nextDevice >= devices && nextAge == Self.mostPushes }

  /// Counts at most `mostDevices` devices; once all are counted, at most `mostPushes` pushes.
  package mutating func count(_ world: World, _ pushLog: PushLog, mostDevices: UInt32, mostPushes: Int, at now: Instant)
  {
    guard nextDevice >= devices else {
      for _ in 0..<mostDevices where nextDevice < devices {
        count(nextDevice, world.fleet, at: now)
        nextDevice += min(step, devices - nextDevice)
      }
      return
    }
    let end = min(nextAge + mostPushes, Self.mostPushes)
    for age in nextAge..<end {
      guard let record = pushLog.record(aged: age) else { break }
      guard let device = record.address?.device, device.number < world.fleet.plan.devices,
        world.fleet.owns(device)
      else { continue }
      let tile = tile(of: cell?.index(of: device) ?? device.number)
      if tiles[tile].fate == nil { tiles[tile].fate = record.fate.status }
    }
    nextAge = end
  }

  private func tile(of index: UInt32) -> Int {
    Int(UInt64(index) * UInt64(tiles.count) / UInt64(devices))
  }

  /// - Parameter index: of a device among those of this process.
  private mutating func count(_ index: UInt32, _ fleet: Fleet, at now: Instant) {
    let device = cell?.device(index) ?? DeviceID(index)
    let tile = tile(of: index)
    looked += 1
    tiles[tile].looked += 1
    versions[fleet.os(of: device), default: 0] += 1
    if !fleet.isOnline(device) {
      offline += 1
      tiles[tile].offline += 1
    }
    var isLive = false
    for app in apps.indices {
      let install = fleet.install(device, app: app)
      guard install.isInstalled else { continue }
      apps[app].installed += 1
      let running = install.activities.count { $0.isRunning(at: now) }
      apps[app].running += UInt32(running)
      if running > 0 { isLive = true }
    }
    if isLive { tiles[tile].live += 1 }
  }
}
