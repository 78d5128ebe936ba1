import APNs
import Devices
import Scenarios
import Simulation
import Testing
import Timeline
import WireFormats

/// The end of Live Activities, and the removal of their cards.
@Suite("The end of a Live Activity")
struct EndingTests {
  /// The states of the card after its end, each with its time in seconds, from the events.
  private func timeline(_ stage: Stage) -> [(String, Int64)] {
    stage.world.recent.compactMap { event in
      guard case .phone(_, _, let deviceEvent, let at) = event else { return nil }
      switch deviceEvent {
      case .activityEnded, .activityDismissed: return (deviceEvent.name, at.seconds - Stage.began.seconds)
      default: return nil
      }
    }
  }

  @Test(
    "S131 S132 S133 S134 S135 S136 S144: it ends at once, and the card goes at the dismissal date within four hours",
    arguments: [
      (nil, 14400), (-1, 0), (0, 0), (1, 1), (900, 900), (14399, 14399), (14400, 14400), (14401, 14400),
      (400_000, 14400),
    ] as [(Int64?, Int64)])
  func table(_ date: Int64?, _ seconds: Int64) throws {
    var stage = Stage()
    try stage.launch()
    stage.advance(by: .seconds(100))
    let member = date.map { #","dismissal-date":\#(stage.now.world.seconds + $0)"# } ?? ""
    guard case .ended(0, let dismissal, _, _)? = try stage.finish(member).fate.reaction else {
      Issue.record("an end ends")
      return
    }
    #expect(dismissal == stage.now.world.advanced(by: .seconds(seconds)))
    guard case .empty = stage.screen().island else {
      Issue.record("it leaves the island at once")
      return
    }
    #expect(stage.screen().cards.map(\.state) == (seconds == 0 ? [] : [.ended]))
    stage.advance(by: .seconds(5 * 3600))
    #expect(stage.screen().cards.isEmpty)
    #expect(timeline(stage).map(\.0) == ["activityEnded", "activityDismissed"])
    #expect(timeline(stage).map(\.1) == [100, 100 + seconds])
  }

  @Test("a dismissal date in a start or an update is ignored")
  func elsewhere() throws {
    var stage = Stage()
    try stage.launch(#","dismissal-date":1"#)
    try stage.update(1, #","dismissal-date":1"#)
    #expect(stage.screen().cards.map(\.state) == [.active])
    try stage.finish()
    #expect(stage.screen().cards.first?.dismissal == stage.now.world.advanced(by: .seconds(4 * 3600)))
  }

  @Test("S137 S138: the last content is shown until the card disappears; without one the previous content stays")
  func content() throws {
    for (member, expected) in [(#","content-state":{"score":9}"#, 9), ("", 5)] as [(String, Int64)] {
      var stage = Stage(budget: BudgetPlan())
      try stage.launch()
      stage.advance(by: .seconds(60))
      try stage.update(5)
      try stage.finish(member)
      #expect(stage.score() == expected, "the end is drawn at once")
      stage.advance(by: .seconds(4 * 3600) - .nanoseconds(1))
      #expect(stage.score() == expected)
    }
  }

  @Test("S139: attributes in an end are ignored, with a remark")
  func attributes() throws {
    var stage = Stage()
    try stage.launch()
    let record = try stage.finish(#","attributes":{"home":"Z"},"attributes-type":"Other""#)
    #expect(record.fate.ends(0))
    #expect(stage.screen().cards.first?.attributes == ["home": "A"])
    #expect(PushStory(record).lines.contains { $0.cause == "attributes-ignored" })
  }

  @Test("an ended activity accepts no update, and the card does not change")
  func frozen() throws {
    var stage = Stage()
    try stage.launch()
    try stage.finish()
    #expect(try stage.update(7).fate == .discarded(.activityOver))
    #expect(stage.score() == 0)
  }

  @Test("S140: after eight hours it ends by itself, and its token answers 410 ExpiredToken from then on")
  func eightHours() throws {
    var stage = Stage()
    try stage.launch()
    stage.advance(by: .seconds(8 * 3600) - .nanoseconds(1))
    #expect(try stage.update(1).status == 200)
    stage.advance(by: .nanoseconds(1))
    let record = try stage.update(2)
    #expect(record.status == 410 && record.reason == .expiredToken)
    #expect(record.answer.rejection?.since == stage.now.world)
    #expect(stage.screen().cards.map(\.state) == [.ended])
    stage.advance(by: .seconds(4 * 3600))
    #expect(stage.screen().cards.isEmpty, "twelve hours in total")
    #expect(stage.story().contains(.activityEnded(0, .lifeOver)))
    #expect(try stage.update(3).reason == .expiredToken)
  }

  /// Each end, how it is brought about, and what is seen of it.
  private static let ends: [(ActivityEnd, isDismissed: Bool)] = [
    (.push, false), (.command, false), (.user, true), (.lifeOver, false), (.system, false), (.appRemoved, true),
    (.switched, false), (.denied, true), (.transient, true), (.evicted, true),
  ]

  @Test("S142 S143: each end has its reason, and the app gets each state once", arguments: ends)
  func reasons(_ end: ActivityEnd, _ isDismissed: Bool) throws {
    var policy = Stage.quick
    if end == .denied { policy.prompt.policy = .everyPushStart }
    if end == .evicted {
      policy.overLimit = .evictLeastRelevant
      policy.activitiesPerApp = 1
    }
    var stage = Stage(policy: policy)
    if end == .transient {
      try stage.order(.open(app: Stage.app))
      var request = StartActivity(app: Stage.app, attributesType: "MatchAttributes")
      request.order.isTransient = true
      try stage.order(.start(request))
    } else {
      try stage.launch()
    }
    let before = stage.story()
    #expect(!before.contains { if case .activityEnded = $0 { true } else { false } })
    switch end {
    case .push: try stage.finish()
    case .command: try stage.order(.endActivity(nil, app: nil))
    case .user: try stage.order(.swipe(nil, app: nil))
    case .lifeOver: stage.advance(by: .seconds(8 * 3600))
    case .system: try stage.order(.evict(nil, app: nil))
    case .appRemoved: try stage.order(.uninstall(app: Stage.app))
    case .switched: try stage.flip(.liveActivities, false)
    case .denied: try stage.order(.deny(nil, app: nil))
    case .transient: try stage.order(.lock)
    case .evicted: try stage.launch()
    }
    if end == .lifeOver { try stage.order(.open(app: Stage.app)) }
    let story = stage.story()
    #expect(story.count { $0 == .activityEnded(0, end) } == 1)
    #expect(story.contains(.activityDismissed(0)) == isDismissed)
    let shown = stage.screen().cards.filter { $0.number == 0 }.map(\.state)
    #expect(shown == (isDismissed ? [] : [.ended]))
    // Only one state at a time, in order; a swipe or a deny goes past ended. A deleted app hears nothing.
    let states = story.compactMap { if case .activityStateYielded(0, let state) = $0 { state } else { nil } }
    let skipsEnded = end == .user || end == .denied
    #expect(
      states == (end == .appRemoved ? [] : skipsEnded ? [.dismissed] : isDismissed ? [.ended, .dismissed] : [.ended]))
    let line = try log(stage).first { $0.event == "activityEnded" }
    #expect(line?.process == .liveactivitiesd && line?.sentence.contains(end.rawValue) == true)
  }

  /// The device's log of what has happened.
  private func log(_ stage: Stage) throws -> [LogLine] {
    var simulator = Simulator(world: stage.world, clock: WorldClock(), pushLogCapacity: 100)
    _ = simulator.settle()
    return simulator.log(of: DeviceID(0), process: nil, before: nil, limit: 500).lines
  }
}
