import APNs
import Devices
import WireFormats

/// A broadcast or a request about channels that passed every rule, as faults see it.
struct ChannelRequestSubject: MatchSubject {
  let numbers: MatchNumbers
  let key: Int?
  let operation: ChannelOperation?
  let home: ChannelOwner
  let channelID: ChannelID?
  private let request: HTTPRequest
  private var payloadEvent = PayloadEvent()

  /// - Parameters:
  ///   - app: number of the app in the path.
  ///   - priority: of a broadcast.
  init(_ checked: CheckedChannelRequest, _ request: HTTPRequest, app: Int?, on connection: ProviderConnectionID) {
    (operation, home, channelID, key) = (checked.operation, checked.home, checked.channelID, checked.keyNumber)
    self.request = request
    numbers = Self.numbers(of: home, app: app, on: connection)
  }

  init(
    _ verdict: BroadcastVerdict, of broadcast: BroadcastRequest, request: HTTPRequest, app: Int?,
    on connection: ProviderConnectionID
  ) {
    (operation, home, channelID, key) = (.publish, verdict.home, verdict.channelID, verdict.keyNumber)
    self.request = request
    var numbers = Self.numbers(of: home, app: app, on: connection)
    numbers.set(broadcast.priority)
    numbers.set(PushType.liveactivity)
    self.numbers = numbers
  }

  private static func numbers(of home: ChannelOwner, app: Int?, on connection: ProviderConnectionID) -> MatchNumbers {
    var numbers = MatchNumbers()
    numbers.set(home.environment)
    numbers.connection = connection.number
    if let app { numbers.set(app: app) }
    return numbers
  }

  /// The value from which odds are drawn.
  var drawn: UInt64 { channelID?.bits ?? 0 }

  func isChannel(_ name: String) -> Bool { channelID?.text == name }

  mutating func isEvent(_ name: String, _ bytes: [UInt8]) -> Bool {
    guard operation == .publish else { return false }
    let storage = request.storage
    return payloadEvent.isEvent(name, bytes, in: storage, at: request.bodyStart..<storage.count)
  }
}

/// The copy of a broadcast for one Live Activity, as faults see it.
struct BroadcastCopySubject: MatchSubject {
  let numbers: MatchNumbers
  let device: DeviceID?
  /// The value from which odds are drawn.
  let drawn: UInt64
  private var broadcast: ChannelRequestSubject

  /// - Parameter os: nil if no condition needs it.
  init(_ broadcast: ChannelRequestSubject, to subscriber: Subscriptions.Subscriber, os: OSVersion?) {
    self.broadcast = broadcast
    device = subscriber.device
    drawn = UInt64(subscriber.device.number) << 24 ^ UInt64(subscriber.activity) ^ UInt64(subscriber.app) << 56
    var numbers = broadcast.numbers
    numbers.set(subscriber.device)
    if let os { numbers.set(os) }
    self.numbers = numbers
  }

  var key: Int? { broadcast.key }
  var operation: ChannelOperation? { .publish }

  /// True if the copy belongs to a session with that scope.
  func isHeard(by scope: Filter) -> Bool {
    scope.hears(key: key, app: broadcast.home.bundleID)
      && scope.devices.map { devices in device.map { devices.contains($0) } ?? false } ?? true
  }

  func isChannel(_ name: String) -> Bool { broadcast.isChannel(name) }
  mutating func isEvent(_ name: String, _ bytes: [UInt8]) -> Bool { broadcast.isEvent(name, bytes) }
}
