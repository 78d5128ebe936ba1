import APNs
import Devices
import Grammar
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Broadcasts that offline phones miss.
extension BroadcastWaveTests {
  @Test("An offline phone with two activities gets a stored broadcast once for each, whenever it returns")
  func twice() throws {
    for returns in [true, false] {
      var (stage, channel) = try stage(phones: 1, looks: 1)
      try subscribe(&stage, channel, on: 0)
      try stage.order(.goOffline, on: 0)
      _ = stage.events()
      publish(&stage, channel, 7)
      #expect(stage.world.hasWaves, "one of the two has it")
      if returns { try stage.order(.goOnline, on: 0) }
      finish(&stage)
      if !returns { try stage.order(.goOnline, on: 0) }
      let ends = stage.events().compactMap { event -> Fate? in
        guard case .broadcastReached(_, _, let fate, _) = event else { return nil }
        if case .stored = fate { return nil }
        return fate
      }
      #expect(ends.count == 2, "\(ends)")
    }
  }

  @Test("A stored broadcast expires for a phone that it reaches too late, and for one that stays offline")
  func expiry() throws {
    var (stage, channel) = try stage()
    for device: UInt32 in [1, 8] { try stage.order(.goOffline, on: device) }
    _ = stage.events()
    publish(&stage, channel, 7, expiration: 30)
    let later = Now(world: stage.now.world.advanced(by: .seconds(60)), wall: stage.now.wall)
    while stage.world.step(to: later) != nil {}
    stage.now = later
    finish(&stage)
    for device: UInt32 in [1, 8] { try stage.order(.goOnline, on: device) }
    let expired = Fate.discarded(.expired).words
    let found = arrivals(stage.events())
    #expect(found.filter { $0.contains("d8") } == ["2 d8 \(expired)"])
    #expect(found.filter { $0.contains("d1 ") } == ["2 d1 \(Fate.stored(.offline).words)", "2 d1 \(expired)"])
  }

  @Test("A broadcast replaces the one that a phone has missed, even if the phone returns before it is reached")
  func replaced() throws {
    var (stage, channel) = try stage()
    try stage.order(.goOffline, on: 8)
    publish(&stage, channel, 7)
    finish(&stage)
    publish(&stage, channel, 8)
    _ = stage.events()
    try stage.order(.goOnline, on: 8)
    #expect(arrivals(stage.events()) == ["2 d8 \(Fate.discarded(.superseded).words)"])
    finish(&stage)
    #expect(score(stage, 8) == 8)
    #expect(arrivals(stage.events()).filter { $0.contains("d8") }.count == 1)
  }

  @Test("An audit finds a broadcast within a second of a 429 for its channel")
  func hasty() throws {
    for wait: Duration in [.milliseconds(900), .seconds(1)] {
      var (stage, channel) = try stage(phones: 1)
      let busy: JSONValue = [
        "name": "busy", "when": ["operation": "publish"], "limit": 1, "then": ["answer": "TooManyRequests"],
      ]
      let fault = try FaultReader.read(SourceNode(busy), stage.world.fleet, at: stage.now.world)
      try stage.world.perform(.setFault(fault), at: stage.now)
      publish(&stage, channel, 1)
      stage.advance(by: wait)
      publish(&stage, channel, 2)
      var auditor = Auditor()
      for event in stage.events() { auditor.read(event) }
      #expect(auditor.findings.map(\.kind) == (wait < .seconds(1) ? [.hastyRetry] : []))
    }
  }

  @Test("A new activity gets the stored broadcast with store.newSubscribers=latest, when its phone is online")
  func newSubscriber() throws {
    for isLatest in [false, true] {
      var store = PushStore.Plan()
      store.givesNewSubscribersTheLatest = isLatest
      var (stage, channel) = try stage(phones: 1, store: store)
      publish(&stage, channel, 7)
      finish(&stage)
      try stage.order(.goOffline, on: 2)
      _ = stage.events()
      for device: UInt32 in [1, 2, 2] { try subscribe(&stage, channel, on: device) }
      #expect(score(stage, 1) == (isLatest ? 7 : nil))
      let expected = ["2 d1 \(DeliveryStatus.deliveredFromStorage.words)", "2 d2 \(Fate.stored(.offline).words)"]
      #expect(arrivals(stage.events()) == (isLatest ? expected : []))
      try stage.order(.goOnline, on: 2)
      #expect(arrivals(stage.events()).count == (isLatest ? 2 : 0), "once for each of the two activities")
      #expect(score(stage, 2) == (isLatest ? 7 : nil))
      stage.now = Now(world: stage.now.world.advanced(by: .seconds(3600)), wall: stage.now.wall)
      try subscribe(&stage, channel, on: 3)
      #expect(arrivals(stage.events()).isEmpty, "what is stored has expired")
    }
  }

  @Test("A missed broadcast is settled when the phone returns, also for an activity that has ended by then")
  func missed() throws {
    var (stage, channel) = try stage()
    try stage.order(.goOffline, on: 2)
    publish(&stage, channel, 7)
    finish(&stage)
    let ended = try #require(stage.app(2).activities.first).id
    try stage.order(.endActivity(ended, app: Stage.app), on: 2)
    _ = stage.events()
    try stage.order(.goOnline, on: 2)
    let fates = stage.events().compactMap { event -> DropCause? in
      if case .broadcastReached(_, _, let fate, _) = event { fate.cause } else { nil }
    }
    #expect(fates == [.activityNotActive])
  }
}
