import APNs
import Devices
import Simulation
import Testing
import Timeline

/// Ways in which an app learns of an activity that a push has started, and failures to do so.
@Suite("The adoption of an activity started by push")
struct AdoptionTests {
  private static let updateToken = DeviceEvent.tokenYielded(.update(activity: 0))
  private static let startToken = DeviceEvent.tokenYielded(.pushToStart(type: 0))

  private func stage(
    _ policy: DevicePolicy = Stage.quick, _ change: (inout AppTraits.Observing) -> Void = { _ in }
  ) -> Stage {
    var profile = Stage.profiles[0]
    change(&profile.traits.observing)
    return Stage(apps: [profile], policy: policy, rulebook: Stage.unhurried)
  }

  @Test(
    "S69: it starts though the app was not opened for weeks after the follow",
    arguments: [AppLifecycle.suspended, .terminated])
  func neverReopened(_ life: AppLifecycle) throws {
    var stage = stage()
    try stage.enter(life)
    let known = try stage.token(.pushToStart(type: 0))
    stage.advance(by: .seconds(40 * 86400))
    _ = stage.events()
    let record = try stage.start(with: known)
    #expect(record.status == 200 && record.fate.starts(0) && stage.cards().map(\.state) == [.active])
    let happened = stage.happened()
    #expect(happened.contains(.activityYielded(0)) && happened.contains(Self.updateToken))
    #expect(!happened.contains(.appForegrounded), "nobody has opened it")
    #expect(try stage.app().life == .background)
  }

  @Test(
    "S70: activityUpdates yields it once, before its token",
    arguments: [AppLifecycle.foreground, .suspended, .terminated])
  func yielded(_ life: AppLifecycle) throws {
    var stage = stage()
    try stage.enter(life)
    try stage.launch()
    let yields = stage.yields()
    #expect(yields.count { $0 == .activityYielded(0) } == 1 && yields.count { $0 == Self.updateToken } == 1)
    let activity = try #require(yields.firstIndex(of: .activityYielded(0)))
    #expect(try activity < #require(yields.firstIndex(of: Self.updateToken)))
    // What comes of it: the token the app reports moves the card.
    #expect(try stage.update(7).fate.updates(0) && stage.score() == 7)
  }

  @Test("S71: an app in the background learns of it at the wake, one that could not be woken at its next launch")
  func both() throws {
    for (life, isWoken) in [(AppLifecycle.terminated, true), (.crashed, true), (.suspended, true), (.forceQuit, false)]
    {
      var stage = stage()
      try stage.enter(life)
      try stage.launch()
      #expect(stage.yields().contains(.activityYielded(0)) == isWoken, "\(life)")
      guard !isWoken else { continue }
      stage.advance(by: .seconds(3600))
      #expect(stage.yields().isEmpty)
      try stage.order(.open(app: nil))
      let yields = stage.yields()
      #expect(yields.contains(.activityYielded(0)) && yields.contains(Self.updateToken))
    }
  }

  @Test("S78: observers installed with the first activity never get one that a push has started")
  func atCreation() throws {
    for life: AppLifecycle in [.suspended, .terminated] {
      var stage = stage { $0.atLaunch = false }
      try stage.enter(life)
      let record = try stage.launch()
      #expect(record.fate.starts(0) && stage.cards().count == 1, "the card is there all the same")
      #expect(try stage.story(of: record).contains { $0.cause == "no-observer" })
      stage.advance(by: .seconds(60))
      let happened = stage.happened()
      #expect(happened.contains(.tokenIssued(.update(activity: 0))))
      #expect(!happened.contains(.activityYielded(0)) && !happened.contains(Self.updateToken), "\(life)")
      try stage.order(.open(app: nil))
      try stage.order(.leave(app: nil))
      stage.advance(by: .seconds(60))
      let later = stage.yields()
      #expect(!later.contains(.activityYielded(0)) && !later.contains(Self.updateToken), "\(life)")
    }
  }

  @Test("S78: the same app gets them once it has started an activity itself, until its process ends")
  func afterCreation() throws {
    var stage = stage { $0.atLaunch = false }
    try stage.order(.startActivity(app: nil, attributesType: nil))
    _ = stage.events()
    try stage.launch()
    #expect(stage.yields().contains(.activityYielded(1)))
    try stage.enter(.terminated)
    try stage.launch()
    #expect(!stage.yields().contains(.activityYielded(2)))
  }

  @Test("S78: an app that does not observe activityUpdates never gets one, in its first process or a later one")
  func notAtAll() throws {
    for life: AppLifecycle in [.suspended, .foreground, .terminated] {
      var stage = stage { $0.activityUpdates = false }
      try stage.enter(life)
      try stage.launch()
      #expect(stage.cards().count == 1)
      let yields = stage.yields()
      #expect(!yields.contains(.activityYielded(0)) && !yields.contains(Self.updateToken), "\(life)")
    }
  }

  @Test("S79: a late listener for push-to-start tokens misses the wake; one at launch gets the same value again")
  func lateListener() throws {
    for atLaunch in [true, false] {
      var stage = stage { $0.atLaunch = atLaunch }
      try stage.enter(.terminated)
      try stage.launch()
      let woken = stage.happened()
      #expect(woken.contains(.appLaunched(.byLiveActivity)))
      #expect(woken.contains(Self.startToken) == atLaunch)
      // A replacement during the wake is as lost.
      try stage.order(.rotate(.pushToStart))
      #expect(stage.yieldedTokens().contains(.pushToStart(type: 0)) == atLaunch)
      // When the person opens it, there is something that listens.
      stage.advance(by: .seconds(60))
      _ = stage.events()
      try stage.order(.open(app: nil))
      #expect(stage.yieldedTokens().contains(.pushToStart(type: 0)) == !atLaunch)
    }
  }

  @Test("S80: where the observing task is not kept, a rotation after backgrounding is never reported")
  func taskReleased() throws {
    for keepsTask in [true, false] {
      var stage = stage { $0.keepsTask = keepsTask }
      try stage.enter(.foreground)
      try stage.order(.startActivity(app: nil, attributesType: nil))
      _ = stage.events()
      try stage.order(.rotate(.update))
      #expect(stage.yieldedTokens() == [.update(activity: 0)], "in the foreground the task lives")
      try stage.order(.leave(app: nil))
      _ = stage.events()
      for _ in 0..<3 {
        try stage.order(.rotate(.update))
        stage.advance(by: .seconds(600))
      }
      #expect(stage.yieldedTokens().count == (keepsTask ? 3 : 0))
    }
  }

  @Test(
    "S81: a rotation that nobody observes causes no error and no crash; the screen only stops changing")
  func frozen() throws {
    var stage = stage { $0.keepsTask = false }
    try stage.launch()
    try stage.enter(.foreground)
    try stage.order(.leave(app: nil))
    let known = try stage.token(.update(activity: 0))
    try stage.update(1)
    _ = stage.events()
    try stage.order(.rotate(.update))
    let silent = try stage.send(known, topic: Stage.activityTopic, Stage.body(stage.aps("update")))
    #expect(silent.status == 200 && silent.fate.discard == .orphanToken, "the ledger alone knows")
    stage.advance(by: .seconds(20))
    let happened = stage.happened()
    #expect(happened == [.tokenIssued(.update(activity: 0))], "neither an error nor a crash")
    for _ in 0..<5 {
      stage.advance(by: .seconds(120))
      let late = try stage.send(known, topic: Stage.activityTopic, Stage.body(stage.aps("update")))
      #expect(late.status == 410 && late.reason == .unregistered)
    }
    #expect(stage.score() == 1 && stage.cards().map(\.state) == [.active])
    #expect(stage.happened().allSatisfy { $0 == .appSuspended })
  }

  @Test("S84: between the activity and its token there is a time in which a backend has a record but no token")
  func pending() throws {
    var policy = Stage.quick
    policy.timing = Timing()
    for isLocal in [true, false] {
      var stage = stage(policy)
      if !isLocal { try stage.enter(.terminated) }
      _ = stage.events()
      if isLocal { try stage.order(.startActivity(app: nil, attributesType: nil)) } else { try stage.launch() }
      let early = try stage.update(1)
      #expect(early.status == 400 && early.reason == .badDeviceToken && stage.score() != 1)
      #expect(try stage.app().activities.map(\.token) == [nil])
      stage.advance(by: .seconds(6))
      var activity: Instant?
      var token: Instant?
      for case .phone(DeviceID(0), 0, let deviceEvent, let at) in stage.events() {
        if deviceEvent == .activityYielded(0) { activity = at }
        if deviceEvent == Self.updateToken { token = at }
      }
      #expect(try #require(activity) < #require(token), "local: \(isLocal)")
      #expect(try stage.update(2).fate.updates(0) && stage.score() == 2)
    }
  }

  @Test(
    "S86: 1,000 starts to followers within one poll are all reported, and each phone has its card and its token")
  func burst() throws {
    let count: UInt32 = 1000
    var policy = Stage.quick
    policy.timing = Timing()
    var stage = Stage(devices: count, policy: policy)
    let began = stage.now.world
    var records: [PushRecord] = []
    for device in 0..<count {
      records.append(try stage.launch(on: device))
      if device % 50 == 49 { stage.advance(by: .seconds(1)) }
    }
    #expect(began.duration(to: stage.now.world) <= .seconds(30))
    stage.advance(by: .seconds(10))
    var logs = EventLogs(pushLogCapacity: Int(count))
    let events = stage.events()
    logs.read(events)
    #expect(logs.pushLog.total == UInt64(count) && logs.metrics.count(.sandbox, nil) == UInt64(count))
    for record in records {
      let told = try #require(logs.pushLog.push(number: record.sequence))
      #expect(told.status == 200 && told.fate.starts(0))
    }
    for heard: DeviceEvent in [.activityYielded(0), Self.updateToken] {
      var devices: [DeviceID: Int] = [:]
      for case .phone(let device, 0, heard, _) in events { devices[device, default: 0] += 1 }
      #expect(devices.count == Int(count) && devices.values.allSatisfy { $0 == 1 }, "\(heard)")
    }
    for device in 0..<count { #expect(stage.cards(on: device).count == 1) }
  }
}
