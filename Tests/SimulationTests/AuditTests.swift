import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// Each auditor is caught by a run that violates it, and silent on one that does not.
@Suite("An audit")
struct AuditTests {
  private func findings(_ stage: inout Stage) -> [AuditFinding.Kind] {
    var logs = EventLogs(pushLogCapacity: 100, audits: true)
    logs.read(stage.events())
    return logs.auditor?.findings.map(\.kind) ?? []
  }

  private func fault(_ consequence: PushFault, _ stage: inout Stage, limit: UInt64 = 1) throws {
    var fault = Fault("f", .push(consequence))
    fault.limit = limit
    try stage.world.perform(.setFault(fault), at: stage.now)
  }

  @Test("an audit finds nothing in a match that was pushed without mistakes")
  func careful() throws {
    var stage = Stage()
    try stage.launch()
    for score in 0..<5 {
      stage.advance(by: .seconds(60))
      try stage.update(score)
    }
    _ = try stage.pushActivity(stage.token(.update(activity: 0)), event: "end")
    _ = try stage.push(stage.token(), body: #"{"aps":{"alert":"Result"}}"#)
    stage.advance(by: .seconds(120))
    _ = try stage.push(stage.token(), body: #"{"aps":{"alert":"Result"}}"#)
    #expect(findings(&stage) == [])
  }

  @Test("an audit finds a push that a phone received twice, by its apns-id or by its payload under another id")
  func duplicate() throws {
    let id = "11111111-2222-3333-4444-555555555555"
    var stage = Stage()
    try fault(.loseAnswer(code: nil), &stage)
    for _ in 0..<2 { _ = try stage.push(stage.token(), id: id) }
    #expect(findings(&stage) == [.duplicate])
    stage = Stage()
    for _ in 0..<2 { _ = try stage.push(stage.token()) }
    #expect(findings(&stage) == [.duplicate])
    stage = Stage()
    try fault(.lose, &stage)
    for _ in 0..<2 { _ = try stage.push(stage.token(), id: id) }
    #expect(findings(&stage) == [])
  }

  @Test("an audit finds an update whose timestamp is older than that of the update before it")
  func older() throws {
    var stage = Stage()
    try stage.launch()
    let token = try stage.token(.update(activity: 0))
    for timestamp in [1_700_000_500, 1_700_000_400] {
      _ = try stage.send(
        token, topic: Stage.activityTopic,
        #"{"aps":{"timestamp":\#(timestamp),"event":"update","content-state":{}}}"#)
    }
    #expect(findings(&stage) == [.olderTimestamp])
  }

  @Test("an audit finds an update that was sent after the end of the activity")
  func afterEnd() throws {
    var stage = Stage()
    try stage.launch()
    let token = try stage.token(.update(activity: 0))
    _ = try stage.pushActivity(token, event: "end")
    #expect(findings(&stage) == [])
    stage = Stage()
    try stage.launch()
    for event in ["end", "update"] { _ = try stage.pushActivity(try stage.token(.update(activity: 0)), event: event) }
    #expect(findings(&stage) == [.updateAfterEnd])
  }

  @Test("an audit finds an immediate retry after 429 or 5xx, and accepts a delayed retry")
  func hasty() throws {
    for reason in [RejectionReason.tooManyRequests, .serviceUnavailable] {
      for wait in [Duration.milliseconds(200), .seconds(2)] {
        var stage = Stage()
        try fault(.refuse(reason, retryAfter: nil, age: nil), &stage)
        _ = try stage.push(stage.token())
        stage.advance(by: wait)
        _ = try stage.push(stage.token())
        #expect(findings(&stage) == (wait < .seconds(1) ? [.hastyRetry] : []), "\(reason) \(wait)")
      }
    }
  }

  @Test("an audit does not count pushes that were in flight when a 410 arrived")
  func inFlight() throws {
    var stage = Stage()
    try fault(.refuse(.unregistered, retryAfter: nil, age: nil), &stage, limit: 2)
    for _ in 0..<2 { _ = try stage.push(stage.token()) }
    #expect(findings(&stage) == [])
  }

  @Test("an audit finds an old state shown after a newer one, and accepts states shown in order")
  func late() throws {
    for (scores, found) in [
      ([1, 2, 1], [AuditFinding.Kind.outOfOrder]), ([1, 1, 2], []), ([1, 2, 3], []), ([1, 2], []),
    ] {
      var stage = Stage(rulebook: Stage.unhurried)
      try stage.launch()
      try fault(.refuse(.serviceUnavailable, retryAfter: nil, age: nil), &stage)
      for score in scores {
        _ = try stage.update(score)
        stage.advance(by: .seconds(5))
      }
      #expect(findings(&stage) == found, "\(scores)")
    }
  }

  @Test("an audit finds an old state that a phone deferred at priority 5 and shows after a newer one")
  func lateAtFive() throws {
    let cases: [([(score: Int, priority: Int)], [AuditFinding.Kind])] = [
      ([(1, 5), (2, 5), (1, 5)], [.outOfOrder]), ([(1, 10), (2, 10), (1, 5)], [.outOfOrder]),
      ([(1, 5), (2, 5), (1, 10)], [.outOfOrder]), ([(1, 5), (1, 5), (2, 5)], []), ([(1, 5), (2, 5), (3, 5)], []),
    ]
    for (pushes, found) in cases {
      var budget = Stage.atOnce
      budget.lowPriority.locked = .seconds(30)...(.seconds(30))
      var stage = Stage(budget: budget, rulebook: Stage.unhurried)
      try stage.launch()
      try fault(.refuse(.serviceUnavailable, retryAfter: nil, age: nil), &stage)
      for (score, priority) in pushes {
        _ = try stage.update(score, priority: priority)
        stage.advance(by: .seconds(5))
      }
      stage.advance(by: .seconds(60))
      #expect(findings(&stage) == found, "\(pushes)")
    }
  }

  @Test("an audit finds pushes to a token that was already answered 410")
  func dead() throws {
    var stage = Stage()
    try fault(.refuse(.unregistered, retryAfter: nil, age: nil), &stage, limit: 2)
    for _ in 0..<3 {
      _ = try stage.push(stage.token())
      stage.advance(by: .seconds(100))
    }
    #expect(findings(&stage) == [.deadToken, .deadToken])
  }

  @Test("an audit finds nothing in pushes that a person sends through the admin API")
  func ofAPerson() throws {
    for (number, isFound) in [(1000, true), (ProviderConnectionID.firstOfAdmin, false)] as [(UInt64, Bool)] {
      var stage = Stage()
      let connection = ProviderConnectionID(number)
      stage.world.connectionOpened(connection, to: .sandbox, peer: "t", at: stage.now)
      try fault(.refuse(.unregistered, retryAfter: nil, age: nil), &stage, limit: 2)
      for _ in 0..<3 {
        _ = try stage.push(stage.token(), on: connection)
        stage.advance(by: .seconds(100))
      }
      #expect(findings(&stage).isEmpty != isFound, "\(number)")
    }
  }

  @Test("an audit finds nothing in a person's stored push when it reaches its phone")
  func storedOfAPerson() throws {
    for (number, isFound) in [(1000, true), (ProviderConnectionID.firstOfAdmin, false)] as [(UInt64, Bool)] {
      var stage = Stage()
      let connection = ProviderConnectionID(number)
      stage.world.connectionOpened(connection, to: .sandbox, peer: "t", at: stage.now)
      let token = try stage.token()
      try stage.order(.goOffline)
      let push = try stage.push(token, body: #"{"aps":{"badge":"x"}}"#, on: connection)
      #expect(push.firstFate.reaction == nil)
      stage.advance(by: .seconds(100))
      try stage.order(.goOnline)
      stage.advance(by: .seconds(100))
      #expect(findings(&stage).isEmpty != isFound, "\(number)")
    }
  }

  @Test("an audit finds connections with one push each, except those of Pushpit itself")
  func lonely() throws {
    let own = ProviderConnectionID.firstSimulated
    for (first, pushes, isFound) in [(10, 1, true), (10, 2, false), (own, 1, false)] as [(UInt64, Int, Bool)] {
      var stage = Stage()
      for number in 10..<20 as Range<UInt64> {
        let connection = ProviderConnectionID(first + number)
        stage.world.connectionOpened(connection, to: .sandbox, peer: "t", at: stage.now)
        for push in 0..<pushes {
          _ = try stage.push(stage.token(on: UInt32(number) + 20 * UInt32(push)), on: connection)
        }
        stage.world.connectionClosed(connection, at: stage.now)
      }
      #expect(findings(&stage) == (isFound ? [.connectionPerPush] : []), "\(first) \(pushes)")
    }
  }

  /// A push each, so many seconds after the beginning, with the provider token of that number.
  private func findings(
    using tokens: [(at: Int64, token: Int64)], on first: UInt64 = 100
  ) throws -> [AuditFinding] {
    var stage = Stage()
    let began = stage.now.wall
    var passed: Int64 = 0
    // Each of the senders has a connection of its own, because one may not change its token as often.
    let connections = Set(tokens.map(\.token)).map { ProviderConnectionID(first + UInt64($0)) }
    for connection in connections { stage.world.connectionOpened(connection, to: .sandbox, peer: "t", at: stage.now) }
    for (number, use) in tokens.enumerated() {
      stage.advance(by: .seconds(use.at - passed))
      // Provider tokens live by the machine's clock.
      stage.now = Now(world: stage.now.world, wall: began.advanced(by: .seconds(use.at)))
      passed = use.at
      let parts = [
        #"{"alg":"ES256","kid":"KEY0000001"}"#, #"{"iss":"PUSHPIT001","iat":\#(1_700_000_000 + use.token)}"#,
      ]
      .map { Base64URL.encode(Array($0.utf8)) }
      let token = "bearer " + parts.joined(separator: ".") + "." + Base64URL.encode([UInt8](repeating: 7, count: 64))
      stage.world.receive(
        HTTPRequest(
          "POST", "/3/device/" + (try stage.token()),
          fields: [(name: "apns-topic", value: Stage.app), (name: "authorization", value: token)],
          body: Array(#"{"aps":{"alert":"\#(number)"}}"#.utf8)),
        on: StreamID(ProviderConnectionID(first + UInt64(use.token)), Int32(number) * 2 + 1), at: stage.now)
    }
    var logs = EventLogs(pushLogCapacity: 100, audits: true)
    logs.read(stage.events())
    return logs.auditor?.findings ?? []
  }

  @Test("an audit finds a provider token renewed within 20 minutes, and accepts one that is kept or older")
  func renewed() throws {
    #expect(try findings(using: [(0, 0), (60, 1)]).map(\.kind) == [.providerTokenRenewed])
    #expect(try findings(using: [(0, 0), (60, 0)]) == [])
    #expect(try findings(using: [(0, 0), (1200, 1)]) == [])
    let ours = ProviderConnectionID.firstSimulated
    #expect(try findings(using: [(0, 0), (60, 1)], on: ours) == [], "Pushpit's own pushes are not the backend's")
  }

  @Test("an audit finds each new provider token once, and reports once that several are used in turn")
  func inTurn() throws {
    let turns = (0..<300 as Range<Int64>).map { (at: $0, token: $0 % 3) }
    let found = try findings(using: turns)
    #expect(found.map(\.kind) == [.providerTokenRenewed, .providerTokenRenewed, .providerTokenRenewed])
    let last = try #require(found.last)
    #expect(last.sentence.hasPrefix("3 provider tokens of one key in turn, the newest for 1m"))
    #expect(last.sentence.hasSuffix("; make one token for all workers, and renew it every 20 to 60 minutes."))
  }

  @Test("an audit accepts pushes signed before a renewal that arrive after it, and one token that replaces another")
  func signedBefore() throws {
    #expect(try findings(using: [(0, 0), (1200, 1), (1300, 0), (1310, 0)]) == [])
    #expect(try findings(using: [(0, 0), (1200, 1), (1201, 0), (1202, 1), (1230, 0), (1300, 1)]) == [])
  }
}
