import APNs
import Devices
import Timeline
import WireFormats

/// The names that texts about pushes and phones need, copied out of the world.
///
/// With them JSON is written after the world's lock has been released. A copy of the world itself would not do: the
/// next push would have to copy the whole fleet.
package struct WorldNames: Sendable {
  private struct Slot: Hashable, Sendable {
    let device: DeviceID
    let app: Int
    let slot: TokenSlot
  }

  private let fleet: Fleet.Ground
  private let activityDraw: Chance
  package let keys: [ProviderKey]
  private var tokens: [Slot: DeviceToken] = [:]
  /// Where tokens lead in the other environment, by the numbers of pushes.
  private var elsewhere: [UInt64: Address] = [:]

  init(_ world: World) {
    fleet = world.partition.fleet.ground
    activityDraw = world.partition.fleet.activityDraw
    keys = world.validator.keyRing.keys
  }

  package var apps: [AppProfile] { fleet.plan.apps }

  package func bundleID(_ app: Int) -> String { fleet.plan.apps[app].bundleID }

  package func activity(_ device: DeviceID, app: Int, number: UInt32) -> String {
    Fleet.activityName(device, app: app, number: number, activityDraw)
  }

  /// The token that was current when the names were copied, where it was asked for then.
  package func token(_ device: DeviceID, app: Int, slot: TokenSlot) -> DeviceToken? {
    tokens[Slot(device: device, app: app, slot: slot)]
  }

  /// Where the token of a refused push leads in the other environment, if the names are for that push.
  package func elsewhere(_ record: PushRecord) -> Address? { elsewhere[record.sequence] }

  /// Everybody's first mistake: a token of the sandbox at the listener of production, or the other way about.
  mutating func add(_ record: PushRecord, of world: World) {
    guard record.answer.rejection?.rule == .deviceTokenKnown, let path = record.request.fields[":path"],
      let name = path.split(separator: "/").last, let token = DeviceToken(String(name))
    else { return }
    let other: Environment = record.environment == .sandbox ? .production : .sandbox
    let found = world.partition.fleet.status(of: token, in: other, at: record.at.world).address
    guard let found, apps.indices.contains(found.app) else { return }
    elsewhere[record.sequence] = found
  }

  mutating func add(_ deviceEvent: DeviceEvent, _ device: DeviceID, app: Int?, of world: World) {
    guard let app, let slot = deviceEvent.slot else { return }
    let key = Slot(device: device, app: app, slot: slot)
    if tokens[key] == nil { tokens[key] = world.partition.fleet.token(device, app: app, slot: slot) }
  }
}

extension World {
  package var names: WorldNames { WorldNames(self) }

  /// With the tokens that these events are about.
  package func names(for events: [WorldEvent]) -> WorldNames {
    var names = WorldNames(self)
    for case .phone(let device, let app, let deviceEvent, _) in events {
      names.add(deviceEvent, device, app: app, of: self)
    }
    return names
  }

  /// With where the tokens of these pushes lead, where they were unknown.
  package func names(for pushes: [PushRecord]) -> WorldNames {
    var names = WorldNames(self)
    for push in pushes { names.add(push, of: self) }
    return names
  }

  /// With the tokens that these lines of a device's log are about.
  package func names(for lines: [LogLine], of device: DeviceID) -> WorldNames {
    var names = WorldNames(self)
    for line in lines {
      if let deviceEvent = line.deviceEvent { names.add(deviceEvent, device, app: line.app, of: self) }
    }
    return names
  }
}
