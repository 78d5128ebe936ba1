import APNs
import Configuration
import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

/// Words for what the backend sees, and for what it does.
extension Club {
  static let deviceLine = "POST /devices"
  static let startLine = "POST /devices/push-to-start-token"
  static let switchLine = "POST /devices/frequent-pushes"
  static let followsLine = "GET /user/follows"
  static let updateLine = "POST /matches/m1/activity-token"
  static let dismissedLine = "POST /matches/m1/activity-dismissed"
  static let followLine = "POST /matches/m1/follow"
  static let unfollowLine = "POST /matches/m1/unfollow"

  /// The text of a shipped profile, to be spoilt.
  static func text(_ name: String = "sightscreen") throws -> String {
    try #require(ShippedProfile.all.first { $0.name == name }).text
  }

  static func text(_ name: String = "sightscreen", replacing old: String, by new: String) throws -> String {
    let text = try text(name)
    try #require(text.contains(old))
    return text.replacing(old, with: new)
  }

  /// The app with one of its mistakes.
  static func text(observe mistake: String) throws -> String { "observe: {\(mistake)}\n" + (try text()) }

  /// Phones that the system finds worth waking, always.
  static let alwaysWoken: DevicePolicy = {
    var policy = quick
    policy.wakes.odds = .always
    return policy
  }()

  /// The values of a member of the bodies, call by call.
  func values(_ key: String, at line: String) -> [String] {
    calls.filter { $0.line == line }.compactMap { $0.body?[key]?.string }
  }

  /// Phones from which a call came.
  func callers(_ line: String) -> Set<UInt32> { Set(calls.filter { $0.line == line }.map(\.device)) }

  func life(on device: UInt32 = 0) -> AppLifecycle { world.fleet.phone(DeviceID(device)).installs[0].life }

  mutating func orderAll(_ action: DeviceAction) throws {
    for device in 0..<world.fleet.plan.devices { try order(action, on: device) }
  }

  /// The person has left, and the system has taken the runtime.
  mutating func suspend(on device: UInt32 = 0) throws {
    if life(on: device) == .foreground { try order(.leave(app: nil), on: device) }
    advance(by: .seconds(31))
    #expect(life(on: device) == .suspended)
  }

  mutating func silentPush(on device: UInt32 = 0) throws -> PushRecord {
    try push(
      token(.app, on: device), "", priority: "5", suffix: "", body: #"{"aps":{"content-available":1}}"#,
      headers: ["apns-push-type": "background"])
  }

  mutating func alertPush(on device: UInt32 = 0) throws -> PushRecord {
    try push(
      token(.app, on: device), "", suffix: "", body: #"{"aps":{"alert":{"title":"Live","body":"MI v CSK"}}}"#,
      headers: ["apns-push-type": "alert"])
  }

  @discardableResult
  mutating func start(with token: String? = nil, on device: UInt32 = 0) throws -> PushRecord {
    try push(try token ?? self.token(.pushToStart(type: 0), on: device), "start")
  }

  @discardableResult
  mutating func update(_ score: String, to token: String, priority: String = "10", more: String = "") throws
    -> PushRecord
  {
    try push(
      token, "update", priority: priority,
      body: #"{"aps":{"timestamp":\#(newest),"event":"update","content-state":"#
        + #"{"matchDisplayState":"live","compactLeading":{"teamAbbr":"MI","score":"\#(score)"},"#
        + #""compactTrailing":{"overs":"1","runRate":"6"}\#(more)}}}"#)
  }

  /// The score on the only card.
  func score(on device: UInt32 = 0) -> String? {
    cards(on: device).first?.content?["compactLeading"]?["score"]?.string
  }

  func state(on device: UInt32 = 0) -> LiveActivity.State? { cards(on: device).first?.state }
}

extension DeviceAction {
  static func rotate(_ kind: TokenKind) -> DeviceAction {
    .rotate(kind, app: nil, attributesType: nil, activity: nil)
  }
}

extension PushRecord {
  var status: Int { answer.status }
  var reason: RejectionReason? { answer.rejection?.reason }
}

extension CallEnd {
  var failure: CallOutcome.Failure? { if case .failed(let failure, _) = outcome { failure } else { nil } }
}
