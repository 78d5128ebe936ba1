import APNs
import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("Sessions")
struct SessionTests {
  @Test("by key, by topic and by devices: each has its own pushes, and the ledger has all")
  func apart() throws {
    var stage = SessionStage()
    try stage.open("key", keys: [1])
    try stage.open("topic", keys: [0], topics: [SessionStage.other])
    try stage.open("devices", keys: [0], topics: [SessionStage.app], devices: [3, 4])
    try stage.push(3, key: 1)
    try stage.push(3, key: 0, app: 1)
    try stage.push(3, key: 0)
    try stage.push(5, key: 0)
    try stage.push(9, key: 2)
    #expect(try stage.pushes("key") == [1])
    #expect(try stage.pushes("topic") == [2])
    #expect(try stage.pushes("devices") == [3])
    #expect(stage.simulator.readers.logs.pushLog.total == 5)
    #expect(try stage.session("key").metrics.accepted == 1)
  }

  @Test("a push refused before its key is known belongs to the session of its token, or of token and topic")
  func refused() throws {
    var stage = SessionStage()
    try stage.open("first", keys: [0], devices: [0, 1])
    try stage.open("second", keys: [1], devices: [0, 1])
    try stage.open("third", keys: [0, 1], devices: [2])
    try stage.push(0, key: 2, authorization: SessionStage.authorization(key: SessionStage.keys[1], signature: 8))
    #expect(try stage.pushes("second") == [1] && stage.session("second").metrics.accepted == 0)
    // Without a token it may be the first's or the second's, so it is nobody's.
    try stage.push(1, key: 2, authorization: .some(nil))
    #expect(try stage.pushes("first").isEmpty && stage.pushes("second") == [1])
    try stage.push(2, key: 2, authorization: .some(nil))
    #expect(try stage.pushes("third") == [3])
    // No device has this token; the key alone tells too little here, for two sessions have it.
    try stage.push(2, key: 0, token: String(repeating: "0", count: 64))
    #expect(try stage.pushes("first").isEmpty && stage.pushes("third") == [3])
  }

  @Test("a closed session does not change: later pushes, fates and events do not count")
  func closed() throws {
    var stage = SessionStage()
    try stage.open("s", devices: [0])
    try stage.order(.goOffline, on: 0)
    let stored = try stage.push(0)
    #expect(stored.fate == .stored(.offline))
    let closed = try stage.close("s")
    #expect(closed.closedAt == stage.now.world)
    try stage.order(.goOnline, on: 0)
    try stage.push(0)
    #expect(stage.simulator.readers.logs.pushLog.push(number: 1)?.fate.isDelivered == true)
    let kept = try stage.session("s")
    #expect(try stage.pushes("s") == [1])
    #expect(kept.pushLog.push(number: 1)?.fate == .stored(.offline))
    #expect(kept.metrics.delivered == 0 && kept.metrics.stored == 1 && !kept.isOpen)
    #expect(try stage.close("s").closedAt == closed.closedAt)
  }

  @Test("later fates of a push are noted while the session is open, whatever came between")
  func later() throws {
    var stage = SessionStage()
    try stage.open("s", keys: [0])
    try stage.order(.goOffline, on: 0)
    try stage.push(0, key: 0)
    for device in 1..<5 as Range<UInt32> {
      try stage.push(device, key: 1)
      try stage.push(device, key: 0)
    }
    try stage.order(.goOnline, on: 0)
    let session = try stage.session("s")
    #expect(try stage.pushes("s") == [1, 3, 5, 7, 9])
    #expect(session.pushLog.push(number: 1)?.fate.isDelivered == true)
    #expect(session.pushLog.push(number: 2) == nil && session.pushLog.push(number: 4) == nil)
    #expect(session.metrics.delivered == 5)
  }

  @Test("a session has the phones it names, or those that its pushes have reached, and of an app only its topic's")
  func phones() throws {
    var stage = SessionStage()
    try stage.open("devices", keys: [1], devices: [0])
    try stage.open("key", keys: [0])
    try stage.open("topic", keys: [2], topics: [SessionStage.other])
    func started(_ name: String) throws -> UInt64 { try stage.session(name).metrics.activitiesStarted }
    try stage.order(.startActivity(app: SessionStage.app, attributesType: nil), on: 0)
    #expect(try (started("devices"), started("key"), started("topic")) == (1, 0, 0))
    try stage.order(.startActivity(app: SessionStage.app, attributesType: nil), on: 1)
    #expect(try started("key") == 0)
    try stage.push(1, key: 0)
    try stage.push(1, key: 2, app: 1)
    try stage.order(.startActivity(app: SessionStage.app, attributesType: nil), on: 1)
    #expect(try (started("devices"), started("key"), started("topic")) == (1, 1, 0))
  }

  @Test("each has its own findings")
  func findings() throws {
    var stage = SessionStage()
    try stage.open("a", keys: [0])
    try stage.open("b", keys: [1])
    let token = try stage.token(0)
    try stage.order(.uninstall(app: SessionStage.app), on: 0)
    stage.advance(by: .seconds(25 * 3600))
    try stage.push(0, key: 0, token: token)
    stage.advance(by: .seconds(25 * 3600))
    for _ in 0..<2 {
      try stage.push(0, key: 0, token: token)
      // What comes within a second of the 410 may have been on its way.
      stage.advance(by: .seconds(2))
    }
    #expect(try stage.session("a").auditor.count(.deadToken) == 1)
    // It is the first 410 that this backend is told of.
    try stage.push(0, key: 1, token: token)
    #expect(try stage.session("b").auditor.total == 0)
    #expect(stage.simulator.readers.logs.auditor == nil)
  }

  @Test("a session's audit finds an activity on its phones that was pushed to and never ended", arguments: [0, 1])
  func neverEnded(device: UInt32) throws {
    var stage = SessionStage()
    try stage.open("a", devices: [0])
    try stage.order(.startActivity(app: SessionStage.app, attributesType: nil), on: device)
    try stage.push(device, slot: .update(activity: 0), activity: "update")
    stage.advance(by: .seconds(8 * 3600))
    #expect(try stage.session("a").auditor.count(.neverEnded) == (device == 0 ? 1 : 0))
  }

  @Test("no two open sessions overlap or have the same name; a closed one keeps its name until it is deleted")
  func conflicts() throws {
    var stage = SessionStage()
    try stage.open("a", keys: [0])
    #expect(throws: CommandProblem.self) { try stage.open("a", keys: [1]) }
    #expect {
      try stage.open("b", devices: [0])
    } throws: { error in
      let problem = error as? CommandProblem
      return problem?.kind == .conflict && problem?.sentence.contains("the open session a;") ?? false
    }
    _ = try stage.close("a")
    try stage.open("b", devices: [0])
    #expect(throws: CommandProblem.self) { try stage.open("a", devices: [1]) }
    try stage.simulator.readers.sessions.delete("a")
    try stage.open("a", devices: [1])
    try stage.push(1, key: 0)
    #expect(try stage.pushes("a") == [1] && stage.pushes("b").isEmpty)
  }

  @Test("a session without a name gets one")
  func names() throws {
    var desk = SessionRegistry()
    var order = SessionRequest()
    order.name = "s1"
    order.scope = try SessionStage.scope(keys: [0])
    _ = try desk.open(order, at: Stage.began)
    order.name = nil
    order.scope = try SessionStage.scope(keys: [1])
    #expect(try desk.open(order, at: Stage.began).name == "s2")
  }

  @Test("the number kept is bounded, and a forgotten one is known to have existed")
  func bounds() throws {
    let world = SessionStage(devices: 4).simulator.world
    var desk = SessionRegistry()
    var order = SessionRequest()
    order.pushLog = 1
    for number in 0..<SessionRegistry.mostClosed + 2 {
      order.name = "n\(number)"
      _ = try desk.open(order, at: Stage.began)
      _ = try desk.close("n\(number)", at: Stage.began, world)
    }
    #expect(desk.all.count == SessionRegistry.mostClosed)
    for (name, kind) in [("n0", CommandProblem.Kind.gone), ("n1", .gone), ("never", .unknown)] {
      #expect {
        try desk.session(name)
      } throws: { ($0 as? CommandProblem)?.kind == kind }
    }
    #expect(try desk.session("n2").name == "n2")
    order.name = "n0"
    order.scope = try SessionStage.scope(keys: [1])
    order.pushLog = SessionRegistry.mostKept
    _ = try desk.open(order, at: Stage.began)
    order.name = "full"
    order.pushLog = 1
    order.scope = try SessionStage.scope(keys: [0])
    #expect {
      try desk.open(order, at: Stage.began)
    } throws: { ($0 as? CommandProblem)?.field == "ledger" }
    try desk.delete("n0")
    _ = try desk.open(order, at: Stage.began)
  }
}
