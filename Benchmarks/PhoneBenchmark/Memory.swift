import APNs
import Devices
import Simulation
import Timeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a phone costs in bytes: the growth of the resident set over many of them.
enum Memory {
  static let devices: UInt32 = 100_000

  /// - Parameter activities: running on each phone; nil for phones that nobody has touched.
  static func perPhone(activities: Int?) -> Int {
    let ring = KeyRing(keys: [], apps: []) { _, _, _ in true }
    let now = Now(world: Match.began, wall: Match.began)
    let plan = FleetPlan(devices: devices, seed: 1, apps: [Push.profile], mix: [.init(OSVersion(26, 1), parts: 1)])
    let before = resident
    var world = World(plan, rulebook: Rulebook(), keyRing: ring, at: now.world)
    var list: [Event] = []
    guard let activities else {
      for device in 0..<devices { _ = world.screen(of: DeviceID(device), at: now.world) }
      let after = resident
      return withExtendedLifetime(world) { (after - before) / Int(devices) }
    }
    for device in 0..<devices {
      if activities == 0 { _ = try? world.perform(.device(DeviceID(device), .unlock), at: now) }
      for _ in 0..<activities {
        _ = try? world.perform(
          .device(DeviceID(device), .startActivity(app: Push.app, attributesType: nil)), at: now)
      }
      world.takeEvents(into: &list)
    }
    let after = resident
    return withExtendedLifetime(world) { (after - before) / Int(devices) }
  }

  /// Bytes of this process in memory.
  private static var resident: Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
