import APNs
import Devices
import Timeline
import WireFormats

/// The names that texts about pushes and phones need, copied from the world.
///
/// With them, JSON is written after the world's lock was released. A copy of the world would not do: the next push
/// would then copy the whole fleet.
package struct WorldNames: Sendable {
  private struct Slot: Hashable, Sendable {
    let device: DeviceID
    let app: Int
    let slot: TokenSlot
  }

  private let fleet: Fleet.Configuration
  private let activityDraw: Chance
  package let keys: [ProviderKey]
  private var tokens: [Slot: DeviceToken] = [:]
  /// The addresses of tokens in the other environment, by push number.
  private var elsewhere: [UInt64: Address] = [:]
  /// Mistakes of senders of rejected pushes, by push number.
  private var mistakes: [UInt64: String] = [:]
  /// Circumstances of rejected pushes, by push number.
  private var circumstances: [UInt64: Rule.Circumstance] = [:]
  /// The type and the attributes of the activity that a push is about, by push number.
  private var activities: [UInt64: (type: Int, attributes: ActivityContent)] = [:]
  /// The version of the phone of a push, by push number.
  private var systems: [UInt64: OSVersion] = [:]

  init(_ world: World) {
    fleet = world.fleet.configuration
    activityDraw = world.fleet.activityDraw
    keys = world.validator.keyRing.keys
  }

  package var apps: [AppProfile] { fleet.plan.apps }

  package var policy: DevicePolicy { fleet.plan.policy }

  package var cell: Cell? { fleet.plan.cell }

  package func bundleID(_ app: Int) -> String { fleet.plan.apps[app].bundleID }

  package func activity(_ device: DeviceID, app: Int, number: UInt32) -> String {
    Fleet.activityName(device, app: app, number: number, activityDraw)
  }

  /// The token that was current when the names were copied, if it was requested then.
  package func token(_ device: DeviceID, app: Int, slot: TokenSlot) -> DeviceToken? {
    tokens[Slot(device: device, app: app, slot: slot)]
  }

  /// The address of a rejected push's token in the other environment, if the names were made for that push.
  package func elsewhere(_ record: PushRecord) -> Address? { elsewhere[record.sequence] }

  /// The mistake of a rejected push's sender, if the names were made for that push and more than its rule is known.
  package func mistake(_ record: PushRecord) -> String? { mistakes[record.sequence] }

  /// Evidence for the rejection of a push, if the names were made for that push.
  package func evidence(_ record: PushRecord) -> Evidence? {
    circumstances[record.sequence]?.evidence ?? record.answer.rejection?.rule?.evidence
  }

  /// The name of the type of the Live Activity that a push is about, how its cards are drawn, and its attributes, as
  /// far as the names were made for that push.
  package func card(of record: PushRecord) -> (type: String, card: CardTemplate?, attributes: JSONValue?)? {
    guard let found = activities[record.sequence], let app = record.address?.app,
      apps.indices.contains(app), apps[app].types.indices.contains(found.type)
    else { return nil }
    let type = apps[app].types[found.type]
    return (type.name, type.card, found.attributes.value("attributes"))
  }

  /// A check of the payload for its app and, if it is for a Live Activity, its type and the version of its phone.
  package func lint(of record: PushRecord) -> PayloadLint? {
    guard let address = record.address, apps.indices.contains(address.app), let os = systems[record.sequence] else {
      return nil
    }
    guard record.push.type == .liveactivity else {
      guard address.slot == .app else { return nil }
      return PayloadLint(Array(record.request.body), as: record.push.type, os: os, policy)
    }
    let type: Int
    if case .pushToStart(let number) = address.slot {
      type = number
    } else {
      type = activities[record.sequence]?.type ?? 0
    }
    guard apps[address.app].types.indices.contains(type) else { return nil }
    return PayloadLint(
      Array(record.request.body), profile: apps[address.app], type: type, os: os, policy: policy, at: record.at.world)
  }

  private mutating func addActivity(_ record: PushRecord, of world: World) {
    guard let address = record.address else { return }
    systems[record.sequence] = world.fleet.os(of: address.device)
    guard record.push.type == .liveactivity else { return }
    let number: UInt32
    switch (record.fate.reaction, address.slot) {
    case (.started(let activity, _), _): number = activity
    case (.updated(let activity, _, _), _): number = activity
    case (.ended(let activity, _, _, _), _): number = activity
    case (_, .update(let activity)): number = activity
    default: return
    }
    guard
      let activity = world.fleet.install(address.device, app: address.app).activities.first(where: {
        $0.number == number
      })
    else { return }
    activities[record.sequence] = (activity.type, activity.attributes)
  }

  /// Adds the names that a push needs. If its token is unknown, this includes the token's address in the other
  /// environment: sending a sandbox token to the production listener, or the other way round, is a common mistake.
  mutating func add(_ record: PushRecord, of world: World) {
    addActivity(record, of: world)
    mistakes[record.sequence] = world.mistake(record)
    circumstances[record.sequence] = world.circumstance(record)
    guard record.answer.rejection?.rule == .deviceTokenKnown, let path = record.request.fields[":path"],
      let name = path.split(separator: "/").last, let token = DeviceToken(String(name))
    else { return }
    let other: Environment = record.environment == .sandbox ? .production : .sandbox
    let found = world.fleet.status(of: token, in: other, at: record.at.world).address
    guard let found, apps.indices.contains(found.app) else { return }
    elsewhere[record.sequence] = found
  }

  mutating func add(_ deviceEvent: DeviceEvent, _ device: DeviceID, app: Int?, of world: World) {
    guard let app, let slot = deviceEvent.slot else { return }
    let key = Slot(device: device, app: app, slot: slot)
    if tokens[key] == nil { tokens[key] = world.fleet.token(device, app: app, slot: slot) }
  }
}

extension World {
  package var names: WorldNames { WorldNames(self) }

  /// The names, including the tokens of these events.
  package func names(for events: [WorldEvent]) -> WorldNames {
    var names = WorldNames(self)
    for case .phone(let device, let app, let deviceEvent, _) in events {
      names.add(deviceEvent, device, app: app, of: self)
    }
    return names
  }

  /// The names, including the addresses of these pushes' unknown tokens.
  package func names(for pushes: [PushRecord]) -> WorldNames {
    var names = WorldNames(self)
    for push in pushes { names.add(push, of: self) }
    return names
  }

  /// The names, including the tokens in these lines of a device's log.
  package func names(for lines: [LogLine], of device: DeviceID) -> WorldNames {
    var names = WorldNames(self)
    for line in lines {
      if let deviceEvent = line.deviceEvent { names.add(deviceEvent, device, app: line.app, of: self) }
    }
    return names
  }
}
