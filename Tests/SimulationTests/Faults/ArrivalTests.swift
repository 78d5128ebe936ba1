import APNs
import Devices
import Testing
import Timeline
import WireFormats

@testable import Simulation

/// A stage with a fault of arrivals, whose events go to logs.
private struct Desk {
  var stage: Stage
  private var logs = EventLogs(pushLogCapacity: 100)
  private(set) var events: [WorldEvent] = []

  init(
    _ arrival: ArrivalFault, seed: UInt64 = 1, limit: UInt64? = nil, store: PushStore.Plan = PushStore.Plan()
  ) throws {
    stage = Stage(devices: 10, seed: seed, store: store)
    var fault = Fault("f", .push(.arrival(arrival)))
    fault.limit = limit
    try stage.world.perform(.setFault(fault), at: stage.now)
    read()
  }

  mutating func read() {
    let new = stage.events()
    events += new
    logs.read(new)
  }

  /// - Returns: its number.
  mutating func push(on device: UInt32 = 0) throws -> UInt64 {
    let record = try stage.push(stage.token(on: device))
    read()
    #expect(record.status == 200 && !record.isAnsweredApart)
    return record.sequence
  }

  mutating func advance(by duration: Duration) {
    stage.advance(by: duration)
    read()
  }

  func fate(_ push: UInt64) throws -> Fate { try #require(logs.pushLog.push(number: push)).fate }
  func story(_ push: UInt64) throws -> [LogLine] { PushStory(try #require(logs.pushLog.push(number: push))).lines }

  /// Numbers of pushes in the order in which the phones received them, later than APNs accepted them.
  var arrivals: [UInt64] {
    events.compactMap { if case .pushSettled(let number, _, .delivered, _) = $0 { number } else { nil } }
  }

  /// Numbers of pushes in the order in which they reached their final fate, later than APNs accepted them.
  var settled: [UInt64] {
    events.compactMap { event in
      if case .pushSettled(let number, _, let fate, _) = event, fate.isFinal { number } else { nil }
    }
  }

  func notifications(on device: UInt32 = 0) -> Int { stage.screen(device).notifications.count }
}

@Suite("A fault between APNs and the phone")
struct ArrivalTests {
  @Test("a push that is lost on the way is answered 200, and its story names the fault")
  func lost() throws {
    var desk = try Desk(.lose)
    let push = try desk.push()
    #expect(try desk.fate(push) == .discarded(.lost) && desk.notifications() == 0)
    let line = try #require(try desk.story(push).last)
    #expect(line.sentence == "it was lost on the way from APNs to the phone, by the fault f")
    #expect(line.cause == "lost-on-the-way")
  }

  @Test("a push that is late reaches the phone in the range, and its story says when the phone received it")
  func late() throws {
    var desk = try Desk(.delay(.between(.seconds(2) ... .seconds(4))))
    let push = try desk.push()
    guard case .onTheWay(.late, let due) = try desk.fate(push) else {
      Issue.record("another fate")
      return
    }
    #expect((2...4).contains(due.seconds - desk.stage.now.world.seconds))
    desk.advance(by: .milliseconds(1999))
    #expect(desk.notifications() == 0)
    desk.advance(by: .seconds(3))
    #expect(desk.notifications() == 1 && desk.arrivals == [push])
    let story = try desk.story(push)
    #expect(story.contains { $0.event == "sent" && $0.cause == "late-on-the-way" })
    #expect(story.contains { $0.event == "delivered" && $0.at == due })
  }

  @Test("pushes with delays from a range arrive out of order, in the same order with the same seed")
  func outOfOrder() throws {
    func order(_ seed: UInt64) throws -> [UInt64] {
      var desk = try Desk(.delay(.between(.zero ... .seconds(30))), seed: seed)
      for _ in 0..<8 { _ = try desk.push() }
      desk.advance(by: .seconds(31))
      #expect(desk.arrivals.sorted() == Array(1...8))
      return desk.arrivals
    }
    let (first, same, other) = (try order(1), try order(1), try order(2))
    #expect(first != first.sorted() && first == same && first != other)
  }

  @Test("a push is overtaken by the next one for its token, and arrives after a minute if there is none")
  func overtaken() throws {
    var desk = try Desk(.overtake)
    let first = try desk.push()
    let other = try desk.push(on: 1)
    #expect(try desk.fate(first).causes == ["overtaken-on-the-way"])
    let second = try desk.push()
    #expect(desk.arrivals == [first] && desk.notifications() == 2)
    #expect(try desk.fate(second).reaction != nil)
    desk.advance(by: .seconds(59))
    #expect(desk.arrivals == [first])
    desk.advance(by: .seconds(2))
    #expect(desk.arrivals == [first, other])
  }

  @Test("a notification that arrives twice is shown twice, and the fate of the push is that of the first arrival")
  func twice() throws {
    var desk = try Desk(.double)
    let push = try desk.push()
    #expect(try desk.fate(push).outcome == "banner")
    #expect(desk.notifications() == 2)
    let again = desk.events.contains {
      if case .phone(_, _, .pushArrivedAgain(push, .notified), _) = $0 { true } else { false }
    }
    #expect(again)
  }

  @Test("a phone that is offline gets its push from storage, and the fault does not count it")
  func offline() throws {
    for arrival in [ArrivalFault.lose, .double, .overtake, .delay(.between(.seconds(5) ... .seconds(5)))] {
      var desk = try Desk(arrival, limit: 1)
      try desk.stage.order(.goOffline)
      let push = try desk.push()
      #expect(try desk.fate(push) == .stored(.offline), "\(arrival)")
      #expect(desk.stage.world.faults["f"]?.seen == 0, "\(arrival)")
      try desk.stage.order(.goOnline)
      desk.read()
      #expect(desk.notifications() == 1, "\(arrival)")
    }
  }

  @Test("of a late push and newer stored ones, the newest are kept")
  func lateAmongStored() throws {
    var plan = PushStore.Plan()
    plan.perToken = 2
    var stage = Stage(store: plan)
    let token = try stage.token()
    let late = Fault("f", .push(.arrival(.delay(.between(.seconds(60) ... .seconds(60))))))
    try stage.world.perform(.setFault(late), at: stage.now)
    let first = try stage.push(token)
    try stage.world.perform(.deleteFault("f"), at: stage.now)
    try stage.order(.goOffline)
    let second = try stage.push(token)
    stage.advance(by: .seconds(61))
    let third = try stage.push(token)
    #expect(stage.fate(of: first) == .discarded(.superseded))
    #expect([second, third].map { stage.fate(of: $0) } == [.stored(.offline), .stored(.offline)])
  }

  @Test("a push on its way to a phone that goes offline is stored, and delivered when the phone is back")
  func caughtOffline() throws {
    var desk = try Desk(.delay(.between(.seconds(5) ... .seconds(5))))
    let push = try desk.push()
    try desk.stage.order(.goOffline)
    desk.advance(by: .seconds(6))
    #expect(try desk.fate(push) == .stored(.offline))
    try desk.stage.order(.goOnline)
    desk.read()
    #expect(desk.notifications() == 1)
    guard case .deliveredFromStorage = try desk.fate(push) else {
      Issue.record("another fate")
      return
    }
  }

  @Test("a push that comes late to a phone that is offline does not replace a newer one in storage")
  func lateToStorage() throws {
    var desk = try Desk(.delay(.between(.seconds(5) ... .seconds(5))))
    let late = try desk.push()
    try desk.stage.order(.goOffline)
    let newer = try desk.push()
    desk.advance(by: .seconds(6))
    #expect(try desk.fate(late) == .discarded(.superseded) && desk.fate(newer) == .stored(.offline))
  }

  @Test("a push that comes from storage releases the one that it has overtaken, and one that is stored does not")
  func overtakenFromStorage() throws {
    var desk = try Desk(.overtake, limit: 1)
    let first = try desk.push()
    try desk.stage.order(.goOffline)
    let second = try desk.push()
    #expect(try desk.fate(second) == .stored(.offline) && desk.fate(first).causes == ["overtaken-on-the-way"])
    try desk.stage.order(.goOnline)
    desk.read()
    #expect(desk.settled == [second, first] && desk.notifications() == 2)
  }

  @Test("a push that is acknowledged at once releases the one that it has overtaken")
  func overtakenAtOnce() throws {
    var plan = PushStore.Plan()
    plan.acknowledgement = .zero ... .nanoseconds(1)
    var found = false
    for seed: UInt64 in 1...20 {
      var desk = try Desk(.overtake, seed: seed, limit: 1, store: plan)
      let first = try desk.push()
      let second = try desk.push()
      guard try desk.fate(second).reaction != nil else { continue }
      found = true
      #expect(desk.arrivals == [first], "seed \(seed)")
    }
    #expect(found)
  }

  @Test("pushes beyond the bytes for what is on its way arrive at once, and find room again when others have arrived")
  func full() throws {
    var plan = PushStore.Plan()
    plan.mostBytesUnderway = 4_000
    for arrival in [ArrivalFault.overtake, .delay(.between(.seconds(5) ... .seconds(5)))] {
      var desk = try Desk(arrival, store: plan)
      let isLate = try (0..<10 as Range<UInt32>).map { device in
        let push = try desk.push(on: device)
        return try desk.fate(push).reaction == nil
      }
      let late = isLate.count { $0 }
      #expect((2...7).contains(late) && isLate.prefix(late).allSatisfy { $0 }, "\(arrival): \(isLate)")
      desk.advance(by: .seconds(70))
      #expect(desk.arrivals.count == late && (0..<10).allSatisfy { desk.notifications(on: $0) == 1 }, "\(arrival)")
      let again = try desk.push()
      #expect(try desk.fate(again).reaction == nil, "\(arrival)")
    }
  }

  @Test("copies of one broadcast on their way take its bytes once, and the copies beyond them arrive at once")
  func fullOfBroadcasts() throws {
    let waves = BroadcastWaveTests()
    var plan = PushStore.Plan()
    plan.mostBytesUnderway = 4_000
    var (stage, channel) = try waves.stage(store: plan)
    try stage.world.perform(
      .setFault(Fault("f", .push(.arrival(.delay(.between(.seconds(5) ... .seconds(5))))))), at: stage.now)
    for score in 1...2 {
      waves.publish(&stage, channel, score)
      waves.finish(&stage)
      // Each takes 512 bytes, and the request some hundred once.
      #expect(waves.reached(stage, score).count == 10 - (4_000 - 512) / 512, "\(score)")
      stage.advance(by: .seconds(6))
      #expect(waves.reached(stage, score).count == 10, "\(score)")
    }
  }

  @Test("a push for an app that is deleted while the push is on its way meets a dead token")
  func deleted() throws {
    var desk = try Desk(.delay(.between(.seconds(5) ... .seconds(5))))
    let push = try desk.push()
    try desk.stage.order(.uninstall(app: nil))
    desk.advance(by: .seconds(6))
    #expect(try desk.fate(push) == .discarded(.appAbsent))
  }

  @Test(
    "an update that arrives twice is applied once, because its timestamp is not newer, and a start begins two cards")
  func twiceToLiveActivities() throws {
    var stage = Stage()
    try stage.world.perform(.setFault(Fault("f", .push(.arrival(.double)))), at: stage.now)
    #expect(try stage.pushActivity("start").fate.outcome == "started")
    #expect(stage.screen().cards.count == 2)
    _ = stage.events()
    let update = try stage.pushActivity("update")
    #expect(update.fate.outcome == "updated")
    let again = stage.events().compactMap { event -> ReactionKind? in
      if case .phone(_, _, .pushArrivedAgain(_, let reaction), _) = event { reaction } else { nil }
    }
    #expect(again.map(\.causes) == [["stale-timestamp"]])
  }

  @Test("an update of priority 5 that APNs stores to save power is not doubled, because it is not on its way")
  func storedForPower() throws {
    var stage = Stage()
    try stage.launch()
    try stage.world.perform(.setFault(Fault("f", .push(.arrival(.double)))), at: stage.now)
    let record = try stage.update(1, priority: 5)
    stage.advance(by: .seconds(3600))
    #expect(stage.fate(of: record).outcome == "updated" && stage.score() == 1)
    let copies = stage.events().compactMap { event -> String? in
      if case .phone(_, _, .pushArrivedAgain(record.sequence, let reaction), _) = event {
        reaction.outcome
      } else {
        nil
      }
    }
    #expect(copies == [])
  }

  @Test("a background push that APNs stores to save power is not replaced by its own copy")
  func storedBackgroundPush() throws {
    var stage = Stage()
    try stage.world.perform(.setFault(Fault("f", .push(.arrival(.double)))), at: stage.now)
    try stage.flip(.lowPower, true)
    let silent = #"{"aps":{"content-available":1}}"#
    let headers = ["apns-priority": "5", "apns-push-type": "background"]
    let record = try stage.send(try stage.token(), silent, headers)
    let isStored = if case .stored(.power) = stage.fate(of: record) { true } else { false }
    #expect(isStored, "\(stage.fate(of: record))")
    #expect(stage.world.problems(at: stage.now.world) == [])
  }

  @Test("copies of a broadcast are lost, late or doubled phone by phone, and the others arrive")
  func broadcasts() throws {
    let waves = BroadcastWaveTests()
    var (stage, channel) = try waves.stage()
    var fault = Fault("f", .push(.arrival(.lose)))
    fault.condition.filter.devices = [DeviceID(2), DeviceID(5)]
    try stage.world.perform(.setFault(fault), at: stage.now)
    waves.publish(&stage, channel, 1)
    stage.advance(by: .seconds(1))
    #expect(waves.reached(stage, 1) == [0, 1, 3, 4, 6, 7, 8, 9])
    let lost = stage.events().compactMap { event -> DeviceID? in
      if case .broadcastReached(_, let device, .discarded(.lost), _) = event { device } else { nil }
    }
    #expect(lost == [DeviceID(2), DeviceID(5)])

    fault = Fault("f", .push(.arrival(.delay(.between(.seconds(5) ... .seconds(5))))))
    fault.odds = Odds(1, in: 2)
    try stage.world.perform(.setFault(fault), at: stage.now)
    waves.publish(&stage, channel, 2)
    stage.advance(by: .seconds(1))
    let punctual = waves.reached(stage, 2)
    #expect((1...9).contains(punctual.count))
    stage.advance(by: .seconds(5))
    #expect(waves.reached(stage, 2).count == 10)

    try stage.world.perform(.setFault(Fault("f", .push(.arrival(.double)))), at: stage.now)
    _ = stage.events()
    waves.publish(&stage, channel, 3)
    stage.advance(by: .seconds(1))
    #expect(waves.reached(stage, 3).count == 10)
    let copies = stage.events().count { event in
      if case .phone(_, _, .pushArrivedAgain(nil, .dropped(.staleTimestamp)), _) = event { true } else { false }
    }
    #expect(copies == 10)
  }

  @Test("a copy of a broadcast that comes late to a phone that is offline does not replace a newer one in storage")
  func lateBroadcastToStorage() throws {
    let waves = BroadcastWaveTests()
    var (stage, channel) = try waves.stage(phones: 1)
    try stage.world.perform(
      .setFault(Fault("f", .push(.arrival(.delay(.between(.seconds(5) ... .seconds(5))))))), at: stage.now)
    waves.publish(&stage, channel, 1)
    stage.advance(by: .seconds(1))
    try stage.order(.goOffline)
    waves.publish(&stage, channel, 2)
    stage.advance(by: .seconds(6))
    try stage.order(.goOnline)
    #expect(waves.reached(stage, 2) == [0])
    let fates = waves.arrivals(stage.events()).map { $0.split(separator: " ", maxSplits: 2).map(String.init) }
    #expect(fates.filter { $0[0] == fates.first?[0] }.last?[2] == "Discarded - Replaced")
  }

  @Test("a broadcast that the next one overtakes is older than the content on the card")
  func overtakenBroadcast() throws {
    let waves = BroadcastWaveTests()
    var (stage, channel) = try waves.stage(phones: 1)
    try stage.world.perform(.setFault(Fault("f", .push(.arrival(.overtake)))), at: stage.now)
    waves.publish(&stage, channel, 1)
    stage.advance(by: .seconds(1))
    #expect(waves.reached(stage, 1).isEmpty)
    waves.publish(&stage, channel, 2)
    stage.advance(by: .seconds(1))
    #expect(waves.reached(stage, 2) == [0])
    let causes = stage.events().compactMap { event -> [String]? in
      if case .broadcastReached(_, _, let fate, _) = event { fate.causes } else { nil }
    }
    #expect(causes.last == ["stale-timestamp"])
  }

  @Test("a broadcast that arrives twice releases the one that it has overtaken")
  func overtakenByDoubled() throws {
    let waves = BroadcastWaveTests()
    var (stage, channel) = try waves.stage(phones: 1)
    try stage.world.perform(.setFault(Fault("f", .push(.arrival(.overtake)))), at: stage.now)
    waves.publish(&stage, channel, 1)
    stage.advance(by: .seconds(1))
    try stage.world.perform(.setFault(Fault("f", .push(.arrival(.double)))), at: stage.now)
    _ = stage.events()
    waves.publish(&stage, channel, 2)
    stage.advance(by: .seconds(1))
    #expect(waves.reached(stage, 2) == [0])
    #expect(waves.arrivals(stage.events()).count == 2)
  }

  @Test("a broadcast that comes from storage releases the one that it has overtaken, and one that is stored does not")
  func overtakenBroadcastFromStorage() throws {
    let waves = BroadcastWaveTests()
    var (stage, channel) = try waves.stage(phones: 1)
    var fault = Fault("f", .push(.arrival(.overtake)))
    fault.limit = 1
    try stage.world.perform(.setFault(fault), at: stage.now)
    waves.publish(&stage, channel, 1)
    stage.advance(by: .seconds(1))
    try stage.order(.goOffline)
    waves.publish(&stage, channel, 2)
    stage.advance(by: .seconds(1))
    _ = stage.events()
    try stage.order(.goOnline)
    let fates = stage.events().compactMap { event -> Fate? in
      if case .broadcastReached(_, _, let fate, _) = event { fate } else { nil }
    }
    #expect(fates.map(\.words) == ["Delivered to Device (From Storage)", "Delivered to Device"])
    #expect(fates.last?.causes == ["stale-timestamp"] && waves.reached(stage, 2) == [0])
  }
}
