import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Mistakes that APNs answers 200, or that only the app's reports tell.
@Suite("An audit of what phones made of pushes")
struct SilentMistakeTests {
  private func found(_ stage: inout Stage) -> [AuditFinding] {
    var logs = EventLogs(pushLogCapacity: 100, audits: true)
    logs.read(stage.events())
    return logs.auditor?.findings ?? []
  }

  private func kinds(_ stage: inout Stage) -> [AuditFinding.Kind] { found(&stage).map(\.kind) }

  private func activity(_ stage: inout Stage, _ slot: TokenSlot, _ members: String) throws {
    _ = try stage.send(
      try stage.token(slot), topic: Stage.activityTopic, #"{"aps":{\#(members)}}"#)
  }

  @Test("S173: updates with the same content under new timestamps, from the third in a row")
  func sameContent() throws {
    for (scores, count) in [([1, 1], 0), ([1, 1, 1], 1), ([1, 1, 2, 1, 1], 0), ([1, 1, 1, 1, 2, 2, 2], 3)] {
      var stage = Stage(rulebook: Stage.unhurried)
      try stage.launch()
      for score in scores {
        stage.advance(by: .seconds(60))
        try stage.update(score)
      }
      #expect(kinds(&stage).count { $0 == .sameContent } == count, "\(scores)")
    }
    var stage = Stage(rulebook: Stage.unhurried)
    try stage.launch()
    for _ in 0..<5 {
      stage.advance(by: .seconds(60))
      try stage.update(1, #","stale-date":\#(stage.now.world.seconds + 600)"#)
    }
    #expect(kinds(&stage).isEmpty, "a later stale date is news")
  }

  @Test(
    "mistakes in headers: a background push of another priority, a date in another unit, none for an offline phone",
    arguments: [
      (["apns-push-type": "background"], .backgroundPriority, "priority 10"),
      (["apns-push-type": "background", "apns-priority": "1"], .backgroundPriority, "priority 1"),
      (["apns-push-type": "background", "apns-priority": "5"], nil, ""),
      (["apns-expiration": "3600"], .expirationUnit, "seconds from now"),
      (["apns-expiration": "1795780000000"], .expirationUnit, "milliseconds"), (["apns-expiration": "0"], nil, ""),
      ([:], nil, ""),
    ] as [([String: String], AuditFinding.Kind?, String)])
  func headers(fields: [String: String], kind: AuditFinding.Kind?, words: String) throws {
    var stage = Stage()
    _ = try stage.send(
      try stage.token(.app), topic: Stage.app, #"{"aps":{"content-available":1,"alert":"A"}}"#, fields)
    let found = found(&stage).filter { $0.kind != .backgroundThrottled && $0.kind != .fieldsIgnored }
    #expect(found.map(\.kind) == [kind].compactMap(\.self))
    #expect(found.allSatisfy { $0.sentence.contains(words) })
  }

  /// Disputed: Apple says 30 days; micromdm issue 609, fleet issue 43812 and air issue 1563 saw one attempt.
  @Test("a push without apns-expiration to a phone that is offline", arguments: [false, true])
  func noExpiration(once: Bool) throws {
    var plan = PushStore.Plan()
    plan.triesOnceWithoutExpiration = once
    var stage = Stage(store: plan)
    try stage.order(.goOffline)
    let token = try stage.token(.app)
    let alert = #"{"aps":{"alert":"A"}}"#
    let record = try stage.send(token, topic: Stage.app, alert)
    #expect(record.firstFate == (once ? .discarded(.notStored) : .stored(.offline)))
    let line = try #require(try stage.story(of: record).last)
    #expect(line.evidence?.kind == (once ? .disputed : .documented))
    #expect(line.sentence.contains("without apns-expiration") == once)
    _ = try stage.send(token, topic: Stage.app, alert, ["apns-expiration": "4000000000"])
    #expect(kinds(&stage) == [.noExpiration])
  }

  @Test("S173: updates with the same content that wait for the phone count too, at priority 5 and beyond the budget")
  func sameContentKept() throws {
    for priority in [5, 10] {
      var budget = Stage.atOnce
      budget.lowPriority.locked = .seconds(90)...(.seconds(90))
      budget.update.standardCapacity = 1
      var stage = Stage(budget: budget, rulebook: Stage.unhurried)
      try stage.launch()
      for _ in 0..<5 {
        try stage.update(1, priority: priority)
        stage.advance(by: .seconds(5))
      }
      #expect(kinds(&stage).count { $0 == .sameContent } == 3, "priority \(priority)")
    }
  }

  @Test("equal notifications that wait for the phone's power are no updates with the same content")
  func sameNotifications() throws {
    var budget = Stage.atOnce
    budget.lowPriority.locked = .seconds(90)...(.seconds(90))
    var stage = Stage(budget: budget, rulebook: Stage.unhurried)
    try stage.launch()
    for _ in 0..<5 {
      let record = try stage.send(
        try stage.token(.app), topic: Stage.app, #"{"aps":{"alert":"A"}}"#, ["apns-priority": "5"])
      #expect(record.firstFate.words == "Stored - Power Considerations")
    }
    #expect(kinds(&stage).isEmpty)
  }

  static let dropped: [(TokenSlot, String, AuditFinding.Kind, says: String)] = [
    (
      .pushToStart(type: 0),
      #""timestamp":1700000000,"event":"start","attributes-type":"matchAttributes","attributes":{},"content-state":{},"#
        + #""alert":{"title":"Go"}"#, .payloadDropped, "letter by letter"
    ),
    (
      .pushToStart(type: 0),
      #""timestamp":1700000000,"event":"start","attributes-type":"MatchAttributes","attributes":{},"content-state":{}"#,
      .payloadDropped, "send an alert"
    ),
    (
      .pushToStart(type: 0),
      #""timestamp":1700000000,"event":"start","attributes-type":"MatchAttributes","attributes":{},"content-state":{},"#
        + #""alert":"Go""#, .payloadDropped, "send an alert"
    ),
    (
      .pushToStart(type: 0), #""timestamp":1700000900,"event":"end","content-state":{}"#, .wrongTokenKind,
      "only start an activity"
    ),
    (
      .update(activity: 0), #""timestamp":1700000900,"event":"start","content-state":{}"#, .wrongTokenKind,
      "only start an activity"
    ),
    (.update(activity: 0), #""event":"update","content-state":{}"#, .payloadDropped, "timestamp"),
    (.update(activity: 0), #""timestamp":1700000900,"event":"updated"#, .payloadDropped, "payload"),
    (
      .update(activity: 0), #""timestamp":1700000900000,"event":"update","content-state":{}"#, .millisecondTimestamp,
      "seconds"
    ),
    (
      .update(activity: 0), #""timestamp":1700000900,"event":"update","content-state":{},"attributes":{"a":1}"#,
      .fieldsIgnored, "leave them out"
    ),
    (
      .update(activity: 0), #""timestamp":1700000900,"event":"update","content-state":{},"alert":"Wicket""#,
      .fieldsIgnored, "inside aps"
    ),
    (
      .update(activity: 0),
      #""timestamp":1700000900,"event":"update","content-state":{},"alert":{"title":"Wicket","body":7}"#,
      .fieldsIgnored, "must be a string"
    ),
  ]

  @Test("what a phone drops or ignores is found, with what to do about it", arguments: dropped)
  func silent(_ slot: TokenSlot, _ members: String, _ kind: AuditFinding.Kind, _ says: String) throws {
    var stage = Stage()
    try stage.launch()
    _ = stage.events()
    try activity(&stage, slot, members)
    let found = found(&stage)
    #expect(found.map(\.kind) == [kind] && found.first?.push != nil)
    #expect(found.first?.sentence.contains(says) == true, "\(found.first?.sentence ?? "")")
  }

  @Test("content that does not decode is found with its key path")
  func decode() throws {
    let schema = try ContentSchema(["type": "object", "properties": ["homeScore": "int"]])
    let app = AppProfile(
      bundleID: Stage.app, teamID: Stage.team, types: [AttributesType("MatchAttributes", contentState: schema)])
    var stage = Stage(apps: [app])
    try stage.order(.startActivity(app: nil, attributesType: nil))
    try activity(
      &stage, .update(activity: 0), #""timestamp":1700000900,"event":"update","content-state":{"home_score":1}"#)
    let finding = try #require(found(&stage).first)
    #expect(finding.kind == .payloadDropped && finding.sentence.contains("homeScore"))
    #expect(finding.sentence.contains("camelCase"))
  }

  @Test("updates of priority 10 beyond the budget are found once, until one comes through again")
  func budget() throws {
    var budget = BudgetPlan()
    budget.update.standardCapacity = 2
    var stage = Stage(budget: budget, rulebook: Stage.unhurried)
    try stage.launch()
    for score in 1...6 { try stage.update(score) }
    stage.advance(by: .seconds(3601))
    for score in 7...12 { try stage.update(score) }
    let found = found(&stage)
    #expect(found.map(\.kind) == [.updateBudgetSpent, .updateBudgetSpent])
    #expect(found.allSatisfy { $0.sentence.contains("priority 5") })
  }

  @Test("an audit finds starts beyond their budget or beyond the number of activities")
  func starts() throws {
    var stage = Stage()
    for _ in 0..<6 { try stage.launch() }
    #expect(kinds(&stage) == [.startsSpent])
    var budget = Stage.atOnce
    budget.start.capacity = 1
    stage = Stage(budget: budget)
    for _ in 0..<2 { try stage.launch() }
    #expect(kinds(&stage) == [.startsSpent])
  }

  @Test("background pushes beyond the few an hour are found")
  func background() throws {
    var policy = Stage.quick
    policy.wakes.odds = .always
    var stage = Stage(policy: policy)
    for _ in 0..<4 {
      stage.advance(by: .seconds(100))
      _ = try stage.send(
        try stage.token(), #"{"aps":{"content-available":1}}"#,
        ["apns-push-type": "background", "apns-priority": "5"])
    }
    #expect(kinds(&stage) == [.backgroundThrottled])
  }

  @Test("a token that was refused as bad and is pushed to again is found, one that was on its way is not")
  func refused() throws {
    for (wait, found) in [(Duration.seconds(60), [AuditFinding.Kind.refusedToken]), (.milliseconds(100), [])] {
      var stage = Stage()
      for _ in 0..<2 {
        #expect(try stage.push("abcd").reason == .badDeviceToken)
        stage.advance(by: wait)
      }
      #expect(kinds(&stage) == found)
    }
  }

  @Test("a provider token older than an hour is found once")
  func expired() throws {
    var stage = Stage()
    stage.now = Now(world: stage.now.world, wall: stage.now.wall.advanced(by: .seconds(3601)))
    for _ in 0..<3 { #expect(try stage.push(try stage.token()).reason == .expiredProviderToken) }
    #expect(kinds(&stage) == [.providerTokenExpired])
  }

  @Test(
    "a notification without text is found, and so is what an app's background work has no use for",
    arguments: [
      (#"{"aps":{"alert":{"titel":"x"}}}"#, "alert", [.payloadDropped]),
      (#"{"aps":{"content-available":1,"thread-id":true}}"#, "alert", [.payloadDropped, .fieldsIgnored]),
      (#"{"aps":{"content-available":1,"category":5}}"#, nil, [.fieldsIgnored]),
      (#"{"aps":{"alert":{"title":"x"}}}"#, "alert", []), (#"{"aps":{"badge":3}}"#, "alert", []),
      (#"{"aps":{"alert":"","sound":"default"}}"#, "alert", []),
    ] as [(String, String?, [AuditFinding.Kind])])
  func unshown(_ body: String, _ type: String?, _ kinds: [AuditFinding.Kind]) throws {
    var stage = Stage()
    _ = try stage.send(stage.token(), body, type.map { ["apns-push-type": $0] } ?? [:])
    #expect(self.kinds(&stage) == kinds)
  }

  @Test("an alert that nobody sees is found like one that somebody sees")
  func alertInForeground() throws {
    let alert = #","alert":{"title":"Wicket","sound":5}"#
    for order: DeviceAction? in [nil, .open(app: Stage.app)] {
      var stage = Stage()
      try stage.launch()
      if let order { try stage.order(order) }
      _ = stage.events()
      try stage.update(1, alert)
      let found = found(&stage)
      #expect(found.map(\.kind) == [.fieldsIgnored] && found.first?.sentence.contains("the sound must") == true)
    }
  }

  @Test("a null member of a Live Activity is like one that is missing")
  func null() throws {
    for more in [#","alert":null"#, #","attributes":null,"attributes-type":null"#, #","sound":null"#] {
      var stage = Stage()
      try stage.launch()
      _ = stage.events()
      #expect(try stage.update(1, more).fate.isUpdate && kinds(&stage) == [], "\(more)")
    }
    var stage = Stage()
    try stage.launch(#","input-push-channel":null,"input-push-token":null"#)
    #expect(try stage.finish(#","content-state":null"#).fate.ends(0))
  }

  @Test("an end that a phone never got was pushed nevertheless, and an activity without a token cannot be ended")
  func endedInVain() throws {
    var stage = Stage()
    try stage.launch()
    try stage.order(.goOffline)
    try stage.finish()
    stage.advance(by: .seconds(9 * 3600))
    #expect(!kinds(&stage).contains(.neverEnded))
    stage = Stage()
    try stage.launch()
    try stage.order(.goOffline)
    let escaped = #"{"aps":{"timestamp":\#(stage.nextTimestamp()),"event":"\u0065nd"}}"#
    _ = try stage.send(stage.token(.update(activity: 0), on: 0), topic: Stage.activityTopic, escaped)
    stage.advance(by: .seconds(9 * 3600))
    #expect(!kinds(&stage).contains(.neverEnded), "the word is written with an escape")
    stage = Stage()
    try stage.order(.forceQuit(app: Stage.app))
    try stage.launch()
    stage.advance(by: .seconds(9 * 3600))
    #expect(!kinds(&stage).contains(.neverEnded))
  }

  @Test("a body that Apple prescribes may come twice in a minute")
  func prescribed() throws {
    for (body, kinds) in [
      (#"{"aps":{"content-available":1}}"#, []), (#"{"aps":{"content-available":1},"id":7}"#, [.duplicate]),
    ] as [(String, [AuditFinding.Kind])] {
      var stage = Stage()
      for _ in 0..<2 {
        _ = try stage.send(stage.token(), body, ["apns-push-type": "background", "apns-priority": "5"])
        stage.advance(by: .seconds(20))
      }
      #expect(self.kinds(&stage).filter { $0 == .duplicate } == kinds, "\(body)")
    }
  }

  @Test("an activity that was pushed to and never ended is found when its eight hours are over")
  func neverEnded() throws {
    for ends in [false, true] {
      var stage = Stage()
      try stage.launch()
      if ends { try stage.finish() }
      try stage.order(.startActivity(app: nil, attributesType: "RaceAttributes"))
      stage.advance(by: .seconds(8 * 3600))
      #expect(kinds(&stage) == (ends ? [] : [.neverEnded]), "one that nobody pushed to is its app's business")
    }
  }

  @Test("every kind of finding has its section, and says how it is known")
  func sources() {
    for kind in AuditFinding.Kind.allCases {
      #expect(kind.source.source.contains("findings.md#\(kind.rawValue.lowercased())"), "\(kind)")
    }
  }
}
