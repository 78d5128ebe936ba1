import APNs
import Devices
import Testing
import Timeline
import WireFormats

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

  @Test("has the phones, tokens and time of its first beginning, and no faults")
  func phones() throws {
    let fresh = Stage(devices: 10)
    var stage = try changed()
    #expect(try stage.token() != fresh.token())
    stage.now = fresh.now
    try stage.world.perform(.beginAnew, at: stage.now)
    #expect(stage.world.faults.armed.isEmpty)
    for device in 0..<UInt32(10) {
      #expect(try stage.token(on: device) == fresh.token(on: device))
      let (before, now) = (try fresh.view(device), try stage.view(device))
      #expect(now.apps.map(\.activities.count) == before.apps.map(\.activities.count))
      #expect(now.isOnline == before.isOnline)
    }
  }

  @Test("ends every connection with GOAWAY, and still answers what these send")
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

  @Test("sends answers that a fault delays before it ends their connections")
  func delayed() throws {
    var stage = try changed()
    let record = try stage.push(stage.token())
    #expect(record.isAnsweredApart)
    _ = stage.events()
    try stage.world.perform(.beginAnew, at: stage.now)
    let mine = wires(stage.events()).filter { $0.0 == Stage.sandbox }.map(\.1)
    guard mine.count == 2, case .respond(record.stream.number, let response) = mine[0], case .goAway = mine[1] else {
      Issue.record("\(mine)")
      return
    }
    #expect(response.status == 200)
    stage.advance(by: .seconds(120))
    #expect(wires(stage.events()).isEmpty, "nothing of the old world is sent later")
  }

  @Test("is played again from a tape")
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
