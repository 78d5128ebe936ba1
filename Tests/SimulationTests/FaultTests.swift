import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@Suite("Faults")
struct FaultTests {
  private func stage(_ fault: Fault, devices: UInt32 = 100, seed: UInt64 = 1) throws -> Stage {
    var stage = Stage(devices: devices, seed: seed)
    try stage.world.perform(.setFault(fault), at: stage.now)
    _ = stage.events()
    return stage
  }

  private func wire(_ stage: inout Stage) -> [WireCommand] {
    stage.events().compactMap { if case .wire(_, let order) = $0 { order } else { nil } }
  }

  @Test("refuse with any reason of the tables, with Retry-After if given")
  func refuse() throws {
    var stage = try stage(Fault("f", .push(.refuse(.tooManyRequests, retryAfter: 7, age: nil))))
    let record = try stage.push(stage.token())
    #expect(record.status == 429 && record.reason == .tooManyRequests && record.fault == "f")
    let orders = wire(&stage)
    guard case .respond(_, let response)? = orders.first, orders.count == 1 else {
      Issue.record("\(orders)")
      return
    }
    #expect(response.status == 429 && response.fields["retry-after"] == "7")
  }

  @Test("a 410 has the given age")
  func age() throws {
    var stage = try stage(Fault("f", .push(.refuse(.unregistered, retryAfter: nil, age: .seconds(3600)))))
    let record = try stage.push(stage.token())
    #expect(record.answer.rejection?.since == Stage.began.advanced(by: .seconds(-3600)))
    #expect(wire(&stage).isEmpty)
  }

  @Test("an answer is late, and the push delivered at once")
  func delay() throws {
    var stage = try stage(Fault("f", .push(.delay(.between(.seconds(2) ... .seconds(2))))))
    let record = try stage.push(stage.token())
    #expect(record.status == 200 && record.isAnsweredApart && record.fate.reaction != nil)
    #expect(wire(&stage).isEmpty)
    stage.advance(by: .milliseconds(1999))
    #expect(wire(&stage).isEmpty)
    stage.advance(by: .milliseconds(1))
    guard case .respond(_, let response)? = wire(&stage).first else {
      Issue.record("no answer after two seconds")
      return
    }
    #expect(response.status == 200)
  }

  @Test("an answer is late by a lognormal: half below the median, one in a hundred above the 99th percentile")
  func lognormal() throws {
    let delay = AnswerDelay.lognormal(median: .milliseconds(100), p99: .seconds(1))
    var stage = try stage(Fault("f", .push(.delay(delay))), devices: 2000)
    for device in 0..<2000 as Range<UInt32> { _ = try stage.push(stage.token(on: device)) }
    _ = stage.events()
    stage.advance(by: .milliseconds(100))
    let half = wire(&stage).count
    stage.advance(by: .milliseconds(900))
    let most = half + wire(&stage).count
    #expect((900...1100).contains(half) && (1965...1995).contains(most), "\(half) \(most)")
  }

  @Test("lost but answered, delivered but unanswered, or neither")
  func lost() throws {
    for (fault, isDelivered, isAnswered) in [
      (PushFault.lose, false, true), (.loseAnswer(code: nil), true, false), (.silence, false, false),
    ] {
      var stage = try stage(Fault("f", .push(fault)))
      let record = try stage.push(stage.token())
      #expect(record.status == 200 && record.isAnsweredApart == !isAnswered, "\(fault)")
      #expect((record.fate.reaction != nil) == isDelivered, "\(fault)")
      #expect(stage.screen().notifications.count == (isDelivered ? 1 : 0), "\(fault)")
    }
  }

  @Test("match by every condition, count, and stop at their limit")
  func conditions() throws {
    var fault = Fault("f", .push(.lose))
    fault.condition.filter.environment = .sandbox
    fault.condition.filter.app = Stage.app
    fault.condition.skip = 2
    fault.condition.every = 3
    fault.limit = 2
    var stage = try stage(fault)
    let struck = try (0..<20 as Range<UInt32>).filter { try stage.push(stage.token(on: $0)).fault != nil }
    #expect(struck == [2, 5])
    let other = try stage.push(
      stage.token(app: 1), topic: Stage.store, on: Stage.production)
    #expect(other.fault == nil)
  }

  @Test("match the same pushes by odds, in any order and on any number of connections")
  func orderFree() throws {
    var fault = Fault("f", .push(.lose))
    fault.odds = Odds(3, in: 10)
    var forward = try stage(fault)
    var backward = try stage(fault)
    let devices = 0..<100 as Range<UInt32>
    let one = try devices.filter { try forward.push(forward.token(on: $0)).fault != nil }
    let other = try devices.reversed().filter { try backward.push(backward.token(on: $0)).fault != nil }
    #expect(one == other.reversed() && (18...42).contains(one.count), "\(one.count)")
    var another = try stage(fault, seed: 2)
    #expect(try devices.filter { try another.push(another.token(on: $0)).fault != nil } != one)
  }

  @Test("on a connection: GOAWAY below the push loses it, the sticky answer stays, a reset sends no answer")
  func connection() throws {
    var goAway = FaultGoAway()
    goAway.before = 1
    goAway.sequel = .staying
    var stage = try stage(Fault("f", .connection(.goAway(goAway))))
    let record = try stage.push(stage.token())
    #expect(record.isAnsweredApart && record.fate == .discarded(.byFault))
    guard case .goAway(let last?, _, _, let closes)? = wire(&stage).first else {
      Issue.record("no GOAWAY")
      return
    }
    #expect(last == max(0, record.stream.number - 2) && !closes)
    stage = try self.stage(Fault("f", .connection(.rejectAll(.internalServerError))))
    for _ in 0..<3 { #expect(try stage.push(stage.token()).status == 500) }
    try stage.world.perform(.deleteAllFaults, at: stage.now)
    #expect(try stage.push(stage.token()).status == 200)
    stage = try self.stage(Fault("f", .push(.reset(code: 7))))
    _ = try stage.push(stage.token())
    #expect(wire(&stage).map(\.name) == ["reset"])
  }

  @Test("on devices: a wave comes, affects a share, and is removed when it is over")
  func devices() throws {
    var fault = Fault("wave", .devices(.goOffline, heal: .goOnline))
    fault.condition.filter.share = Odds(1, in: 2)
    fault.from = Stage.began.advanced(by: .seconds(10))
    fault.until = Stage.began.advanced(by: .seconds(60))
    var stage = try stage(fault)
    func offline() -> Int { (0..<100).count { !stage.world.fleet.isOnline(DeviceID(UInt32($0))) } }
    #expect(offline() == 0)
    stage.advance(by: .seconds(10))
    #expect((30...70).contains(offline()))
    stage.advance(by: .seconds(50))
    #expect(offline() == 0)
  }

  @Test("with the same name replace one another, and one that is not set cannot be removed")
  func names() throws {
    var stage = try stage(Fault("f", .push(.lose)))
    try stage.world.perform(.setFault(Fault("f", .push(.withoutID))), at: stage.now)
    #expect(stage.world.faults.active.count == 1)
    #expect(throws: CommandProblem.self) { try stage.world.perform(.deleteFault("g"), at: stage.now) }
    try stage.world.perform(.deleteFault("f"), at: stage.now)
    #expect(try stage.push(stage.token()).fault == nil)
  }
}
