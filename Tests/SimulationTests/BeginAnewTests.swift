import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("A world that starts over")
struct BeginAnewTests {
  /// A world in which a token has changed, a phone is offline, a fault is set, and three days have passed.
  private func changed() throws -> Stage {
    var stage = Stage(devices: 10)
    _ = try stage.push(stage.token())
    try stage.order(.rotate(.device, app: Stage.app, attributesType: nil, activity: nil))
    try stage.order(.goOffline, on: 1)
    try stage.order(.startActivity(app: Stage.app, attributesType: "MatchAttributes"), on: 2)
    try stage.world.perform(
      .setFault(Fault("f", .push(.delay(.between(.seconds(60) ... .seconds(60)))))), at: stage.now)
    stage.advance(by: .seconds(3 * 86_400))
    _ = stage.events()
    return stage
  }

  private func wires(_ events: [WorldEvent]) -> [(ProviderConnectionID, WireCommand)] {
    events.compactMap { if case .wire(let connection, let order) = $0 { (connection, order) } else { nil } }
  }

  @Test("a world that starts over has its first phones, tokens and time, and no faults")
  func phones() throws {
    let fresh = Stage(devices: 10)
    var stage = try changed()
    #expect(try stage.token() != fresh.token())
    stage.now = fresh.now
    try stage.world.perform(.beginAnew, at: stage.now)
    #expect(stage.world.faults.active.isEmpty)
    for device in 0..<UInt32(10) {
      #expect(try stage.token(on: device) == fresh.token(on: device))
      let (before, now) = (try fresh.view(device), try stage.view(device))
      #expect(now.apps.map(\.activities.count) == before.apps.map(\.activities.count))
      #expect(now.isOnline == before.isOnline)
    }
  }

  @Test("a world that starts over ends every connection with GOAWAY, and still answers the requests on them")
  func connections() throws {
    var stage = try changed()
    let before = stage.world.openConnections.map(\.id)
    try stage.world.perform(.beginAnew, at: stage.now)
    let orders = wires(stage.events())
    #expect(orders.map(\.0) == before)
    for (_, order) in orders {
      guard case .goAway(nil, code: 0, _, closes: true) = order else {
        Issue.record("\(order)")
        continue
      }
    }
    let record = try stage.push(stage.token())
    #expect(record.status == 200 && record.sequence == 2, "numbers of pushes continue")
  }

  @Test("a world that starts over sends the answers that a fault delays before it ends their connections")
  func delayed() throws {
    var stage = try changed()
    let record = try stage.push(stage.token())
    #expect(record.isAnsweredApart)
    _ = stage.events()
    try stage.world.perform(.beginAnew, at: stage.now)
    let events = stage.events()
    #expect(events.contains(.answerSent(push: record.sequence, .answer(status: 200), at: stage.now.world)))
    let mine = wires(events).filter { $0.0 == Stage.sandbox }.map(\.1)
    guard mine.count == 2, case .respond(record.stream.number, let response) = mine[0], case .goAway = mine[1] else {
      Issue.record("\(mine)")
      return
    }
    #expect(response.status == 200)
    stage.advance(by: .seconds(120))
    #expect(wires(stage.events()).isEmpty, "nothing of the old world is sent later")
  }

  @Test("a world that starts over leaves no answer pending in the counts that continue, whatever delayed it")
  func pending() throws {
    var stage = Stage(devices: 10)
    try stage.world.perform(
      .setFault(Fault("f", .push(.delay(.between(.seconds(60) ... .seconds(60)))))), at: stage.now)
    let delayed = try stage.push(stage.token())
    #expect(delayed.isAnsweredApart)
    try stage.world.perform(.deleteFault("f"), at: stage.now)
    let numbers = try (0..<3).map { _ in try stage.push(stage.token()).stream.number }
    var clock = WorldClock()
    clock.stand(at: Stage.began)
    var simulator = Simulator(world: stage.world, clock: clock, pushLogCapacity: 10)
    _ = simulator.settle()
    let waits = [AnswerProgress.waits(.frozen), .waits(.window), .waits(.frozen)]
    simulator.answersWent(Array(zip(numbers, waits)), on: Stage.sandbox, at: stage.now)
    simulator.answersWent([(numbers[2], .never(.clientReset))], on: Stage.sandbox, at: stage.now)
    _ = simulator.settle()
    func sent(_ simulator: Simulator) -> [SentAnswer: UInt64] {
      Dictionary(uniqueKeysWithValues: simulator.readers.logs.metrics.sent(.sandbox).map { ($0.sent, $0.count) })
    }
    #expect(sent(simulator)[.pending(.delay)] == 1 && sent(simulator)[.pending(.frozen)] == 1)
    #expect(sent(simulator)[.pending(.window)] == 1)
    _ = try simulator.beginAnew(wall: Stage.began)
    let counts: [SentAnswer: UInt64] = [.answer(status: 200): 3, .nothing(.clientReset): 1]
    #expect(sent(simulator) == counts)
    // What the wire reports afterwards is not counted again.
    simulator.answersWent(
      [(numbers[0], .left), (numbers[1], .never(.connectionEnded))], on: Stage.sandbox, at: stage.now)
    _ = simulator.settle()
    #expect(sent(simulator) == counts)
  }

  @Test("a tape of a world that starts over is replayed with the same events")
  func tape() throws {
    var stage = Stage(devices: 10)
    let before = stage.record()
    _ = try stage.push(stage.token())
    stage.advance(by: .seconds(86_400))
    _ = stage.events()
    stage.now = Now(Stage.began)
    try stage.world.perform(.beginAnew, at: stage.now)
    _ = stage.events()
    _ = try stage.push(stage.token())
    _ = stage.events()
    let reel = try Reel(stage.batches)
    let (player, difference) = reel.play(in: before)
    #expect(difference == nil && player.tally.pushes == 2 && player.tally.orders == 1)
  }
}
