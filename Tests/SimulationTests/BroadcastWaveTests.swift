import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Broadcasts to more phones than one portion reaches.
@Suite("A broadcast to many phones")
struct BroadcastWaveTests {
  static let phones: UInt32 = 10
  static let manager = ProviderConnectionID(3)
  /// Number of phones that one portion reaches.
  static let looks = 3

  /// A stage with phones that subscribe to a channel, and the id of the channel.
  func stage(
    _ storage: Int = 1, phones: UInt32 = phones, looks: Int = looks, store: PushStore.Plan = .init()
  ) throws -> (Stage, String) {
    var stage = Stage(store: store)
    stage.world.waves.portion = Portion(looks: looks, orders: 100, events: 1_000)
    stage.world.connectionOpened(Self.manager, to: .sandbox, peer: "m", managesChannels: true, at: stage.now)
    let request = HTTPRequest(
      "POST", "/1/apps/com.example.app/channels", fields: [("authorization", Stage.authorization)],
      body: Array(#"{"message-storage-policy":\#(storage),"push-type":"LiveActivity"}"#.utf8))
    let answer = manage(&stage, request, 1)
    let channel = try #require(answer?.channelID).text
    for device in 0..<phones { try subscribe(&stage, channel, on: device) }
    _ = stage.events()
    return (stage, channel)
  }

  func subscribe(_ stage: inout Stage, _ channel: String, on device: UInt32) throws {
    var request = StartActivity(app: Stage.app, attributesType: "MatchAttributes")
    request.order.updates = .channel(channel)
    try stage.order(.start(request), on: device)
  }

  func publish(
    _ stage: inout Stage, _ channel: String, _ score: Int, expiration: Int64 = 3600,
    on connection: ProviderConnectionID = Stage.sandbox
  ) {
    let now = stage.now.world.seconds
    let body = #"{"aps":{"timestamp":\#(now + Int64(score)),"event":"update","content-state":{"score":\#(score)}}}"#
    let request = HTTPRequest(
      "POST", "/4/broadcasts/apps/com.example.app",
      fields: [
        ("authorization", Stage.authorization), ("apns-channel-id", channel), ("apns-priority", "10"),
        ("apns-expiration", "\(expiration == 0 ? 0 : now + expiration)"), ("apns-push-type", "liveactivity"),
      ], body: Array(body.utf8))
    stage.world.receive(request, on: StreamID(connection, 9_001), at: stage.now)
  }

  func score(_ stage: Stage, _ device: UInt32) -> JSONValue? {
    stage.world.screen(of: DeviceID(device), at: stage.now.world).cards.first?.content?["score"]
  }

  /// The phones that have got a content.
  func reached(_ stage: Stage, _ score: Int) -> [UInt32] {
    (0..<Self.phones + 1).filter { self.score(stage, $0) == .integer(Int64(score)) }
  }

  func finish(_ stage: inout Stage) {
    for _ in 0..<100 where stage.world.hasWaves { stage.world.stepWaves(at: stage.now) }
  }

  /// Each arrival: the number of the broadcast, the phone, and the fate.
  func arrivals(_ events: [WorldEvent]) -> [String] {
    events.compactMap { event in
      guard case .broadcastReached(let number, let device, let fate, _) = event else { return nil }
      return "\(BroadcastNumber.ofRequest(number)) \(device.text) \(fate.words)"
    }
  }

  /// The answer to a request about channels; other events are taken with it.
  func manage(_ stage: inout Stage, _ request: HTTPRequest, _ number: Int32) -> ChannelAnswer? {
    let first = stage.world.output.count
    stage.world.receive(request, on: StreamID(Self.manager, number), at: stage.now)
    return stage.events()[first...].lazy.compactMap { event -> ChannelAnswer? in
      if case .channels(let record) = event { record.answer } else { nil }
    }.first
  }

  @Test("A broadcast is answered after its first portion; the other portions follow")
  func portions() throws {
    var (stage, channel) = try stage()
    publish(&stage, channel, 7)
    let first = stage.events()
    let answer = first.compactMap { if case .channels(let record) = $0 { record } else { nil } }
    #expect(answer.map(\.subscribers) == [Int(Self.phones)] && answer.map(\.answer.status) == [200])
    #expect(reached(stage, 7) == [0, 1, 2] && arrivals(first).count == Self.looks)
    var portions = 1
    while stage.world.hasWaves, portions < 100 {
      stage.world.stepWaves(at: stage.now)
      portions += 1
    }
    #expect(portions == 4 && reached(stage, 7) == Array(0..<Self.phones))
  }

  @Test("A portion of a broadcast has no more events than its limit, apart from those of its last phone")
  func bounded() throws {
    var (stage, channel) = try stage(looks: 100)
    stage.world.waves.portion = Portion(looks: 100, orders: 100, events: 3)
    publish(&stage, channel, 7)
    _ = stage.events()
    var portions = 1
    while stage.world.hasWaves, portions < 100 {
      stage.world.stepWaves(at: stage.now)
      let events = stage.events()
      #expect(arrivals(events).count <= 3 && events.count <= 6)
      portions += 1
    }
    #expect(portions > 3 && portions < 20 && reached(stage, 7) == Array(0..<Self.phones))
  }

  @Test("A broadcast causes the same events with portions of any size")
  func same() throws {
    let all = try [1, 3, 1_000].map { looks in
      var (stage, channel) = try stage(looks: looks)
      try stage.order(.goOffline, on: 4)
      _ = stage.events()
      publish(&stage, channel, 7)
      stage.advance(by: .seconds(60))
      try stage.order(.goOnline, on: 4)
      return stage.events()
    }
    #expect(all[0] == all[1] && all[0] == all[2] && arrivals(all[0]).count == Int(Self.phones) + 1)
  }

  @Test("A push is served, and time passes, between the portions of a broadcast")
  func between() throws {
    var (stage, channel) = try stage()
    publish(&stage, channel, 7)
    #expect(try stage.push(stage.token(on: 9)).fate.isDelivered)
    #expect(reached(stage, 7) == [0, 1, 2] && stage.world.hasWaves)
    let later = Now(world: stage.now.world.advanced(by: .seconds(60)), wall: stage.now.wall)
    while stage.world.step(to: later) != nil {}
    stage.now = later
    #expect(reached(stage, 7) == [0, 1, 2])
    _ = stage.events()
    finish(&stage)
    let times = Set(
      stage.events().compactMap { event -> Instant? in
        if case .broadcastReached(_, _, _, let at) = event { at } else { nil }
      })
    #expect(times == [later.world] && reached(stage, 7) == Array(0..<Self.phones))
  }

  @Test("Advancing a world finishes its broadcasts before time passes, as in a scenario")
  func advance() throws {
    var (stage, channel) = try stage()
    let before = stage.now.world
    publish(&stage, channel, 7)
    stage.advance(by: .seconds(3600))
    let late = stage.events().contains { event in
      if case .broadcastReached(_, _, _, let at) = event { at != before } else { false }
    }
    #expect(!late && !stage.world.hasWaves && reached(stage, 7).count == Int(Self.phones))
  }

  @Test("A broadcast reaches the activities that subscribed before it and have not ended")
  func changes() throws {
    var (stage, channel) = try stage()
    publish(&stage, channel, 7)
    let ended = try #require(stage.app(8).activities.first).id
    try stage.order(.endActivity(ended, app: Stage.app), on: 8)
    try stage.order(.uninstall(app: Stage.app), on: 7)
    try stage.order(.goOffline, on: 6)
    try subscribe(&stage, channel, on: Self.phones)
    #expect(stage.world.deviceState.subscriptions.end == 11)
    _ = stage.events()
    finish(&stage)
    #expect(arrivals(stage.events()).map { $0.split(separator: " ")[1] } == ["d3", "d4", "d5", "d6", "d9"])
    #expect(reached(stage, 7) == [0, 1, 2, 3, 4, 5, 9])
    try stage.order(.goOnline, on: 6)
    #expect(score(stage, 6) == 7)
  }

  @Test("Waiting for the waves so far ends although a later broadcast is on its way")
  func waiting() throws {
    var (stage, channel) = try stage()
    publish(&stage, channel, 7)
    let begun = stage.world.wavesBegun
    #expect(stage.world.hasBroadcasts(amongFirst: begun) && !stage.world.hasFaultWaves)
    publish(&stage, channel, 8)
    while stage.world.hasBroadcasts(amongFirst: begun) { stage.world.stepWaves(at: stage.now) }
    #expect((reached(stage, 7) + reached(stage, 8)).sorted() == Array(0..<Self.phones) && stage.world.hasWaves)
  }

  @Test("A broadcast reaches phones no later than the earliest due work, so events are in the order of time")
  func late() throws {
    var (stage, channel) = try stage()
    try stage.world.perform(
      .setFault(Fault("late", .push(.delay(.between(.seconds(1)...(.seconds(1))))))), at: stage.now)
    _ = try stage.push(stage.token())
    publish(&stage, channel, 7)
    let due = stage.now.world.advanced(by: .seconds(1))
    let later = Now(world: due.advanced(by: .seconds(9)), wall: due)
    _ = stage.events()
    while stage.world.hasWaves { stage.world.stepWaves(at: later) }
    let times = stage.events().compactMap { event -> Instant? in
      if case .broadcastReached(_, _, _, let at) = event { at } else { nil }
    }
    #expect(!times.isEmpty && times.allSatisfy { $0 <= due })
  }

  @Test("A broadcast and a fault on devices take turns")
  func turns() throws {
    var (stage, channel) = try stage()
    publish(&stage, channel, 7)
    try stage.world.perform(.setFault(Fault("f", .devices(.lock, heal: nil))), at: stage.now)
    for _ in 0..<2 { stage.world.stepWaves(at: stage.now) }
    let moved = stage.world.waves.all.map(\.next)
    #expect(moved.count == 2 && moved[0] > 3 && moved[1] > 3, "\(moved)")
  }

  @Test("A broadcast continues although its channel and all faults are deleted, and its connection is closed")
  func deleted() throws {
    var (stage, channel) = try stage()
    publish(&stage, channel, 7)
    let request = HTTPRequest(
      "DELETE", "/1/apps/com.example.app/channels",
      fields: [("authorization", Stage.authorization), ("apns-channel-id", channel)], body: [])
    #expect(manage(&stage, request, 3)?.rejection == nil)
    stage.world.connectionClosed(Stage.sandbox, at: stage.now)
    try stage.world.perform(.deleteAllFaults, at: stage.now)
    finish(&stage)
    #expect(reached(stage, 7) == Array(0..<Self.phones))
  }

  @Test("A broadcast ends when its world begins anew, and reaches none of the new phones")
  func anew() throws {
    var (stage, channel) = try stage()
    publish(&stage, channel, 7)
    try stage.world.perform(.beginAnew, at: stage.now)
    _ = stage.events()
    #expect(!stage.world.hasWaves)
    for device in 0..<Self.phones { try stage.order(.open(app: Stage.app), on: device) }
    finish(&stage)
    stage.advance(by: .seconds(60))
    #expect(arrivals(stage.events()).isEmpty && reached(stage, 7).isEmpty)
  }

  @Test("Broadcasts of a channel reach every phone in order, and those of other channels do not wait for them")
  func order() throws {
    var (stage, channel) = try stage()
    let request = HTTPRequest(
      "POST", "/1/apps/com.example.app/channels", fields: [("authorization", Stage.authorization)],
      body: Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8))
    let answer = manage(&stage, request, 5)
    let other = try #require(answer?.channelID).text
    try subscribe(&stage, other, on: Self.phones)
    _ = stage.events()
    publish(&stage, channel, 7)
    publish(&stage, channel, 8)
    #expect(reached(stage, 8).isEmpty)
    publish(&stage, other, 9)
    #expect(reached(stage, 9) == [Self.phones])
    finish(&stage)
    #expect(reached(stage, 8) == Array(0..<Self.phones))
    let numbers = (0..<Self.phones).map { device in
      arrivals(stage.world.recent).filter { $0.contains(" d\(device) ") }.map { $0.prefix { $0 != " " } }
    }
    #expect(numbers.allSatisfy { $0 == ["3", "4"] }, "\(numbers)")
  }

  @Test("The subscribers of a channel do not include activities that have ended")
  func counts() throws {
    var (stage, channel) = try stage()
    let key = Subscriptions.ChannelKey(home: ChannelOwner(.sandbox, Stage.app), id: channel)
    try stage.order(.uninstall(app: Stage.app), on: 0)
    #expect(stage.world.deviceState.subscriptions.count(key) == 9)
    stage.advance(by: .seconds(8 * 3600))
    #expect(stage.world.deviceState.subscriptions.count(key) == 0)
    #expect(stage.world.deviceState.subscriptions.channelCount == 0)
  }

  @Test("An activity that was scheduled to begin later gets a broadcast once")
  func scheduled() throws {
    var (stage, channel) = try stage(phones: 0)
    var request = StartActivity(app: Stage.app, attributesType: "MatchAttributes")
    request.order.updates = .channel(channel)
    request.order.begins = stage.now.world.advanced(by: .seconds(60))
    request.order.alerts = true
    try stage.order(.start(request))
    stage.advance(by: .seconds(120))
    _ = stage.events()
    publish(&stage, channel, 7)
    finish(&stage)
    #expect(arrivals(stage.events()).count == 1 && score(stage, 0) == 7)
  }

  @Test("A tape replays broadcasts portion by portion, without a difference")
  func tape() throws {
    var (stage, channel) = try stage()
    let before = stage.record()
    publish(&stage, channel, 7)
    stage.world.stepWaves(at: stage.now)
    _ = try stage.push(stage.token(on: 9))
    publish(&stage, channel, 8)
    stage.now = Now(world: stage.now.world.advanced(by: .seconds(5)), wall: stage.now.wall)
    stage.world.stepWaves(at: stage.now)
    stage.advance(by: .seconds(60))
    _ = stage.events()
    let (player, difference) = try Reel(stage.batches).play(in: before)
    #expect(difference == nil, "\(difference?.text ?? "")")
    #expect(player.world.fleet.phones == stage.world.fleet.phones && reached(stage, 8).count == Int(Self.phones))
  }

  @Test("A broadcast does not wait for a fault on devices, and a fault does not wait for a broadcast")
  func besideFault() throws {
    var (stage, channel) = try stage()
    stage.world.waves.portion = Portion(looks: 3, orders: 3, events: 3)
    try stage.world.perform(.setFault(Fault("wave", .devices(.goOffline, heal: .goOnline))), at: stage.now)
    let offline = (0..<100 as Range<UInt32>).filter { !stage.world.fleet.isOnline(DeviceID($0)) }
    #expect(offline == [0, 1, 2])
    publish(&stage, channel, 7, expiration: 0)
    #expect(arrivals(stage.world.recent).count == 3)
    try stage.world.perform(.deleteFault("wave"), at: stage.now)
    finish(&stage)
    // The phones that were offline when it reached them have lost it.
    #expect(reached(stage, 7) == [3, 4, 5, 6, 7, 8, 9])
  }

  @Test("A broadcast is refused while 1,000 others wait, and accepted once they have arrived")
  func full() throws {
    var (stage, channel) = try stage()
    for _ in 0..<Waves.most { publish(&stage, channel, 7) }
    _ = stage.events()
    func answers() -> [String] {
      stage.events().compactMap { event in
        guard case .channels(let record) = event else { return nil }
        return record.answer.rejection?.rule?.name ?? "\(record.answer.status)"
      }
    }
    try stage.world.perform(.setFault(Fault("lost", .push(.loseAnswer(code: nil)))), at: stage.now)
    publish(&stage, channel, 8)
    #expect(answers() == ["roomForBroadcast"] && stage.world.waves.count == Waves.most)
    #expect(stage.world.faults["lost"]?.struck == 0)
    try stage.world.perform(.deleteFault("lost"), at: stage.now)
    stage.advance(by: .seconds(1))
    _ = stage.events()
    publish(&stage, channel, 9)
    #expect(answers() == ["200"] && stage.world.hasWaves)
  }
}
