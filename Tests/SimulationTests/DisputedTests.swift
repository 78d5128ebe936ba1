import APNs
import Devices
import Simulation
import Testing
import Timeline

/// Behavior about which sources contradict each other: both values of a setting, and the effect of each.
@Suite("A disputed behaviour")
struct DisputedTests {
  private func stage(os: OSVersion = OSVersion(26, 1), _ change: (inout DevicePolicy) -> Void) -> Stage {
    var policy = Stage.quick
    change(&policy)
    return Stage(os: os, policy: policy, rulebook: Stage.unhurried)
  }

  @Test("the 410 of an ended activity is Unregistered or ExpiredToken, from the same instant")
  func reasonOfTheDead() throws {
    for (habit, reason) in [
      (DevicePolicy.DeadActivityReason.unregistered, RejectionReason.unregistered), (.expiredToken, .expiredToken),
    ] {
      var stage = stage { $0.deadActivityReason = habit }
      try stage.launch()
      #expect(try stage.finish().status == 200)
      let ended = stage.now.world
      stage.advance(by: .seconds(59))
      #expect(try stage.update(1).status == 200)
      stage.advance(by: .seconds(1))
      let refused = try stage.update(2)
      #expect(refused.status == 410 && refused.reason == reason)
      #expect(refused.answer.rejection?.since == ended.advanced(by: .seconds(60)))
    }
  }

  @Test("a start without an alert is dropped always, from iOS 26 on, or never")
  func startWithoutAlert() throws {
    for (need, shown18, shown26) in [
      (DevicePolicy.AlertNeed.always, false, false), (.from26, true, false), (.never, true, true),
    ] {
      for (os, isShown) in [(OSVersion(18, 5), shown18), (OSVersion(26, 1), shown26)] {
        var stage = stage(os: os) { $0.startNeedsAlert = need }
        let body =
          #"{"aps":{"timestamp":\#(Stage.began.seconds),"event":"start","attributes-type":"MatchAttributes","#
          + #""attributes":{},"content-state":{}}}"#
        let record = try stage.send(try stage.token(.pushToStart(type: 0)), topic: Stage.activityTopic, body)
        #expect(record.status == 200 && stage.cards().isEmpty != isShown, "\(need) \(os.text)")
        #expect(record.fate.cause == (isShown ? nil : .noAlertConfiguration), "\(need) \(os.text)")
      }
    }
  }

  @Test(
    "an update or end to a push-to-start token is dropped by the phone, or refused by APNs", arguments: [false, true])
  func misusedStartToken(_ refuses: Bool) throws {
    var rulebook = Stage.unhurried
    rulebook.startTokensOnlyStart = refuses
    var stage = Stage(rulebook: rulebook)
    let token = try stage.token(.pushToStart(type: 0))
    for event in ["update", "end"] {
      let record = try stage.pushActivity(token, event: event)
      #expect(record.status == (refuses ? 400 : 200))
      #expect(record.reason == (refuses ? .deviceTokenNotForTopic : nil))
      #expect(record.fate.cause == (refuses ? nil : .wrongTokenKind))
    }
    #expect(try stage.pushActivity(token, event: "begin").fate.cause == .unknownEvent)
    #expect(try stage.start(with: token).fate.starts(0))
    #expect(try stage.pushActivity(stage.token(.update(activity: 0)), event: "update").fate.isUpdate)
  }

  @Test("the question can be answered on the Lock Screen only, or anywhere", arguments: [true, false])
  func lockScreen(_ needed: Bool) throws {
    var stage = stage {
      $0.prompt.policy = .everyPushStart
      $0.prompt.needsLockScreen = needed
    }
    try stage.order(.unlock)
    try stage.launch()
    stage.advance(by: .seconds(20))
    #expect(stage.story().contains(.promptAnswered(0, allowed: true)) != needed)
    #expect(stage.cards().map(\.state) == [needed ? .prompting : .active])
  }

  @Test("many updates of priority 10 show the question again under a card that remains, or never do")
  func asksAgain() throws {
    for most: UInt32? in [3, nil] {
      var stage = stage {
        $0.prompt.asksAgainAfter = most
        $0.prompt.answer = .deny
      }
      try stage.launch()
      for score in 1...2 { try stage.update(score) }
      try stage.update(3, priority: 5)
      #expect(stage.cards().map(\.asks) == [false])
      try stage.update(4)
      #expect(stage.cards().map(\.asks) == [most != nil] && stage.score() == 4)
      try stage.update(5)
      #expect(stage.score() == 5 && stage.story().count { $0 == .promptShown(0) } == (most == nil ? 0 : 1))
      stage.advance(by: .seconds(20))
      #expect(stage.cards().isEmpty == (most != nil))
      #expect(try stage.app().allowances.contains(.liveActivities) == (most == nil))
    }
  }

  @Test("a question that is shown again and allowed returns after as many")
  func asksAgainAndAgain() throws {
    var stage = stage { $0.prompt.asksAgainAfter = 2 }
    try stage.launch()
    for score in 1...4 {
      try stage.update(score)
      #expect(stage.cards().map(\.asks) == [score % 2 == 0])
      stage.advance(by: .seconds(20))
      #expect(stage.cards().map(\.asks) == [false] && stage.cards().map(\.state) == [.active])
    }
    #expect(stage.story().count { $0 == .promptAnswered(0, allowed: true) } == 2)
  }

  @Test("a question that is shown again and ignored stays, and the card with it until its life ends")
  func asksAgainIgnored() throws {
    var stage = stage {
      $0.prompt.asksAgainAfter = 1
      $0.prompt.answer = .ignore
      $0.prompt.cleanUp = .seconds(60)
    }
    try stage.launch()
    try stage.update(1)
    stage.advance(by: .seconds(3600))
    #expect(stage.cards().map(\.asks) == [true] && stage.cards().map(\.state) == [.active])
    try stage.order(.allow(nil, app: nil))
    #expect(stage.cards().map(\.asks) == [false])
  }
}
