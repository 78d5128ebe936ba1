import APNs
import Devices
import Simulation
import Timeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The bytes that a phone costs: how much more the resident set grows for a large fleet than for a small one.
enum Memory {
  private static let fleets: (small: UInt32, large: UInt32) = (100_000, 1_000_000)

  /// - Parameter activities: running on each phone; nil for phones that nobody has touched.
  static func perPhone(activities: Int?) -> Int {
    // Both worlds are kept, so that the second finds no memory that the first has freed.
    let (small, smallWorld) = growth(fleets.small, activities)
    let (large, largeWorld) = growth(fleets.large, activities)
    return withExtendedLifetime((smallWorld, largeWorld)) { max(0, large - small) / Int(fleets.large - fleets.small) }
  }

  private static func growth(_ devices: UInt32, _ activities: Int?) -> (bytes: Int, World) {
    let ring = KeyRing(keys: [], apps: []) { _, _, _ in true }
    var now = Now(world: Match.began, wall: Match.began)
    let plan = FleetPlan(devices: devices, seed: 1, apps: [Push.profile], mix: [.init(OSVersion(26, 1), parts: 1)])
    let before = resident
    var world = World(plan, rulebook: Rulebook(), keyRing: ring, at: now.world)
    var list: [WorldEvent] = []
    for device in 0..<devices {
      guard let activities else {
        _ = world.screen(of: DeviceID(device), at: now.world)
        continue
      }
      if activities == 0 { _ = try? world.perform(.device(DeviceID(device), .unlock), at: now) }
      for _ in 0..<activities {
        _ = try? world.perform(
          .device(DeviceID(device), .startActivity(app: Push.app, attributesType: nil)), at: now)
      }
      // Time passes: update tokens arrive, and the runtime of apps ends.
      if device % 1000 == 999 {
        now = Now(world: now.world.advanced(by: .seconds(10)), wall: now.wall)
        world.advance(to: now)
      }
      world.takeEvents(into: &list)
    }
    return (resident - before, world)
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
