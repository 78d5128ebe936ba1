import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("A fault with a lasting effect on a connection")
struct LastingFaultTests {
  private static let lasting: [(fault: ConnectionFault, order: WireCommand?, revert: WireCommand?)] = [
    (.freeze(answersPings: true), .freeze(answersPings: true), .thaw),
    (.readsSlowly(bytesPerSecond: 5), .readSlowly(bytesPerSecond: 5), .readSlowly(bytesPerSecond: nil)),
    (
      .streams(1, open: .refuse, excessStreams: nil, back: nil, after: .zero),
      .streams(1, open: .refuse, excessStreams: nil), .restoreStreamLimit
    ),
    (
      .streams(1, open: .refuse, excessStreams: nil, back: 9, after: .seconds(3600)),
      .streams(1, open: .refuse, excessStreams: nil), .restoreStreamLimit
    ),
    (
      .window(16, withheld: false, back: nil, after: .zero), .window(16, withheld: false),
      .window(65_535, withheld: false)
    ),
    (
      .window(16, withheld: false, back: 99, after: .seconds(3600)), .window(16, withheld: false),
      .window(65_535, withheld: false)
    ),
    (.window(65_535, withheld: false, back: nil, after: .zero), .window(65_535, withheld: false), nil),
    (.rejectAll(.internalServerError), nil, nil), (.skew(.seconds(1)), nil, nil),
  ]

  private func orders(_ stage: inout Stage) -> [WireCommand] {
    stage.events().compactMap { if case .wire(_, let order) = $0 { order } else { nil } }
  }

  /// Everything that is kept because of faults for connections.
  private func kept(_ world: World) -> Int {
    let checks = world.faults.active.map(\.checks.count).reduce(0, +)
    return world.connections.states.reduce(checks) { sum, caller in
      let faults = caller.faults
      return sum + faults.lasting.count + faults.delayed.list.count + (faults.idle?.struck.count ?? 0)
        + (caller.lastStream < .max ? 1 : 0)
    }
  }

  private func areChanged(_ world: World) -> Bool {
    world.holdsAnswers || world.connections.states.contains { !$0.isFaultFree }
  }

  private func clockOffset(_ world: World) -> Duration? {
    world.connections[Stage.sandbox]?.faults.conditions.clockOffset
  }

  @Test(
    "a lasting fault stores as much after 100,000 pushes as after two, and sends its command and its reversal once",
    arguments: lasting.indices)
  func flat(_ index: Int) throws {
    let (consequence, order, revert) = Self.lasting[index]
    var stage = Stage(devices: 10)
    let fault = Fault("f", .connection(consequence))
    try stage.world.perform(.setFault(fault), at: stage.now)
    let token = try stage.token()
    for _ in 0..<2 { _ = try stage.push(token) }
    var sent = orders(&stage)
    let (few, planned) = (kept(stage.world), stage.world.deviceState.schedule.count)
    for _ in 0..<100 {
      _ = try stage.push(token)
      sent += orders(&stage)
    }
    for number: Int32 in 0..<100_000 {
      _ = stage.world.strike(
        Stage.sandbox, with: consequence, of: fault, stream: 2 * number + 1001, at: stage.now.world)
    }
    sent += orders(&stage)
    #expect(stage.world.deviceState.schedule.count - planned <= 100, "what the phone does")
    #expect(sent == (order.map { [$0] } ?? []))
    #expect(kept(stage.world) == few && few < 10)
    try stage.world.perform(.deleteFault("f"), at: stage.now)
    #expect(orders(&stage) == (revert.map { [$0] } ?? []))
    stage.advance(by: .seconds(7200))
    #expect(orders(&stage) == [], "what would have ended it is dropped with it")
    #expect(!areChanged(stage.world))
  }

  @Test("a lasting fault leaves nothing behind when its connection closes", arguments: lasting.indices)
  func closed(_ index: Int) throws {
    var stage = Stage(devices: 10)
    try stage.world.perform(.setFault(Fault("f", .connection(Self.lasting[index].fault))), at: stage.now)
    var rare = Fault("rare", .connection(.abort))
    rare.condition.trigger = .opening
    rare.odds = Odds(1, in: 1000)
    try stage.world.perform(.setFault(rare), at: stage.now)
    var idle = Fault("idle", .connection(.freeze(answersPings: false)))
    idle.condition.trigger = .idle(.seconds(1))
    idle.odds = Odds(1, in: 2)
    try stage.world.perform(.setFault(idle), at: stage.now)
    let token = try stage.token()
    stage.advance(by: .seconds(2))
    let before = kept(stage.world)
    for number: UInt64 in 0..<300 {
      let connection = ProviderConnectionID(100 + number)
      stage.world.connectionOpened(connection, to: .sandbox, peer: "p", at: stage.now)
      _ = try stage.push(token, on: connection)
      stage.advance(by: .seconds(2))
      stage.world.connectionClosed(connection, at: stage.now)
      _ = stage.events()
    }
    // What is obsolete among idle times is dropped when it is the larger part.
    #expect(kept(stage.world) - before < 200)
    #expect(stage.world.faults.active.map(\.checks.count).reduce(0, +) <= 4, "of the two that are open")
  }

  @Test("ends at the end of time if its end is later than that")
  func endOfTime() throws {
    var stage = Stage(at: WorldClock.end.advanced(by: .seconds(-3600)))
    for fault in [
      Fault("back", .connection(.window(16, withheld: false, back: 99, after: .seconds(7200)))),
      Fault("late", .push(.delay(.between(.seconds(7200)...(.seconds(7200)))))),
    ] {
      try stage.world.perform(.setFault(fault), at: stage.now)
      _ = try? stage.push(stage.token())
      #expect(stage.world.problems(at: stage.now.world) == [])
      try stage.world.perform(.deleteFault(fault.name), at: stage.now)
    }
  }

  @Test("ends at its time, and can strike again after that")
  func timed() throws {
    var stage = Stage(devices: 10)
    let narrow = ConnectionFault.streams(1, open: .refuse, excessStreams: nil, back: 9, after: .seconds(10))
    try stage.world.perform(.setFault(Fault("f", .connection(narrow))), at: stage.now)
    let (there, back) = (
      WireCommand.streams(1, open: .refuse, excessStreams: nil),
      WireCommand.streams(9, open: .finish, excessStreams: nil)
    )
    let token = try stage.token()
    for _ in 0..<2 {
      _ = try stage.push(token)
      #expect(orders(&stage) == [there])
      stage.advance(by: .seconds(6))
      _ = try stage.push(token)
      #expect(orders(&stage) == [], "it lasts since the first push")
      stage.advance(by: .seconds(4))
      #expect(orders(&stage) == [back])
    }
  }

  @Test(
    "ends with the fault after its time, too, unless what came back is what a connection has without faults",
    arguments: [
      (
        ConnectionFault.streams(1, open: .refuse, excessStreams: nil, back: 3, after: .seconds(10)),
        WireCommand.streams(3, open: .finish, excessStreams: nil), WireCommand?.some(.restoreStreamLimit)
      ),
      (
        .window(16, withheld: true, back: 10, after: .seconds(10)), .window(10, withheld: false),
        .window(65_535, withheld: false)
      ),
      (
        .window(16, withheld: true, back: 65_535, after: .seconds(10)), .window(65_535, withheld: false), nil
      ),
    ])
  func cured(_ narrow: ConnectionFault, _ back: WireCommand, _ revert: WireCommand?) throws {
    var stage = Stage(devices: 10)
    var fault = Fault("f", .connection(narrow))
    fault.limit = 1
    try stage.world.perform(.setFault(fault), at: stage.now)
    _ = try stage.push(stage.token())
    stage.advance(by: .seconds(10))
    #expect(orders(&stage).last == back)
    try stage.world.perform(.deleteFault("f"), at: stage.now)
    #expect(orders(&stage) == (revert.map { [$0] } ?? []))
    #expect(!areChanged(stage.world))
  }

  @Test("the effect of an expired fault yields to that of another fault, and returns when the other is deleted")
  func backUnderAnother() throws {
    var stage = Stage(devices: 10)
    func command(_ bytes: Int) -> WireCommand { .window(bytes, withheld: false) }
    for (name, bytes, back) in [("one", 100, 50), ("two", 200, nil)] as [(String, Int, Int?)] {
      var fault = Fault(name, .connection(.window(bytes, withheld: false, back: back, after: .seconds(10))))
      fault.limit = 1
      try stage.world.perform(.setFault(fault), at: stage.now)
      _ = try stage.push(stage.token())
      stage.advance(by: .seconds(10))
    }
    #expect(orders(&stage) == [command(100), command(50), command(200)])
    try stage.world.perform(.deleteFault("two"), at: stage.now)
    #expect(orders(&stage) == [command(50)])
    try stage.world.perform(.deleteFault("one"), at: stage.now)
    #expect(orders(&stage) == [command(65_535)])
  }

  @Test("the effect of a fault yields to that of another fault, and returns when the other is deleted or ends")
  func others() throws {
    func window(_ name: String, _ bytes: Int, device: UInt32, back: Int? = nil) -> Fault {
      var fault = Fault(
        name, .connection(.window(bytes, withheld: false, back: back, after: .seconds(10))))
      fault.condition.filter.devices = [DeviceID(device)]
      return fault
    }
    func command(_ bytes: Int) -> WireCommand { .window(bytes, withheld: false) }
    var stage = Stage(devices: 10)
    for fault in [
      window("one", 100, device: 1), window("two", 200, device: 2), window("timed", 300, device: 3, back: 999),
    ] {
      try stage.world.perform(.setFault(fault), at: stage.now)
    }
    for (device, sent) in [(1, [command(100)]), (1, []), (2, [command(200)]), (1, [command(100)]), (1, [])] {
      _ = try stage.push(stage.token(on: UInt32(device)))
      #expect(orders(&stage) == sent)
    }
    _ = try stage.push(stage.token(on: 3))
    stage.advance(by: .seconds(10))
    #expect(orders(&stage) == [command(300), command(100)])
    try stage.world.perform(.deleteFault("two"), at: stage.now)
    #expect(orders(&stage) == [])
    _ = try stage.push(stage.token(on: 3))
    try stage.world.perform(.deleteFault("one"), at: stage.now)
    #expect(orders(&stage) == [command(300)])
    try stage.world.perform(.deleteAllFaults, at: stage.now)
    #expect(orders(&stage) == [command(65_535)])
  }

  @Test("shifts the clock by what another fault says once it is deleted itself")
  func skews() throws {
    var stage = Stage(devices: 10)
    for (name, seconds) in [("one", 1), ("two", 2)] {
      var fault = Fault(name, .connection(.skew(.seconds(seconds))))
      fault.limit = 1
      try stage.world.perform(.setFault(fault), at: stage.now)
      _ = try stage.push(stage.token())
    }
    #expect(clockOffset(stage.world) == .seconds(2))
    try stage.world.perform(.deleteFault("two"), at: stage.now)
    #expect(clockOffset(stage.world) == .seconds(1))
    try stage.world.perform(.deleteFault("one"), at: stage.now)
    #expect(clockOffset(stage.world) == nil)
  }
}
