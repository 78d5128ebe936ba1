import APNs
import Devices
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The fleet as a whole.
enum FleetRoutes {
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
    return .json(value(whole, names))
  }

  private static func value(_ summary: FleetSummary, _ names: WorldNames) -> JSONValue {
    let versions = summary.versions.sorted { ($0.key.major, $0.key.minor) < ($1.key.major, $1.key.minor) }
    let fates = DeliveryStatus.allCases.filter { status in summary.tiles.contains { $0.fate == status } }
    return [
      "devices": JSONValue(Int(summary.devices)), "lookedAt": JSONValue(Int(summary.looked)),
      "online": JSONValue(Int(summary.looked - summary.offline)), "offline": JSONValue(Int(summary.offline)),
      "versions": .array(versions.map { ["os": .string($0.key.text), "devices": JSONValue(Int($0.value))] }),
      "apps": .array(
        zip(names.apps, summary.apps).map { profile, app in
          [
            "app": .string(profile.bundleID), "installed": JSONValue(Int(app.installed)),
            "liveActivities": JSONValue(Int(app.running)),
          ]
        }),
      "fates": .array(fates.map { .string($0.words) }),
      "tiles": [
        "devices": .array(summary.tiles.map { JSONValue(Int($0.looked)) }),
        "offline": .array(summary.tiles.map { JSONValue(Int($0.offline)) }),
        "live": .array(summary.tiles.map { JSONValue(Int($0.live)) }),
        "fate": .array(
          summary.tiles.map { tile in
            tile.fate.flatMap { fates.firstIndex(of: $0) }.map { JSONValue($0) } ?? .null
          }),
      ],
    ]
  }
}
