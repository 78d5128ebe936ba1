import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Work that is counted, not timed: twice as much to do is twice the work.
@Suite("The work for faults and channels")
struct WorkTests {
  private func idle(_ name: String, until: Instant? = nil) -> Fault {
    var fault = Fault(name, .connection(.close))
    fault.condition.trigger = .idle(.seconds(60))
    fault.until = until
    return fault
  }

  private func silences(connections: UInt64) throws -> Int {
    var stage = Stage()
    for number in 0..<10 { try stage.world.perform(.setFault(idle("f\(number)")), at: stage.now) }
    for number in 0..<connections {
      stage.world.connectionOpened(ProviderConnectionID(100 + number), to: .sandbox, peer: "p", at: stage.now)
      stage.advance(by: .milliseconds(10))
    }
    stage.advance(by: .seconds(120))
    let struck = stage.events().count { if case .connectionStruck = $0 { true } else { false } }
    // The two of the stage were silent, too.
    #expect(struck == 10 * (Int(connections) + 2))
    return stage.world.faults.idleChecks
  }

  @Test("the work for faults after silence grows with the number of connections, not with its square")
  func connections() throws {
    let (some, more) = (try silences(connections: 200), try silences(connections: 400))
    #expect(some >= 2_000 && more < 3 * some, "\(some) and \(more) silences were looked at")
  }

  @Test("a push checks only its own connection while a fault waits for silence")
  func pushes() throws {
    var stage = Stage()
    // Its time is over before any silence is long enough.
    try stage.world.perform(
      .setFault(idle("f", until: stage.now.world.advanced(by: .seconds(30)))), at: stage.now)
    for number: UInt64 in 0..<50 {
      stage.world.connectionOpened(ProviderConnectionID(100 + number), to: .sandbox, peer: "p", at: stage.now)
    }
    let before = stage.world.faults.idleChecks
    let token = try stage.token()
    for _ in 0..<100 { _ = try stage.push(token) }
    #expect(stage.world.faults.idleChecks == before)
  }

  @Test("a connection that falls silent again and again is affected each time, once")
  func spells() throws {
    var stage = Stage()
    var fault = Fault("f", .connection(.readsSlowly(bytesPerSecond: 100)))
    fault.condition.trigger = .idle(.seconds(60))
    fault.condition.filter.connection = Stage.sandbox.number
    try stage.world.perform(.setFault(fault), at: stage.now)
    let token = try stage.token()
    for _ in 0..<3 {
      stage.advance(by: .seconds(200))
      _ = try stage.push(token)
      stage.advance(by: .seconds(59))
      _ = try stage.push(token)
    }
    #expect(stage.world.faults["f"]?.struck == 3)
  }

  @Test("a fault after silence strikes no connection once its time is over, even if it is set only then")
  func over() throws {
    var stage = Stage()
    try stage.world.perform(.setFault(idle("long")), at: stage.now)
    stage.advance(by: .seconds(50))
    var late = idle("late", until: stage.now.world.advanced(by: .seconds(-20)))
    late.condition.trigger = .idle(.seconds(10))
    try stage.world.perform(.setFault(late), at: stage.now)
    stage.advance(by: .seconds(5))
    #expect(stage.world.faults["late"]?.struck == 0 && stage.world.problems(at: stage.now.world) == [])
  }

  @Test("silences of closed connections are not kept")
  func gone() throws {
    var stage = Stage()
    try stage.world.perform(.setFault(idle("f")), at: stage.now)
    for number: UInt64 in 0..<5_000 {
      stage.world.connectionOpened(ProviderConnectionID(100 + number), to: .sandbox, peer: "p", at: stage.now)
      stage.world.connectionClosed(ProviderConnectionID(100 + number), at: stage.now)
      _ = stage.events()
    }
    #expect(stage.world.deviceState.schedule.count <= 200)
  }

  private func returns(_ phones: UInt32) -> Int {
    var subscriptions = Subscriptions()
    let channel = Subscriptions.ChannelKey(home: ChannelOwner(.sandbox, Stage.app), id: "c")
    let push = ArrivingPush(
      number: 1, request: HTTPRequest("POST", "/", body: []), priority: .immediate, type: .liveactivity)
    let until = Stage.began.advanced(by: .seconds(60))
    subscriptions.keep(.init(push: push, until: until), of: channel, at: Stage.began)
    for device in 0..<phones {
      subscriptions.add(.init(device: DeviceID(device), app: 0, activity: 1), to: channel)
      let entries = subscriptions.page(channel, from: UInt64(device), before: .max, most: 1)
      subscriptions.miss(.init(channel: channel, push: 1, until: until, entries: entries), on: DeviceID(device))
    }
    for device in 0..<phones {
      let missed = subscriptions.takeMissed(on: DeviceID(device), at: Stage.began)
      #expect(missed.flatMap(\.missed.subscribers).map(\.device) == [DeviceID(device)])
    }
    return subscriptions.looks
  }

  @Test("the work for channels grows with the number of phones that return, not with its square")
  func phones() {
    let (some, more) = (returns(1_000), returns(2_000))
    #expect(some >= 1_000 && more < 3 * some, "\(some) and \(more) subscribers were looked at")
  }
}
