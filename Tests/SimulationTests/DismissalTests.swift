import APNs
import Devices
import Simulation
import Testing
import Timeline

/// A card swiped away, and what APNs answers for an activity that is over.
@Suite("A dismissed Live Activity")
struct DismissalTests {
  private func dismissed(_ stage: Stage) -> Int {
    stage.story().count { $0 == .activityStateYielded(0, .dismissed) }
  }

  @Test("S141: a swipe removes the card at once, and a running app learns of it at once")
  func running() throws {
    var stage = Stage()
    try stage.launch()
    #expect(try stage.app().life == .background, "the start has woken it")
    try stage.order(.swipe(nil, app: nil))
    #expect(stage.screen().cards.isEmpty && dismissed(stage) == 1)
    stage.advance(by: .seconds(5 * 3600))
    #expect(dismissed(stage) == 1 && stage.screen().cards.isEmpty)
  }

  @Test("S141: an app without runtime learns of it when it runs next; one that was force-quit, when it is opened")
  func later() throws {
    for isForceQuit in [false, true] {
      var stage = Stage()
      try stage.launch()
      stage.advance(by: .seconds(60))
      if isForceQuit { try stage.order(.forceQuit(app: Stage.app)) }
      try stage.order(.swipe(nil, app: nil))
      #expect(dismissed(stage) == 0)
      let start = try stage.launch()
      #expect(start.fate.starts(1))
      #expect(dismissed(stage) == (isForceQuit ? 0 : 1), "a start by push gives it runtime")
      try stage.order(.open(app: Stage.app))
      #expect(dismissed(stage) == 1)
    }
  }

  @Test("`lives.expiredLinger` is how long the card of an expired activity stays, and no other card")
  func expiredLinger() throws {
    var policy = Stage.quick
    policy.expiredLinger = .seconds(3600)
    for isEnded in [false, true] {
      var stage = Stage(policy: policy)
      try stage.launch()
      if isEnded {
        stage.advance(by: policy.activityLife - .seconds(1))
        try stage.finish()
      } else {
        stage.advance(by: policy.activityLife)
      }
      let lingers = isEnded ? policy.linger : policy.expiredLinger
      stage.advance(by: lingers - .nanoseconds(1))
      #expect(stage.screen().cards.map(\.state) == [.ended])
      #expect(stage.screen().cards.first?.dismissal == stage.now.world.advanced(by: .nanoseconds(1)))
      stage.advance(by: .nanoseconds(1))
      #expect(stage.screen().cards.isEmpty)
    }
  }

  @Test("an ended card can be swiped as well, and disappears once")
  func endedCard() throws {
    var stage = Stage()
    try stage.launch()
    try stage.finish()
    try stage.order(.swipe(nil, app: nil))
    stage.advance(by: .seconds(5 * 3600))
    #expect(stage.story().count { $0 == .activityDismissed(0) } == 1)
    #expect(stage.story().count { if case .activityEnded = $0 { true } else { false } } == 1)
  }

  private static let body = #"{"aps":{"timestamp":9999999999,"event":"update","content-state":{}}}"#

  private func push(_ stage: inout Stage) throws -> PushRecord {
    try stage.send(try stage.token(.update(activity: 0)), topic: Stage.activityTopic, Self.body)
  }

  enum End: CaseIterable { case push, swipe, app }

  private func end(_ stage: inout Stage, _ how: End) throws {
    switch how {
    case .push: try stage.finish()
    case .swipe: try stage.order(.swipe(nil, app: nil))
    case .app: try stage.order(.endActivity(nil, app: nil))
    }
  }

  @Test("S145: a minute after its end the token is answered 410 Unregistered, until then 200", arguments: End.allCases)
  func minute(_ how: End) throws {
    var stage = Stage()
    try stage.launch()
    try end(&stage, how)
    stage.advance(by: .seconds(60) - .nanoseconds(1))
    #expect(try push(&stage).fate == .discarded(.activityOver))
    stage.advance(by: .nanoseconds(1))
    let gone = try push(&stage)
    #expect(gone.status == 410 && gone.reason == .unregistered)
    #expect(gone.answer.rejection?.since == stage.now.world)
    stage.advance(by: .seconds(24 * 3600))
    #expect(try push(&stage).answer.rejection == gone.answer.rejection)
  }

  @Test("S145: with another setting it is 410 at once, and with a third 200 until its eight hours are over")
  func policy() throws {
    var policy = Stage.quick
    policy.deadActivityNotice = .zero
    var atOnce = Stage(policy: policy)
    try atOnce.launch()
    try end(&atOnce, .swipe)
    #expect(try push(&atOnce).reason == .unregistered)
    policy.deadActivityNotice = nil
    var never = Stage(policy: policy)
    try never.launch()
    try end(&never, .swipe)
    for _ in 0..<7 {
      never.advance(by: .seconds(3600))
      let record = try push(&never)
      #expect(record.status == 200 && record.fate == .discarded(.activityOver))
      #expect(never.screen().cards.isEmpty)
    }
    never.advance(by: .seconds(3600))
    #expect(try push(&never).reason == .expiredToken)
  }

  @Test("S145: an offline phone reports nothing to APNs; the minute begins when it is back")
  func offline() throws {
    var stage = Stage()
    try stage.launch()
    try stage.order(.goOffline)
    try stage.order(.swipe(nil, app: nil))
    stage.advance(by: .seconds(3600))
    let stored = try push(&stage)
    #expect(stored.status == 200 && stored.fate == .stored(.offline))
    try stage.order(.goOnline)
    #expect(stage.fate(of: stored) == .discardedFromStorage(.activityOver))
    stage.advance(by: .seconds(59))
    #expect(try push(&stage).status == 200)
    stage.advance(by: .seconds(1))
    #expect(try push(&stage).reason == .unregistered)
  }
}
