import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// A row of docs/behavior/dropped-pushes.md#the-silent-failures, and an ordinary action or push that leads to it.
struct SilentFailure: Sendable, CustomTestStringConvertible {
  let row: Int
  let cause: String
  let play: @Sendable () throws -> Told

  init(_ row: Int, _ cause: String, _ play: @escaping @Sendable () throws -> Told) {
    self.row = row
    self.cause = cause
    self.play = play
  }

  var testDescription: String { "\(row) \(cause)" }

  /// The answer to a provider, and the causes in the push log.
  struct Told: Sendable {
    let status: Int
    /// The kind of the token, or `channel` for a broadcast.
    let way: String
    let causes: [String]
    /// Each with its cause.
    let sentences: [String: String]
  }

  static let all = payloads + tokens + budgets + phones + apps + ways

  private static let typed: AppProfile = {
    let attributes = ContentSchema.object([.init("home", .string)])
    let content = ContentSchema.object([.init("score", .int), .init("at", .optional(.date))])
    let type = AttributesType("MatchAttributes", attributes: attributes, contentState: content)
    return AppProfile(bundleID: Stage.app, teamID: Stage.team, types: [type])
  }()

  /// A start with one thing spoilt, sent to an app that declares what it decodes.
  private static func start(_ key: String, _ value: String?) -> @Sendable () throws -> Told {
    {
      var stage = Stage(apps: [typed])
      return try stage.told(of: stage.pushActivity("start", spoilt: [key: value]))
    }
  }

  /// A running activity, and what it takes to have one.
  private static func running(
    _ policy: DevicePolicy = Stage.quick, _ budget: BudgetPlan = Stage.atOnce, apps: [AppProfile] = Stage.profiles
  ) throws -> Stage {
    var stage = Stage(apps: apps, policy: policy, budget: budget, rulebook: Stage.unhurried)
    try stage.launch()
    return stage
  }

  // MARK: - The rows

  private static let payloads = [
    SilentFailure(1, "unknown-attributes-type", start("attributes-type", #""matchAttributes""#)),
    SilentFailure(2, "no-alert-configuration", start("alert", nil)),
    SilentFailure(3, "alert-not-dictionary", start("alert", #""Go!""#)),
    SilentFailure(4, "content-state-decode", start("content-state", #"{"Score":1}"#)),
    SilentFailure(5, "attributes-decode", start("attributes", #"{"home":7}"#)),
    SilentFailure(6, "content-state-decode", start("content-state", #"{"score":1,"at":"2026-11-21T07:00:00Z"}"#)),
    SilentFailure(7, "stale-timestamp") {
      var stage = try running()
      let record = try stage.update(1)
      let stamp = try #require(JSONValue.parse(record.body)["aps"]?["timestamp"]).text
      return try stage.told(of: stage.pushActivity("update", spoilt: ["timestamp": stamp]))
    },
    SilentFailure(26, "combined-size") {
      var stage = Stage()
      let long = String(repeating: "a", count: 2100)
      try stage.pushActivity("start", spoilt: ["attributes": #"{"home":"\#(long)"}"#])
      return try stage.told(of: stage.pushActivity("update", spoilt: ["content-state": #"{"home":"\#(long)"}"#]))
    },
    SilentFailure(31, "alert-ignored") {
      var stage = try running()
      let body = Stage.body(stage.aps("update")).dropLast() + #","alert":{"title":"Out","body":"!"}}"#
      return try stage.told(
        of: stage.send(stage.token(.update(activity: 0)), topic: Stage.activityTopic, String(body)))
    },
  ]

  private static let tokens = [
    SilentFailure(8, "wrong-token-kind") {
      var stage = try running()
      return try stage.told(of: stage.pushActivity("update", to: .pushToStart(type: 0)))
    },
    SilentFailure(9, "wrong-token-kind") {
      var stage = try running()
      return try stage.told(of: stage.pushActivity("start", to: .update(activity: 0)))
    },
    SilentFailure(10, "orphan-token") {
      var stage = Stage()
      let old = try stage.token(.pushToStart(type: 0))
      try stage.order(.rotate(.pushToStart))
      return try stage.told(of: stage.send(old, topic: Stage.activityTopic, Stage.body(stage.aps("start"))))
    },
    SilentFailure(17, "activity-not-active") {
      var stage = try running()
      try stage.order(.swipe(nil, app: nil))
      return try stage.told(of: stage.update(1))
    },
  ]

  private static let budgets = [
    SilentFailure(11, "pts-budget-exceeded") {
      var stage = Stage(rulebook: Stage.unhurried)
      for number: UInt32 in 0..<10 {
        try stage.launch()
        try stage.finish(#","dismissal-date":0"#, activity: number)
      }
      return try stage.told(of: stage.launch())
    },
    SilentFailure(12, "update-budget-exceeded") {
      var stage = try running()
      for score in 1...15 { try stage.update(score) }
      let record = try stage.update(16)
      try stage.update(17)
      return try stage.told(of: record)
    },
    SilentFailure(13, "coalesced") {
      var stage = try running()
      let record = try stage.update(1, priority: 5)
      try stage.update(2, priority: 5)
      return try stage.told(of: record)
    },
  ]

  private static let phones = [
    SilentFailure(14, "la-disabled") {
      var stage = Stage()
      try stage.flip(.liveActivities, false)
      return try stage.told(of: stage.launch())
    },
    SilentFailure(15, "os-too-old") {
      var stage = Stage(os: OSVersion(17, 6))
      // What it takes on iOS 17 to have a push-to-start token at all.
      for action: DeviceAction in [.uninstall(app: nil), .reboot, .reinstall(app: nil)] { try stage.order(action) }
      return try stage.told(of: stage.pushActivity("start", spoilt: ["input-push-channel": #""dGVzdA==""#]))
    },
    SilentFailure(16, "target-limit") {
      var stage = Stage()
      for _ in 0..<5 { try stage.launch() }
      return try stage.told(of: stage.launch())
    },
    SilentFailure(16, "global-limit") {
      let other = AppProfile(bundleID: "com.example.other", teamID: Stage.team, attributesTypes: ["M"])
      var stage = Stage(apps: [Stage.profiles[0], other])
      for _ in 0..<5 { try stage.order(.startActivity(app: "com.example.other", attributesType: nil)) }
      for _ in 0..<3 { try stage.launch() }
      return try stage.told(of: stage.launch())
    },
    SilentFailure(18, "awaiting-permission") {
      var policy = Stage.quick
      policy.prompt.policy = .everyPushStart
      policy.prompt.answer = .ignore
      var stage = Stage(policy: policy)
      return try stage.told(of: stage.launch())
    },
    SilentFailure(24, "low-power") {
      var stage = Stage()
      try stage.flip(.lowPower, true)
      return try stage.told(of: stage.launch())
    },
    SilentFailure(28, "render-delayed") {
      var stage = try running(Stage.quick, BudgetPlan())
      return try stage.told(of: stage.update(1))
    },
    SilentFailure(29, "render-stuck") {
      var policy = Stage.quick
      policy.stuckCards = .always
      var stage = try running(policy)
      return try stage.told(of: stage.update(1))
    },
  ]

  private static let apps = [
    SilentFailure(19, "no-runtime") {
      var stage = Stage()
      try stage.order(.forceQuit(app: nil))
      return try stage.told(of: stage.launch())
    },
    SilentFailure(20, "no-observer") {
      var profile = Stage.profiles[0]
      profile.traits.observing.activityUpdates = false
      var stage = Stage(apps: [profile])
      return try stage.told(of: stage.launch())
    },
    SilentFailure(27, "render-failed") {
      var type = AttributesType("MatchAttributes")
      type.images = .tooLarge
      var stage = Stage(apps: [AppProfile(bundleID: Stage.app, teamID: Stage.team, types: [type])])
      return try stage.told(of: stage.launch())
    },
  ]

  private static let ways = [
    SilentFailure(21, "not-stored") {
      var stage = try running()
      try stage.order(.goOffline)
      return try stage.told(of: stage.pushActivity("update", ["apns-expiration": "0"]))
    },
    SilentFailure(21, "expired") {
      var stage = try running()
      try stage.order(.goOffline)
      let until = "\(stage.now.world.seconds + 60)"
      let record = try stage.pushActivity("update", ["apns-expiration": until])
      stage.advance(by: .seconds(60))
      return try stage.told(of: record)
    },
    SilentFailure(22, "superseded-in-store") {
      var stage = try running()
      try stage.order(.goOffline)
      let record = try stage.update(1)
      try stage.update(2)
      return try stage.told(of: record)
    },
    SilentFailure(23, "collapsed") {
      var stage = Stage()
      try stage.order(.goOffline)
      let record = try stage.pushActivity("start", ["apns-collapse-id": "match"])
      try stage.pushActivity("start", ["apns-collapse-id": "match"])
      return try stage.told(of: record)
    },
    SilentFailure(30, "not-stored") { try missedBroadcast() },
  ]

  /// A message of a channel without storage, published while a phone that listens is away.
  private static func missedBroadcast() throws -> Told {
    var stage = Stage()
    let channel = try stage.makeChannel(storing: false)
    try stage.pushActivity("start", spoilt: ["input-push-channel": #""\#(channel)""#])
    try stage.order(.goOffline)
    let fields = [
      (name: "authorization", value: Stage.authorization), (name: "apns-channel-id", value: channel),
      (name: "apns-expiration", value: "0"), (name: "apns-priority", value: "10"),
      (name: "apns-push-type", value: "liveactivity"),
    ]
    let body = Array(Stage.body(stage.aps("update")).utf8)
    let stream = StreamID(Stage.sandbox, 9_001)
    stage.world.receive(
      HTTPRequest("POST", "/4/broadcasts/apps/" + Stage.app, fields: fields, body: body), on: stream, at: stage.now)
    let answer = try #require(stage.world.answers(on: Stage.sandbox).last)
    let lost = stage.world.recent.compactMap { event -> Fate.Discard? in
      if case .broadcastReached(_, DeviceID(0), let fate, _) = event { fate.discard } else { nil }
    }
    return Told(
      status: answer.status, way: "channel", causes: lost.map(\.rawValue),
      sentences: lost.reduce(into: [:]) { $0[$1.rawValue] = $1.sentence })
  }
}

extension SilentFailure.Told {
  init(_ status: Int, way: String, _ lines: [LogLine]) {
    self.init(
      status: status, way: way, causes: lines.compactMap(\.cause),
      sentences: lines.reduce(into: [:]) { found, line in if let cause = line.cause { found[cause] = line.sentence } })
  }
}

extension Stage {
  fileprivate mutating func told(of record: PushRecord) throws -> SilentFailure.Told {
    let way = record.address?.slot.kind.name ?? ""
    return SilentFailure.Told(record.status, way: way, try story(of: record))
  }

  /// Makes a channel of the first app's.
  mutating func makeChannel(storing: Bool) throws -> String {
    let manager = ProviderConnectionID(3)
    world.connectionOpened(manager, to: .sandbox, peer: "m", managesChannels: true, at: now)
    let body = #"{"message-storage-policy":\#(storing ? 1 : 0),"push-type":"LiveActivity"}"#
    let fields = [(name: "authorization", value: Self.authorization)]
    let request = HTTPRequest("POST", "/1/apps/\(Self.app)/channels", fields: fields, body: Array(body.utf8))
    world.receive(request, on: StreamID(manager, 1), at: now)
    let response = try #require(world.answers(on: manager).last)
    return try #require(response.fields["apns-channel-id"])
  }
}

extension World {
  fileprivate func answers(on connection: ProviderConnectionID) -> [HTTPResponse] {
    recent.compactMap { (event: WorldEvent) -> HTTPResponse? in event.answer(on: connection)?.response }
  }
}

extension PushRecord {
  var body: [UInt8] { Array(request.storage[request.bodyStart...]) }
}
