import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// Events as JSON: `event` is the name, the rest is what it happened to.
enum EventJSON {
  static func value(_ event: Event, _ world: World) -> JSONValue {
    let (name, members) = parts(event, world)
    return .object([.init("event", .string(name))] + members)
  }

  private typealias Members = [JSONValue.Member]

  private static func parts(_ event: Event, _ world: World) -> (String, Members) {
    switch event {
    case .connectionOpened(let id, let environment, let peer):
      ("connectionOpened", connection(id) + [text("environment", environment.rawValue), text("peer", peer)])
    case .connectionClosed(let id): ("connectionClosed", connection(id))
    case .trouble(let trouble):
      (
        "trouble",
        [
          at(trouble.at), text("kind", trouble.kind), text("peer", trouble.peer), text("sentence", trouble.sentence),
        ]
      )
    case .streamsAllowed(let id): ("streamsAllowed", connection(id))
    case .push(let record): ("push", [at(record.at.world), text("apnsId", record.answer.id.text)])
    case .tokenIssued(let device, let app, let slot, let now):
      ("tokenIssued", place(device, now, app, world) + token(slot, device, app, world))
    case .tokenRegistered(let device, let app, let slot, let now):
      ("tokenRegistered", place(device, now, app, world) + token(slot, device, app, world))
    case .activityStarted(let device, let app, let number, let origin, let now):
      (
        "activityStarted",
        place(device, now, app, world) + [activity(number, device, app, world), text("startedBy", origin.rawValue)]
      )
    case .activityEnded(let device, let app, let number, let cause, let now):
      (
        "activityEnded",
        place(device, now, app, world) + [activity(number, device, app, world), text("cause", cause.rawValue)]
      )
    case .activityDismissed(let device, let app, let number, let now):
      ("activityDismissed", place(device, now, app, world) + [activity(number, device, app, world)])
    case .appRemoved(let device, let app, let now): ("appRemoved", place(device, now, app, world))
    case .appInstalled(let device, let app, let now): ("appInstalled", place(device, now, app, world))
    case .wentOffline(let device, let now): ("wentOffline", place(device, now))
    case .wentOnline(let device, let now): ("wentOnline", place(device, now))
    case .rebooted(let device, let now): ("rebooted", place(device, now))
    }
  }

  private static func text(_ name: String, _ value: String) -> JSONValue.Member { .init(name, .string(value)) }

  private static func at(_ now: Instant) -> JSONValue.Member { text("at", now.rfc3339) }

  private static func connection(_ id: ConnectionID) -> Members {
    [.init("connection", .integer(Int64(clamping: id.number)))]
  }

  private static func place(_ device: DeviceID, _ now: Instant) -> Members { [at(now), text("device", device.text)] }

  private static func place(_ device: DeviceID, _ now: Instant, _ app: Int, _ world: World) -> Members {
    place(device, now) + [text("app", world.fleet.plan.apps[app].bundleID)]
  }

  private static func activity(_ number: UInt32, _ device: DeviceID, _ app: Int, _ world: World) -> JSONValue.Member {
    text("activity", world.fleet.activityName(device, app: app, number: number))
  }

  private static func token(_ slot: TokenSlot, _ device: DeviceID, _ app: Int, _ world: World) -> Members {
    var members = [text("kind", slot.kind.name)]
    switch slot {
    case .app, .service: break
    case .pushToStart(let type):
      members.append(text("attributesType", world.fleet.plan.apps[app].attributesTypes[type]))
    case .update(let number): members.append(activity(number, device, app, world))
    }
    if let token = world.fleet.token(device, app: app, slot: slot) { members.append(text("token", token.text)) }
    return members
  }
}
