import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// Helpers for tests about tokens and processes: the elements that an app receives, and ways to bring it into a state.
extension Stage {
  static let silentBody = #"{"aps":{"content-available":1}}"#

  /// The elements that the streams of an app have yielded since events were taken last. The app's reports follow from
  /// exactly these.
  mutating func yields(on device: UInt32 = 0, app: Int = 0) -> [DeviceEvent] {
    happened(on: device, app: app).filter { $0.name.hasSuffix("Yielded") }
  }

  /// Tokens among them, in their order.
  mutating func yieldedTokens(on device: UInt32 = 0, app: Int = 0) -> [TokenSlot] {
    yields(on: device, app: app).compactMap { if case .tokenYielded(let slot) = $0 { slot } else { nil } }
  }

  /// All that has happened to an app since events were taken last.
  mutating func happened(on device: UInt32 = 0, app: Int = 0) -> [DeviceEvent] {
    events().compactMap { event in
      guard case .phone(let id, app, let deviceEvent, _) = event, id == DeviceID(device) else { return nil }
      return deviceEvent
    }
  }

  /// Devices whose first app has heard something of the kind, and how often.
  mutating func devices(where isMeant: (DeviceEvent) -> Bool) -> [DeviceID: Int] {
    events().reduce(into: [:]) { found, event in
      guard case .phone(let id, 0, let deviceEvent, _) = event, isMeant(deviceEvent) else { return }
      found[id, default: 0] += 1
    }
  }

  /// Gives an order to every device of the fleet; each must be able to carry it out.
  mutating func orderAll(_ action: DeviceAction) throws {
    var selection = Selection()
    while true {
      let outcome = try world.perform(.devices(selection, action), at: now)
      #expect(outcome.refused == 0, "\(outcome)")
      guard let next = outcome.next else { return }
      selection.start = next
    }
  }

  /// Brings the first app into a state, and forgets how it came there.
  mutating func enter(_ life: AppLifecycle, on device: UInt32 = 0) throws {
    if try app(device).life == .background { advance(by: .seconds(31)) }
    switch life {
    case .neverLaunched:
      try order(.uninstall(app: nil), on: device)
      try order(.reinstall(app: nil, opens: false), on: device)
    case .foreground: try order(.open(app: nil), on: device)
    case .background:
      try order(.open(app: nil), on: device)
      try order(.leave(app: nil), on: device)
    case .suspended: break
    case .terminated: try order(.terminate(app: nil), on: device)
    case .forceQuit: try order(.forceQuit(app: nil), on: device)
    case .crashed: try order(.crash(app: nil), on: device)
    }
    #expect(try app(device).life == life)
    _ = events()
  }

  /// A cold launch by the person, seen from its app.
  mutating func relaunch(on device: UInt32 = 0) throws -> [TokenSlot] {
    if try app(device).life.hasProcess { try order(.terminate(app: nil), on: device) }
    _ = events()
    try order(.open(app: nil), on: device)
    return yieldedTokens(on: device)
  }

  func cards(on device: UInt32 = 0) -> [Screen.Card] { world.screen(of: DeviceID(device), at: now.world).cards }

  mutating func start(with token: String) throws -> PushRecord {
    try pushActivity(token, event: "start", type: "MatchAttributes")
  }
}

extension DeviceAction {
  static func rotate(_ kind: TokenKind) -> DeviceAction {
    .rotate(kind, app: nil, attributesType: nil, activity: nil)
  }
}

extension TokenSlot {
  var isStart: Bool { if case .pushToStart = self { true } else { false } }
}

extension Fate {
}
