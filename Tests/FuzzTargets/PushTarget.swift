import APNs
import Devices
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Pushes of any bytes to phones that live meanwhile.
///
/// An input is a list of steps, each ended by a byte 0xFF, which no JSON has in it: what is done, how, and a body.
struct PushTarget {
  private static let mostSteps = 100

  static func run(_ bytes: [UInt8]) throws(FuzzFinding) {
    var town = Town()
    try town.settle()
    try play(bytes, in: &town)
    try town.look()
    try town.advance(by: .seconds(86_400))
    try town.look()
    try town.replay()
  }

  static func play(_ bytes: [UInt8], in town: inout Town) throws(FuzzFinding) {
    var choices = Choices(bytes)
    var steps = 0
    while !choices.isAtEnd, steps < mostSteps {
      var step = Choices(choices.run(until: 0xFF))
      let (what, how) = (Int(step.byte()), Int(step.byte()))
      switch what % 8 {
      case 0...5: try push(what, how, step.run(.max / 2), &town)
      case 6: try town.advance(by: .seconds([1, 5, 60, 900, 7200, 40_000, 400_000, 0][how % 8]))
      default: try town.order(Self.action(what, how), on: UInt32(how) % Town.devices)
      }
      if steps % 8 == 7 { try town.look() }
      steps += 1
    }
  }

  private static func push(_ what: Int, _ how: Int, _ body: [UInt8], _ town: inout Town) throws(FuzzFinding) {
    let device = DeviceID(UInt32(how) % Town.devices)
    let slot: TokenSlot =
      switch what % 8 {
      case 0, 1: .app
      case 2: .pushToStart(type: what / 8 % 2)
      case 3, 4: .update(activity: UInt32(what / 8 % 4))
      default: .service([.voip, .widgets, .controls, .complication, .locationQuery, .fileProvider][what / 8 % 6])
      }
    let app = what >= 128 ? 1 : 0
    let bundle = town.simulator.world.fleet.plan.apps[app].bundleID
    var fields = [(name: "apns-topic", value: bundle + slot.suffix.text)]
    switch how / 4 % 4 {
    case 0: break
    case 1: fields.append((name: "apns-priority", value: "5"))
    case 2: fields.append((name: "apns-priority", value: "1"))
    default: fields.append((name: "apns-expiration", value: how & 64 == 0 ? "0" : "1700000900"))
    }
    if how & 16 != 0 { fields.append((name: "apns-collapse-id", value: "c\(how & 1)")) }
    if how & 32 != 0 { fields.append((name: "apns-push-type", value: "background")) }
    let token = town.simulator.world.fleet.token(device, app: app, slot: slot)?.text ?? "00"
    try town.send("/3/device/" + token, fields, body, on: app == 0 ? Town.sandbox : Town.production)
  }

  /// An action on a phone, chosen by two bytes.
  static func action(_ what: Int, _ how: Int) -> DeviceAction {
    let actions: [DeviceAction] = [
      .open(app: Town.app), .leave(app: Town.app), .forceQuit(app: Town.app), .lock, .unlock, .goOffline, .goOnline,
      .reboot, .restore, .allow(nil, app: nil), .deny(nil, app: nil), .swipe(nil, app: nil), .evict(nil, app: nil),
      .startActivity(app: Town.app, attributesType: "MatchAttributes"), .endActivity(nil, app: nil),
      .uninstall(app: Town.app), .reinstall(app: Town.app), .updateApp(app: Town.app), .tapNotification(nil, app: nil),
      .clearNotifications(app: nil), .rotate(.device, app: Town.app, attributesType: nil, activity: nil),
      .rotate(.pushToStart, app: Town.app, attributesType: "MatchAttributes", activity: nil),
      .rotate(.update, app: nil, attributesType: nil, activity: nil, silently: how & 4 != 0),
      .permit(NotificationPermission.allCases[how / 4 % NotificationPermission.allCases.count], app: Town.app),
      .updateSystem(OSVersion(26, 2)), .lightScreen, .darkenScreen, .crash(app: nil), .terminate(app: nil),
    ]
    if how & 128 != 0 {
      let switches = PhoneSwitch.allCases
      let chosen = switches[what / 8 % switches.count]
      return .flip(chosen, on: how & 4 != 0, app: chosen.isOfApp ? Town.app : nil)
    }
    return actions[what / 8 % actions.count]
  }
}
