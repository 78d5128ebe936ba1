import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Memory and work that a long run leaves behind.
@Suite("What has ended is forgotten")
struct GrowthTests {
  @Test("faults with their own time, whatever their names, leave nothing on the agenda")
  func timedFaults() throws {
    var stage = Stage()
    for number in 0..<5_000 {
      var fault = Fault("f\(number)", .prompts(PromptFault(after: .seconds(1))))
      fault.from = stage.now.world.advanced(by: .seconds(3600))
      fault.until = stage.now.world.advanced(by: .seconds(7200))
      try stage.world.perform(.setFault(fault), at: stage.now)
      try stage.world.perform(.deleteFault("f\(number)"), at: stage.now)
    }
    #expect(stage.world.deviceState.schedule.count < 200)
  }

  @Test("a fault that is set again forgets the time of the old one, and others keep theirs")
  func setAnew() throws {
    var stage = Stage()
    var wave = Fault("wave", .devices(.goOffline, heal: .goOnline))
    wave.until = stage.now.world.advanced(by: .seconds(60))
    try stage.world.perform(.setFault(wave), at: stage.now)
    for number in 0..<5_000 {
      var fault = Fault("f", .push(.silence))
      fault.until = stage.now.world.advanced(by: .seconds(3600 + number))
      try stage.world.perform(.setFault(fault), at: stage.now)
    }
    #expect(stage.world.deviceState.schedule.count < 200)
    #expect(!stage.world.fleet.isOnline(DeviceID(0)))
    stage.advance(by: .seconds(61))
    #expect(stage.world.fleet.isOnline(DeviceID(0)))
  }

  @Test("answers that were held for a connection are dropped when it closes")
  func heldAnswers() throws {
    var stage = Stage()
    let delay = AnswerDelay.between(.seconds(3600)...(.seconds(3600)))
    try stage.world.perform(.setFault(Fault("late", .push(.delay(delay)))), at: stage.now)
    let token = try stage.token()
    for number: UInt64 in 0..<300 {
      let connection = ProviderConnectionID(100 + number)
      stage.world.connectionOpened(connection, to: .sandbox, peer: "p", at: stage.now)
      for _ in 0..<10 { _ = try stage.push(token, on: connection) }
      stage.world.connectionClosed(connection, at: stage.now)
      _ = stage.events()
    }
    #expect(!stage.world.holdsAnswers && stage.world.deviceState.schedule.count < 300)
    _ = try stage.push(token)
    #expect(stage.world.holdsAnswers)
    stage.advance(by: .seconds(3600))
    #expect(!stage.world.holdsAnswers)
    #expect(stage.events().contains { if case .wire(Stage.sandbox, .respond) = $0 { true } else { false } })
  }

  @Test("a phone that goes on- and offline leaves one check of its stored pushes, not one for each time")
  func expiryCheck() throws {
    var stage = Stage()
    let token = try stage.token()
    let before = stage.world.deviceState.schedule.count
    for _ in 0..<500 {
      try stage.order(.goOffline)
      _ = try stage.push(token)
      try stage.order(.goOnline)
      _ = stage.events()
      stage.advance(by: .seconds(60))
    }
    #expect(stage.world.deviceState.schedule.count - before < 20)
  }

  @Test("short-lived pushes that expire beside a long-lived one leave a bounded number of checks")
  func expiryChecksBesideALongLivedPush() throws {
    var stage = Stage()
    let token = try stage.token()
    try stage.order(.goOffline)
    _ = try stage.send(token, #"{"aps":{"alert":"Kept"}}"#, ["apns-collapse-id": "kept"])
    let before = stage.world.deviceState.schedule.count
    for _ in 0..<500 {
      let expiration = "\(stage.now.world.seconds + 20)"
      _ = try stage.send(token, #"{"aps":{"alert":"Brief"}}"#, ["apns-expiration": expiration])
      stage.advance(by: .seconds(40))
      _ = stage.events()
      #expect(stage.world.problems(at: stage.now.world) == [])
    }
    #expect(stage.world.deviceState.schedule.count - before < 150)
    #expect(stage.world.deviceState.store.waiting(for: DeviceID(0)) == 1, "the long-lived push")
  }

  @Test("stored pushes expire in time, also where an earlier check was planned")
  func expires() throws {
    var plan = PushStore.Plan()
    plan.retention = .seconds(3600)
    var stage = Stage(store: plan)
    let token = try stage.token()
    try stage.order(.goOffline)
    _ = try stage.push(token)
    stage.advance(by: .seconds(1800))
    try stage.order(.goOnline)
    try stage.order(.goOffline)
    _ = try stage.push(token)
    _ = stage.events()
    stage.advance(by: .seconds(3599))
    #expect(stage.world.deviceState.store.waiting(for: DeviceID(0)) == 1)
    stage.advance(by: .seconds(2))
    #expect(stage.world.deviceState.store.waiting(for: DeviceID(0)) == 0)
  }

  @Test("unknown channels are listened to for as long as the activity runs")
  func channels() {
    var subscriptions = Subscriptions()
    let home = ChannelOwner(.sandbox, Stage.app)
    var before: Subscriptions.Subscriber?
    for number: UInt32 in 0..<10_000 {
      let subscriber = Subscriptions.Subscriber(device: DeviceID(number % 3), app: 0, activity: number)
      if let before { subscriptions.remove(before) }
      subscriptions.add(subscriber, to: .init(home: home, id: "channel \(number)"))
      before = subscriber
    }
    #expect(subscriptions.channelCount == 1)
    let last = Subscriptions.ChannelKey(home: home, id: "channel 9999")
    #expect(subscriptions.count(last) == 1)
    #expect(subscriptions.subscribers(on: DeviceID(0)).map(\.activity) == [9_999])
  }

  @Test("a phone listens to no more channels than it has activities, whatever ids its starts name")
  func starts() throws {
    var stage = Stage()
    let token = try stage.token(.pushToStart(type: 0))
    for number in 0..<100 {
      let body = """
        {"aps":{"timestamp":\(stage.now.world.seconds),"event":"start","attributes-type":"MatchAttributes",\
        "attributes":{},"content-state":{},"input-push-channel":"channel \(number)",\
        "alert":{"title":"Go","body":"!"}}}
        """
      _ = try stage.push(token, topic: Stage.activityTopic, body: body)
      for activity in try stage.app().activities where activity.state == .active {
        try stage.order(.endActivity(activity.id, app: Stage.app))
      }
      _ = stage.events()
      stage.advance(by: .seconds(3600))
    }
    #expect(stage.world.deviceState.subscriptions.channelCount <= 2)
    #expect(stage.world.deviceState.subscriptions.subscribers(on: DeviceID(0)).isEmpty)
  }

  @Test("a channel forgets who no longer listens, and keeps the order of the others")
  func gone() {
    var subscriptions = Subscriptions()
    let channel = Subscriptions.ChannelKey(home: ChannelOwner(.sandbox, Stage.app), id: "c")
    let all = (0..<100).map { Subscriptions.Subscriber(device: DeviceID($0), app: 0, activity: 1) }
    for subscriber in all { subscriptions.add(subscriber, to: channel) }
    for subscriber in all.prefix(80) { subscriptions.remove(subscriber) }
    #expect(subscriptions.count(channel) == 20)
    let left = subscriptions.page(channel, from: 0, before: .max, most: 100)
    #expect(left.map(\.subscriber) == Array(all.suffix(20)))
  }

  @Test("messages of channels are kept until they expire")
  func messages() {
    var subscriptions = Subscriptions()
    let push = ArrivingPush(
      number: 1, request: HTTPRequest("POST", "/", body: []), priority: .immediate, type: .liveactivity)
    for number in 0..<5_000 {
      let channel = Subscriptions.ChannelKey(home: ChannelOwner(.sandbox, Stage.app), id: "\(number)")
      let now = Stage.began.advanced(by: .seconds(number))
      subscriptions.keep(.init(push: push, until: now.advanced(by: .seconds(10))), of: channel, at: now)
    }
    #expect(subscriptions.channelCount < 200)
  }

  @Test("a fault counts its matches of each token, for the tokens of two generations")
  func looks() {
    var looks = MatchCounts(most: 100)
    for look: UInt64 in 1...5 { #expect(looks.next(7) == look) }
    for token: UInt64 in 1_000..<1_150 { #expect(looks.next(token) == 1) }
    #expect(looks.next(7) == 6)
    for token: UInt64 in 2_000..<12_000 { #expect(looks.next(token) == 1) }
    #expect(looks.count <= 200 && looks.next(7) == 1)
  }

  @Test("matches are counted only where odds are given")
  func certain() throws {
    var stage = Stage()
    try stage.world.perform(.setFault(Fault("all", .push(.lose))), at: stage.now)
    for device: UInt32 in 0..<50 { _ = try stage.push(try stage.token(on: device)) }
    #expect(stage.world.faults["all"]?.checks.count == 0 && stage.world.faults["all"]?.struck == 50)
  }

  @Test("of delayed answers, only those of the newest pushes are kept")
  func expectedScreens() throws {
    var stage = Stage()
    let record = try stage.push(try stage.token())
    var expectedScreens = ExpectedScreens()
    for number: Int32 in 0..<50_000 {
      let facts = PushRecord.Facts(
        .init(sequence: UInt64(number), at: record.at, stream: StreamID(Stage.sandbox, number)), push: record.push,
        answer: record.answer, keyNumber: nil, address: record.address,
        outcome: .init(fate: record.firstFate, sent: .pending(.delay)))
      expectedScreens.read(.push(PushRecord(facts)))
    }
    #expect(expectedScreens.unheardCount <= 2 * ExpectedScreens.mostUnheard)
  }
}
