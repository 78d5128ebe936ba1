import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@Suite("Faults of connections")
struct ConnectionFaultTests {
  private static let freeze = Fault.Consequence.connection(.freeze(answersPings: false))

  private func orders(_ stage: inout Stage) -> [String] {
    stage.events().compactMap {
      if case .wire(let connection, let order) = $0 { "\(order.name) \(connection.number)" } else { nil }
    }
  }

  private func set(_ fault: Fault, on stage: inout Stage) throws {
    try stage.world.perform(.setFault(fault), at: stage.now)
  }

  private func idle(_ name: String, _ duration: Duration) -> Fault {
    var fault = Fault(name, Self.freeze)
    fault.condition.trigger = .idle(duration)
    return fault
  }

  @Test("a GOAWAY of an idle connection names the highest stream that has arrived")
  func idleGoAway() throws {
    var stage = Stage(devices: 10)
    var fault = Fault("away", .connection(.goAway(FaultGoAway())))
    fault.condition.trigger = .idle(.seconds(10))
    try set(fault, on: &stage)
    let record = try stage.push(stage.token())
    stage.advance(by: .seconds(60))
    let last = stage.events().compactMap { event -> Int32?? in
      if case .wire(Stage.sandbox, .goAway(let last, _, _, _)) = event { .some(last) } else { nil }
    }
    #expect(last == [record.stream.number])
  }

  @Test("a connection that opens under the number of an open one replaces it, and no delayed command is left")
  func openedTwice() throws {
    var stage = Stage(devices: 10)
    var fault = Fault("slow", .push(.delay(.between(.seconds(5)...(.seconds(5))))))
    fault.limit = 1
    try set(fault, on: &stage)
    _ = try stage.push(stage.token())
    #expect(stage.world.holdsAnswers)
    stage.world.connectionOpened(Stage.sandbox, to: .sandbox, peer: "again", at: stage.now)
    #expect(!stage.world.holdsAnswers && stage.world.peer(of: Stage.sandbox) == "again")
    stage.advance(by: .seconds(60))
  }

  @Test("a skewed clock applies to the provider token of a broadcast, too")
  func skewedBroadcast() throws {
    var stage = Stage(devices: 10)
    let broadcast = HTTPRequest(
      "POST", "/4/broadcasts/apps/com.example.app", fields: [("authorization", Stage.authorization)], body: [])
    func reason() -> RejectionReason? {
      stage.world.receive(broadcast, on: StreamID(Stage.sandbox, 9_001), at: stage.now)
      return stage.events().compactMap { event -> RejectionReason? in
        if case .channels(let record) = event { record.answer.rejection?.reason } else { nil }
      }.last
    }
    #expect(reason() == .missingChannelID)
    try set(Fault("skew", .connection(.skew(.seconds(90 * 60)))), on: &stage)
    _ = try stage.push(stage.token())
    #expect(reason() == .expiredProviderToken)
  }

  @Test("as one opens: by environment and every Nth, and no push matches")
  func opening() throws {
    var stage = Stage(devices: 10)
    var fault = Fault("f", .connection(.close))
    fault.condition.trigger = .opening
    fault.condition.filter.environment = .production
    fault.condition.every = 2
    try set(fault, on: &stage)
    for number in 10..<16 as Range<UInt64> {
      let environment = number % 3 == 0 ? Environment.sandbox : .production
      stage.world.connectionOpened(ProviderConnectionID(number), to: environment, peer: "p", at: stage.now)
    }
    #expect(orders(&stage) == ["close 10", "close 13"])
    #expect(try stage.push(stage.token()).fault == nil)
    #expect(stage.world.faults["f"]?.seen == 4 && stage.world.faults["f"]?.struck == 2)
  }

  @Test("after a silence, once for each, and each connection by itself")
  func silence() throws {
    var stage = Stage(devices: 10)
    try set(idle("f", .seconds(60)), on: &stage)
    stage.advance(by: .seconds(40))
    _ = try stage.push(stage.token())
    stage.advance(by: .seconds(19))
    #expect(orders(&stage) == [])
    stage.advance(by: .seconds(1))
    #expect(orders(&stage) == ["freeze 2"])
    stage.advance(by: .seconds(40))
    #expect(orders(&stage) == ["freeze 1"])
    stage.advance(by: .seconds(3600))
    #expect(orders(&stage) == [])
    _ = try stage.push(stage.token())
    stage.advance(by: .seconds(60))
    #expect(orders(&stage) == [], "it is frozen already")
    #expect(stage.world.faults["f"]?.struck == 3)
    try stage.world.perform(.deleteFault("f"), at: stage.now)
    #expect(orders(&stage) == ["thaw 1", "thaw 2"])
    stage.advance(by: .seconds(3600))
    #expect(orders(&stage) == [])
  }

  @Test("after a silence: a shorter one is not late because a longer one is pending as well")
  func silences() throws {
    var stage = Stage(devices: 10)
    try set(idle("long", .seconds(600)), on: &stage)
    var short = Fault("short", .connection(.readsSlowly(bytesPerSecond: 1)))
    short.condition.trigger = .idle(.seconds(10))
    short.condition.filter.connection = Stage.sandbox.number
    try set(short, on: &stage)
    stage.advance(by: .seconds(10))
    #expect(orders(&stage) == ["readSlowly 1"])
    _ = try stage.push(stage.token())
    stage.advance(by: .seconds(10))
    #expect(orders(&stage) == [] && stage.world.faults["short"]?.struck == 2, "it reads slowly already")
    stage.advance(by: .seconds(580))
    #expect(orders(&stage) == ["freeze 2"])
    stage.advance(by: .seconds(10))
    #expect(orders(&stage) == ["freeze 1"])
  }

  @Test("after a silence: only within the fault's time, and never on a connection for channels")
  func window() throws {
    var stage = Stage(devices: 10)
    stage.world.connectionOpened(ProviderConnectionID(9), to: .sandbox, peer: "p", managesChannels: true, at: stage.now)
    var fault = idle("f", .seconds(10))
    fault.from = stage.now.world.advanced(by: .seconds(30))
    fault.until = stage.now.world.advanced(by: .seconds(35))
    try set(fault, on: &stage)
    _ = orders(&stage)
    stage.advance(by: .seconds(29))
    #expect(orders(&stage) == [])
    stage.advance(by: .seconds(1))
    #expect(orders(&stage) == ["freeze 1", "freeze 2"])
    stage.advance(by: .seconds(5))
    #expect(orders(&stage) == ["thaw 1", "thaw 2"])
    _ = try stage.push(stage.token())
    stage.advance(by: .seconds(600))
    #expect(orders(&stage) == [])
  }

  @Test("the effects of a deleted connection fault are reverted, each in its way, and those of other faults stay")
  func cures() throws {
    let lasting: [(ConnectionFault, cure: String?)] = [
      (.freeze(answersPings: true), "thaw"), (.readsSlowly(bytesPerSecond: 5), "readSlowly"),
      (.streams(1, open: .refuse, excessStreams: nil, back: nil, after: .zero), "streamsAsBefore"),
      (.window(16, withheld: true, back: nil, after: .zero), "window"), (.rejectAll(.internalServerError), nil),
      (.skew(.seconds(5400)), nil),
    ]
    for (consequence, cure) in lasting {
      var stage = Stage(devices: 10)
      var other = Fault("other", .connection(.readsSlowly(bytesPerSecond: 1)))
      other.condition.filter.environment = .production
      try set(other, on: &stage)
      try set(Fault("f", .connection(consequence)), on: &stage)
      _ = try stage.push(stage.token(app: 1), topic: Stage.store, on: Stage.production)
      _ = try stage.push(stage.token())
      _ = orders(&stage)
      try stage.world.perform(.deleteFault("f"), at: stage.now)
      #expect(orders(&stage) == (cure.map { ["\($0) 1"] } ?? []), "\(consequence)")
      #expect(try stage.push(stage.token()).status == 200, "\(consequence)")
      try stage.world.perform(.deleteAllFaults, at: stage.now)
      #expect(orders(&stage) == ["readSlowly 2"])
    }
  }

  @Test("a connection that two faults hold is released with the last of them")
  func both() throws {
    var stage = Stage(devices: 10)
    try set(Fault("one", Self.freeze), on: &stage)
    _ = try stage.push(stage.token())
    try stage.world.perform(.setFault(idle("other", .seconds(1))), at: stage.now)
    stage.advance(by: .seconds(1))
    #expect(orders(&stage) == ["freeze 1", "freeze 2"])
    try stage.world.perform(.deleteFault("one"), at: stage.now)
    #expect(orders(&stage) == [])
    try stage.world.perform(.deleteFault("other"), at: stage.now)
    #expect(orders(&stage) == ["thaw 1", "thaw 2"])
  }

  @Test("name their connection in the ledger, for every push on a faulty one")
  func pushLog() throws {
    var stage = Stage(devices: 10)
    var fault = Fault("sick", .connection(.rejectAll(.internalServerError)))
    fault.limit = 1
    try set(fault, on: &stage)
    for _ in 0..<3 {
      let record = try stage.push(stage.token())
      #expect(record.status == 500 && record.fault == "sick")
    }
    stage.world.connectionClosed(Stage.sandbox, at: stage.now)
    stage.world.connectionOpened(Stage.sandbox, to: .sandbox, peer: "p", at: stage.now)
    #expect(try stage.push(stage.token()).status == 200)
    try set(Fault("closing", .connection(.close)), on: &stage)
    let record = try stage.push(stage.token())
    #expect(record.status == 200 && record.fault == "closing" && record.fate.reaction != nil)
  }

  @Test("skew: a provider token is checked by a skewed clock, ahead or behind, on that connection only")
  func skew() throws {
    for (skew, reason) in [(90, RejectionReason.expiredProviderToken), (-90, .invalidProviderToken)] {
      var stage = Stage(devices: 10)
      var fault = Fault("f", .connection(.skew(.seconds(60 * skew))))
      fault.condition.filter.environment = .sandbox
      try set(fault, on: &stage)
      #expect(try stage.push(stage.token()).status == 200, "the push that was struck had been judged")
      let record = try stage.push(stage.token())
      #expect(record.reason == reason && record.at == stage.now)
      #expect(try stage.push(stage.token(app: 1), topic: Stage.store, on: Stage.production).status == 200)
    }
  }

  @Test("a scheduled second GOAWAY is not sent after a reset, a late answer is")
  func held() throws {
    var stage = Stage(devices: 10)
    var goAway = FaultGoAway()
    goAway.sequel = .second(closes: true)
    var fault = Fault("away", .connection(.goAway(goAway)))
    fault.condition.skip = 1
    try set(fault, on: &stage)
    try set(Fault("late", .push(.delay(.between(.seconds(2) ... .seconds(2))))), on: &stage)
    _ = try stage.push(stage.token())
    _ = try stage.push(stage.token())
    #expect(orders(&stage) == ["goAway 1"])
    try stage.world.perform(.deleteAllFaults, at: stage.now)
    stage.advance(by: .seconds(5))
    #expect(orders(&stage) == ["respond 1"])
  }

  @Test("pushes after a GOAWAY are not examined, so that they can be sent again elsewhere; other connections go on")
  func behind() throws {
    var stage = Stage(devices: 10)
    var goAway = FaultGoAway()
    goAway.sequel = .staying
    var fault = Fault("away", .connection(.goAway(goAway)))
    fault.limit = 1
    try set(fault, on: &stage)
    let token = try stage.token()
    #expect(try stage.push(token).status == 200)
    _ = stage.events()
    let path = "/3/device/" + token
    let goesOn = stage.world.receive(
      HTTPRequest("POST", path, body: []), on: StreamID(Stage.sandbox, 99), at: stage.now)
    #expect(goesOn)
    let events = stage.events()
    #expect(events.count == 1, "there is no later push")
    #expect(
      events.contains { if case .trouble(let trouble) = $0 { trouble.kind == "streamNotProcessed" } else { false } })
    #expect(try stage.push(stage.token(app: 1), topic: Stage.store, on: Stage.production).status == 200)
    stage.world.connectionClosed(Stage.sandbox, at: stage.now)
    stage.world.connectionOpened(Stage.sandbox, to: .sandbox, peer: "again", at: stage.now)
    #expect(try stage.push(token).status == 200)
  }

  @Test(
    "a fault that changes the stream limit or sends GOAWAY pauses its connection's requests until that is done",
    arguments: [
      ConnectionFault.streams(1, open: .refuse, excessStreams: nil, back: nil, after: .zero), .goAway(FaultGoAway()),
    ])
  func batches(consequence: ConnectionFault) throws {
    var stage = Stage(devices: 10)
    var fault = Fault("f", .connection(consequence))
    fault.condition.skip = 1
    try set(fault, on: &stage)
    let request = HTTPRequest(
      "POST", "/3/device/" + (try stage.token()),
      fields: [(name: "apns-topic", value: Stage.app), (name: "authorization", value: Stage.authorization)],
      body: Array(#"{"aps":{"alert":"Out!"}}"#.utf8))
    let streams = [StreamID(Stage.sandbox, 1), StreamID(Stage.sandbox, 3), StreamID(Stage.production, 1)]
    let goOn = streams.map { stage.world.receive(request, on: $0, at: stage.now) }
    #expect(goOn == [true, false, true])
  }
}
