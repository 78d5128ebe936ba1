import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// Reactions of phones to Live Activity pushes that APNs has answered with 200.
@Suite("A Live Activity on the phone")
struct LiveActivityPushTests {
  /// A sound `aps` of a start; each test spoils one thing.
  private static func start(at seconds: Int64 = Stage.began.seconds) -> [(String, String)] {
    [
      ("timestamp", "\(seconds)"), ("event", #""start""#), ("attributes-type", #""MatchAttributes""#),
      ("attributes", #"{"home":"A"}"#), ("content-state", #"{"score":1}"#), ("alert", #"{"title":"Go","body":"!"}"#),
    ]
  }

  private static func body(_ aps: [(String, String)], without key: String? = nil, with extra: [(String, String)] = [])
    -> String
  {
    let kept = aps.filter { pair in pair.0 != key && !extra.contains { $0.0 == pair.0 } } + extra
    return #"{"aps":{"# + kept.map { #""\#($0.0)":\#($0.1)"# }.joined(separator: ",") + "}}"
  }

  private func start(_ stage: inout Stage, _ body: String) throws -> Fate {
    try stage.push(try stage.token(.pushToStart(type: 0)), topic: Stage.activityTopic, body: body).fate
  }

  private func update(
    _ stage: inout Stage, _ seconds: Int64, event: String = "update", _ more: String = #","content-state":{"score":2}"#
  ) throws -> Fate {
    let token = try stage.token(.update(activity: 0))
    let aps = #"{"aps":{"timestamp":\#(Stage.began.seconds + seconds),"event":"\#(event)"\#(more)}}"#
    return try stage.push(token, topic: Stage.activityTopic, body: aps).fate
  }

  private func card(_ stage: Stage) -> Screen.Card? {
    stage.world.screen(of: DeviceID(0), at: stage.now.world).cards.first
  }

  @Test("S67 S74: a valid start shows its attributes and content")
  func sound() throws {
    var stage = Stage()
    #expect(try start(&stage, Self.body(Self.start())).starts(0))
    let card = try #require(self.card(stage))
    #expect(card.state == .active && card.attributesType == "MatchAttributes")
    #expect(card.attributes == ["home": "A"] && card.content == ["score": 1])
  }

  @Test(
    "each flaw of a start has its own cause, and nothing starts",
    arguments: [
      ("event", nil, DropCause.unknownEvent), ("event", #""begin""#, .unknownEvent),
      ("event", #""update""#, .wrongTokenKind), ("event", #""end""#, .wrongTokenKind),
      ("alert", nil, .noAlertConfiguration), ("alert", #""Go!""#, .alertNotDictionary),
      ("attributes-type", nil, .unknownAttributesType),
      ("attributes-type", #""matchAttributes""#, .unknownAttributesType),
      ("attributes", nil, .attributesDecode), ("attributes", "[]", .attributesDecode),
      ("content-state", nil, .contentStateDecode), ("content-state", "7", .contentStateDecode),
      ("timestamp", nil, .missingTimestamp), ("timestamp", #""1700000000""#, .missingTimestamp),
    ] as [(String, String?, DropCause)])
  func flaws(_ key: String, _ value: String?, _ cause: DropCause) throws {
    var stage = Stage()
    let body = Self.body(Self.start(), without: key, with: value.map { [(key, $0)] } ?? [])
    #expect(try start(&stage, body).cause == cause, "S73 S75 S76 S32 S33 S95")
    #expect(card(stage) == nil)
  }

  @Test(
    "a payload that is not JSON is dropped as unreadable, and JSON without an aps object for that",
    arguments: [("x", DropCause.notJSON), ("[]", .noAPS), ("{}", .noAPS), (#"{"aps":1}"#, .noAPS)])
  func unreadable(_ body: String, _ cause: DropCause) throws {
    var stage = Stage()
    #expect(try start(&stage, body).cause == cause)
  }

  @Test("S122: an alert beside aps is ignored")
  func alertOutside() throws {
    var stage = Stage()
    let body = Self.body(Self.start(), without: "alert").dropLast() + #","alert":{"title":"Go"}}"#
    #expect(try start(&stage, String(body)).cause == .noAlertConfiguration)
  }

  @Test("a channel in a start needs iOS 18, and excludes a token")
  func channel() throws {
    var stage = Stage()
    let both = [("input-push-channel", #""c""#), ("input-push-token", "1")]
    #expect(try start(&stage, Self.body(Self.start(), with: both)).cause == .contradictoryInput)
    #expect(try start(&stage, Self.body(Self.start(), with: [both[0]])).starts(0))
  }

  @Test("S88 S89: an update that is not newer is ignored, an equal one too, and the content stays")
  func timestamps() throws {
    var stage = Stage()
    _ = try start(&stage, Self.body(Self.start()))
    #expect(try update(&stage, 0).cause == .staleTimestamp)
    #expect(try update(&stage, -1).cause == .staleTimestamp)
    #expect(card(stage)?.content == ["score": 1])
    #expect(try update(&stage, 1).updates(0))
    #expect(card(stage)?.content == ["score": 2])
  }

  @Test("S90: of two swapped pushes the newer one wins")
  func swapped() throws {
    var stage = Stage()
    _ = try start(&stage, Self.body(Self.start()))
    #expect(try update(&stage, 9, #","content-state":{"score":9}"#).updates(0))
    #expect(try update(&stage, 8, #","content-state":{"score":8}"#).cause == .staleTimestamp)
    #expect(card(stage)?.content == ["score": 9])
  }

  @Test("S77: a timestamp in milliseconds is accepted, and blocks every later one in seconds")
  func milliseconds() throws {
    var stage = Stage()
    _ = try start(&stage, Self.body(Self.start()))
    let token = try stage.token(.update(activity: 0))
    let body = #"{"aps":{"timestamp":\#(Stage.began.milliseconds),"event":"update","content-state":{}}}"#
    #expect(try stage.push(token, topic: Stage.activityTopic, body: body).fate.updates(0))
    #expect(try update(&stage, 3600).cause == .staleTimestamp)
  }

  @Test("S87 S94: attributes in an update are ignored, the update is applied")
  func attributesInUpdate() throws {
    var stage = Stage()
    _ = try start(&stage, Self.body(Self.start()))
    let more = #","content-state":{"score":3},"attributes":{"home":"Z"},"attributes-type":"Other""#
    #expect(try update(&stage, 1, more).updates(0))
    #expect(card(stage)?.attributes == ["home": "A"] && card(stage)?.content == ["score": 3])
  }

  @Test("a start on an update token starts nothing")
  func startOnUpdateToken() throws {
    var stage = Stage()
    _ = try start(&stage, Self.body(Self.start()))
    let token = try stage.token(.update(activity: 0))
    let fate = try stage.push(token, topic: Stage.activityTopic, body: Self.body(Self.start(at: 1_800_000_000))).fate
    #expect(fate.cause == .wrongTokenKind)
    #expect(stage.world.screen(of: DeviceID(0), at: stage.now.world).cards.count == 1)
  }

  @Test("S97 S99: after its stale date an activity is stale, until an update without one arrives")
  func stale() throws {
    var stage = Stage()
    _ = try start(&stage, Self.body(Self.start(), with: [("stale-date", "\(Stage.began.seconds + 60)")]))
    stage.advance(by: .seconds(59))
    #expect(card(stage)?.state == .active)
    stage.advance(by: .seconds(1))
    #expect(card(stage)?.state == .stale)
    #expect(try update(&stage, 61).updates(0))
    #expect(card(stage)?.state == .active)
  }

  @Test("S98: an offline phone becomes stale too")
  func staleOffline() throws {
    var stage = Stage()
    _ = try start(&stage, Self.body(Self.start(), with: [("stale-date", "\(Stage.began.seconds + 60)")]))
    try stage.order(.goOffline)
    stage.advance(by: .seconds(61))
    #expect(try update(&stage, 61) == .stored(.offline))
    #expect(card(stage)?.state == .stale)
  }

  /// Seconds from the end until the card goes; nil for what the push does not say.
  @Test(
    "S132 S133 S134 S135 S136: the card disappears at the dismissal date, within four hours",
    arguments: [(nil, 14400), (-60, 0), (0, 0), (900, 900), (14400, 14400), (90000, 14400)] as [(Int64?, Int64)])
  func dismissal(_ asked: Int64?, _ expected: Int64) throws {
    var stage = Stage()
    _ = try start(&stage, Self.body(Self.start()))
    stage.advance(by: .seconds(10))
    let date = asked.map { #","dismissal-date":\#(stage.now.world.seconds + $0)"# } ?? ""
    let end = try update(&stage, 10, event: "end", date)
    #expect(end.ends(0), "S131")
    let screen = stage.world.screen(of: DeviceID(0), at: stage.now.world)
    #expect(screen.cards.first?.dismissal == (expected == 0 ? nil : stage.now.world.advanced(by: .seconds(expected))))
    if expected > 0 {
      #expect(card(stage)?.state == .ended)
      stage.advance(by: .seconds(expected) - .nanoseconds(1))
      #expect(card(stage)?.state == .ended)
      stage.advance(by: .nanoseconds(1))
    }
    #expect(card(stage) == nil)
  }

  @Test("S137 S138: an end may have the last content; without one the previous content stays")
  func lastContent() throws {
    for (more, expected) in [("", JSONValue.integer(1)), (#","content-state":{"score":7}"#, .integer(7))] {
      var stage = Stage()
      _ = try start(&stage, Self.body(Self.start()))
      #expect(try update(&stage, 1, event: "end", more).ends(0))
      #expect(card(stage)?.content?["score"] == expected && card(stage)?.state == .ended)
    }
  }

  @Test("S140: after eight hours it has ended by itself, and its card disappears four hours later")
  func eightHours() throws {
    var stage = Stage()
    _ = try start(&stage, Self.body(Self.start()))
    stage.advance(by: .seconds(8 * 3600))
    #expect(card(stage)?.state == .ended)
    stage.advance(by: .seconds(4 * 3600))
    #expect(card(stage) == nil)
  }

  @Test("S123 S124: the highest relevance is on top, among equals the one that began first, and updates reorder")
  func relevance() throws {
    var stage = Stage()
    for score in [1, 5, 5] {
      _ = try start(&stage, Self.body(Self.start(), with: [("relevance-score", "\(score)")]))
      stage.advance(by: .seconds(1))
    }
    func order() -> [UInt32] { stage.world.screen(of: DeviceID(0), at: stage.now.world).cards.map(\.number) }
    #expect(order() == [1, 2, 0])
    #expect(try update(&stage, 60, #","content-state":{},"relevance-score":9"#).updates(0))
    #expect(order() == [0, 1, 2])
  }

  @Test("S168: the sixth activity of an app is dropped")
  func limit() throws {
    var stage = Stage()
    for _ in 0..<5 { #expect(try start(&stage, Self.body(Self.start())).cause == nil) }
    #expect(try start(&stage, Self.body(Self.start())).cause == .targetLimit)
    #expect(try update(&stage, 1, event: "end", "").ends(0))
    #expect(try start(&stage, Self.body(Self.start())).cause == nil)
  }

  @Test("attributes and content state together have a limit of 4,096 bytes")
  func combined() throws {
    var stage = Stage()
    let attributes = #"{"x":"\#(String(repeating: "a", count: 2000))"}"#
    _ = try start(&stage, Self.body(Self.start(), with: [("attributes", attributes)]))
    func content(_ count: Int) -> String { #","content-state":{"y":"\#(String(repeating: "b", count: count))"}"# }
    let room = 4096 - attributes.utf8.count - #"{"y":""}"#.utf8.count
    #expect(try update(&stage, 1, content(room)).updates(0))
    #expect(try update(&stage, 2, content(room + 1)).cause == .combinedSize)
  }

  @Test("S126 S128: an island shows one app compact, two apps minimal; phones without an island show nothing there")
  func island() throws {
    let apps = ["com.a", "com.b"].map { AppProfile(bundleID: $0, teamID: Stage.team, attributesTypes: ["M"]) }
    var mix = PhoneMix.ideal
    mix.island = Odds(60, in: 100)
    var stage = Stage(apps: apps, phones: mix)
    let withIsland = try #require((0..<20).first { stage.world.fleet.model.hasIsland(DeviceID($0)) })
    let without = try #require((0..<20).first { !stage.world.fleet.model.hasIsland(DeviceID($0)) })
    func island(_ device: UInt32) -> Screen.Island {
      stage.world.screen(of: DeviceID(device), at: stage.now.world).island
    }
    guard case .empty = island(withIsland), case .absent = island(without) else {
      Issue.record("an island is empty or absent before anything runs")
      return
    }
    try stage.order(.startActivity(app: "com.a", attributesType: nil), on: withIsland)
    guard case .compact(let card) = island(withIsland) else {
      Issue.record("one app is compact")
      return
    }
    #expect(card.bundleID == "com.a")
    try stage.order(.startActivity(app: "com.b", attributesType: nil), on: withIsland)
    guard case .minimal(let cards) = island(withIsland) else {
      Issue.record("two apps are minimal")
      return
    }
    #expect(cards.map(\.bundleID) == ["com.a", "com.b"])
  }

  @Test("a swiped card disappears at once, and its token is dead a minute later")
  func swipe() throws {
    var stage = Stage()
    _ = try start(&stage, Self.body(Self.start()))
    try stage.order(.swipe(nil, app: nil))
    #expect(card(stage) == nil)
    #expect(try stage.app().activities.first?.state == .dismissed)
    #expect(try update(&stage, 1).isDiscarded)
    stage.advance(by: .seconds(60))
    #expect(
      try stage.push(try stage.token(.update(activity: 0)), topic: Stage.activityTopic).reason == .unregistered, "S145")
    #expect(throws: CommandProblem.self) { try stage.order(.swipe(nil, app: nil)) }
  }
}
