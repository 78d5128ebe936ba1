import APNs
import Devices
import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The fleet as a whole.
enum FleetRoutes {
  static let routes: [Route] = [
    Route(
      "GET /v1/fleet/summary", id: "getFleetSummary", tag: .fleet,
      summary: "counts of the fleet by iOS, app and state, and a map of it",
      answer: summary
    )
    .meaning(
      """
      Counts by iOS, app and state, and up to 4,096 tiles, each of which stands for neighbouring devices: tile
      `t` of `n` has the devices whose number times n, divided by the number of devices, is t. In a fleet of
      more than 262,144 devices, only a part of them, evenly spread, is counted; `lookedAt` is its size.
      """
    )
    .answers(.json("The counts.", shape.schema))
  ]

  private static let shape = Shape<(summary: FleetSummary, names: WorldNames)>(members: [
    .init("devices", .positive) { JSONValue(Int($0.summary.devices)) },
    .init("lookedAt", .positive) { JSONValue(Int($0.summary.looked)) },
    .init("online", .whole) { JSONValue(Int($0.summary.looked - $0.summary.offline)) },
    .init("offline", .whole) { JSONValue(Int($0.summary.offline)) },
    .list("versions", of: version) {
      $0.summary.versions.sorted { ($0.key.major, $0.key.minor) < ($1.key.major, $1.key.minor) }
    },
    .list("apps", of: app) { zip($0.names.apps, $0.summary.apps).map { ($0, $1) } },
    .init("fates", .list(of: .string), meaning: "The fates that tiles have, in the words of Apple's console.") {
      .array(fates(of: $0.summary).map { .string($0.words) })
    },
    .object("tiles", tiles, meaning: "Columns; each has a number for every tile.") { $0.summary },
  ])

  private static let version = Shape<(key: OSVersion, value: UInt32)>(members: [
    .init("os", .string) { .string($0.key.text) }, .init("devices", .positive) { JSONValue(Int($0.value)) },
  ])

  private static let app = Shape<(profile: AppProfile, counts: FleetSummary.App)>(members: [
    .init("app", .bundleID) { .string($0.profile.bundleID) },
    .init("installed", .whole) { JSONValue(Int($0.counts.installed)) },
    .init("liveActivities", .whole, meaning: "Those that run.") { JSONValue(Int($0.counts.running)) },
  ])

  private static let tiles = Shape<FleetSummary>(members: [
    .init("devices", .list(of: .integer), meaning: "Devices that were looked at.") {
      .array($0.tiles.map { JSONValue(Int($0.looked)) })
    },
    .init("offline", .list(of: .integer)) { .array($0.tiles.map { JSONValue(Int($0.offline)) }) },
    .init("live", .list(of: .integer), meaning: "Devices with a running Live Activity.") {
      .array($0.tiles.map { JSONValue(Int($0.live)) })
    },
    .init(
      "fate", .list(of: .integer.orNull),
      meaning: "The index in `fates` of the fate of the newest push; null without a push."
    ) { summary in
      let all = fates(of: summary)
      return .array(
        summary.tiles.map { tile in tile.fate.flatMap { all.firstIndex(of: $0) }.map { JSONValue($0) } ?? .null })
    },
  ])

  private static func fates(of summary: FleetSummary) -> [DeliveryStatus] {
    DeliveryStatus.allCases.filter { status in summary.tiles.contains { $0.fate == status } }
  }

  static func summary(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    count(FleetSummary(simulator.world.fleet), in: context, on: simulator)
  }

  /// Counts the fleet, one portion per hold of the lock.
  private static func count(_ begun: FleetSummary, in context: AdminContext, on simulator: Simulator) -> AdminReply {
    var summary = begun
    summary.count(
      simulator.world, simulator.readers.logs.pushLog, mostDevices: BatchSize.devices, mostPushes: BatchSize.records,
      at: simulator.now(wall: context.wall).world)
    guard summary.isDone else {
      return .more { [summary] context, simulator in count(summary, in: context, on: simulator) }
    }
    let (whole, names) = (summary, simulator.world.names)
    return .json(shape.json((whole, names)))
  }
}
