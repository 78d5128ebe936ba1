import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// Broadcasts from the provider to the card.
@Suite("A broadcast channel")
struct ChannelTests {
  private static let manager = ProviderConnectionID(3)

  /// A stage with a channel, and its id.
  private func stage(
    _ storage: Int = 1, os: OSVersion = OSVersion(26, 1), policy: DevicePolicy = Stage.quick,
    budget: BudgetPlan = Stage.atOnce
  ) throws -> (Stage, String) {
    var stage = Stage(os: os, policy: policy, budget: budget)
    stage.world.connectionOpened(Self.manager, to: .sandbox, peer: "m", managesChannels: true, at: stage.now)
    let answer = try ask(
      &stage, "POST", "/1/apps/com.example.app/channels",
      body: #"{"message-storage-policy":\#(storage),"push-type":"LiveActivity"}"#, on: Self.manager)
    #expect(answer.status == 201)
    return (stage, try #require(answer.fields["apns-channel-id"]))
  }

  private func ask(
    _ stage: inout Stage, _ method: String, _ path: String, fields: [(name: String, value: String)] = [],
    body: String, on connection: ProviderConnectionID = Stage.sandbox
  ) throws -> HTTPResponse {
    _ = stage.events()
    let all = [(name: "authorization", value: Stage.authorization)] + fields
    let stream = StreamID(connection, 9_001)
    stage.world.receive(HTTPRequest(method, path, fields: all, body: Array(body.utf8)), on: stream, at: stage.now)
    let answers = stage.events().compactMap { (event: WorldEvent) -> HTTPResponse? in
      event.answer(on: connection)?.response
    }
    return try #require(answers.last)
  }

  @Test("the record of a request that reads or deletes a channel names the channel")
  func recorded() throws {
    var (stage, id) = try stage()
    for method in ["GET", "DELETE", "GET"] {
      let fields = [(name: "authorization", value: Stage.authorization), (name: "apns-channel-id", value: id)]
      let request = HTTPRequest(method, "/1/apps/com.example.app/channels", fields: fields, body: [])
      _ = stage.events()
      stage.world.receive(request, on: StreamID(Self.manager, 9_003), at: stage.now)
      let records = stage.events().compactMap { (event: WorldEvent) -> ChannelRecord? in
        if case .channels(let record) = event { record } else { nil }
      }
      #expect(records.map { $0.channelID?.text } == [id], "\(method)")
    }
  }

  @Test("a strict provider token has the same evidence in a request about channels as in a push")
  func strictToken() throws {
    var rulebook = Rulebook()
    rulebook.strictProviderTokens = true
    var stage = Stage(rulebook: rulebook)
    stage.world.connectionOpened(Self.manager, to: .sandbox, peer: "m", managesChannels: true, at: stage.now)
    let parts = [#"{"alg":"ES256","kid":"KEY0000001"}"#, #"{"iss":"PUSHPIT001","iat":1700000000.5}"#]
    let token = parts.map { Base64URL.encode(Array($0.utf8)) } + [Base64URL.encode([UInt8](repeating: 7, count: 64))]
    let fields = [(name: "authorization", value: "bearer " + token.joined(separator: "."))]
    let list = HTTPRequest("GET", "/1/apps/com.example.app/all-channels", fields: fields, body: [])
    stage.world.receive(list, on: StreamID(Self.manager, 9_003), at: stage.now)
    let push = HTTPRequest("POST", "/3/device/\(try stage.token())", fields: fields, body: [])
    stage.world.receive(push, on: StreamID(Stage.sandbox, 9_003), at: stage.now)
    let events = stage.events()
    for case .channels(let record) in events {
      #expect(record.answer.rejection?.rule?.name == "providerTokenWellFormed")
      #expect(stage.world.evidence(of: record)?.kind == .disputed)
    }
    for case .push(let record) in events {
      #expect(stage.world.names(for: [record]).evidence(record)?.kind == .disputed)
    }
    #expect(events.count { if case .channels = $0 { true } else { false } } == 1)
  }

  private func publish(
    _ stage: inout Stage, _ channel: String, _ aps: String, expiration: Int64? = nil, priority: Int = 10
  ) throws -> HTTPResponse {
    let until = expiration ?? stage.now.world.seconds + 3600
    return try ask(
      &stage, "POST", "/4/broadcasts/apps/com.example.app",
      fields: [
        ("apns-channel-id", channel), ("apns-expiration", "\(until)"), ("apns-priority", "\(priority)"),
        ("apns-push-type", "liveactivity"),
      ], body: #"{"aps":{\#(aps)}}"#)
  }

  /// Starts an activity that listens to a channel.
  private func start(_ stage: inout Stage, _ channel: String, on device: UInt32) throws -> Fate {
    let body = """
      {"aps":{"timestamp":\(stage.now.world.seconds),"event":"start","attributes-type":"MatchAttributes",\
      "attributes":{},"content-state":{"score":0},"input-push-channel":"\(channel)",\
      "alert":{"title":"Go","body":"!"}}}
      """
    let token = try stage.token(.pushToStart(type: 0), on: device)
    return try stage.push(token, topic: Stage.activityTopic, body: body).fate
  }

  private func content(_ stage: Stage, _ device: UInt32) -> JSONValue? {
    stage.world.screen(of: DeviceID(device), at: stage.now.world).cards.first?.content
  }

  private func update(_ stage: Stage, _ score: Int, later: Int64 = 1) -> String {
    #""timestamp":\#(stage.now.world.seconds + later),"event":"update","content-state":{"score":\#(score)}"#
  }

  @Test("S82: updates every Live Activity that listens to it, and ends them, without a token")
  func reaches() throws {
    var (stage, channel) = try stage()
    for device: UInt32 in 0..<3 { #expect(try start(&stage, channel, on: device).starts(0)) }
    #expect(try stage.app(1).activities.first?.token == nil)
    #expect(try publish(&stage, channel, update(stage, 7)).status == 200)
    #expect((0..<3).allSatisfy { content(stage, $0) == ["score": 7] })
    _ = try publish(
      &stage, channel, #""timestamp":\#(stage.now.world.seconds + 2),"event":"end","dismissal-date":0"#)
    #expect((0..<3).allSatisfy { content(stage, $0) == nil })
  }

  @Test("S82: a phone on iOS 17 does not know channels, so a start that names one starts nothing")
  func seventeen() throws {
    var stage = Stage(os: OSVersion(17, 6))
    try stage.order(.uninstall(app: Stage.app))
    try stage.order(.reboot)
    try stage.order(.reinstall(app: Stage.app))
    #expect(try start(&stage, "dHN0LXNyY2gtY2hubA==", on: 0).cause == .osTooOld)
    #expect(try stage.app().activities.isEmpty)
  }

  @Test("S83: below iOS 18 an activity has an update token, which is the only way to update and end it")
  func tokenOn17() throws {
    var stage = Stage(os: OSVersion(17, 6))
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let token = try stage.token(.update(activity: 0))
    #expect(try stage.pushActivity(token, event: "update").fate.updates(0))
    #expect(try stage.pushActivity(token, event: "end").fate.ends(0))
  }

  @Test("a broadcast cannot start an activity: APNs accepts it, and the phones ignore it")
  func noStart() throws {
    var (stage, channel) = try stage()
    #expect(try start(&stage, channel, on: 0).starts(0))
    let begin = #""timestamp":\#(stage.now.world.seconds + 1),"event":"start","content-state":{}"#
    #expect(try publish(&stage, channel, begin).status == 200)
    #expect(try stage.app().activities.count == 1 && content(stage, 0) == ["score": 0])
  }

  /// 18 of the silent failures.
  @Test("a broadcast does not change a card that awaits permission, if a setting says so")
  func prompting() throws {
    var policy = Stage.quick
    policy.prompt.policy = .everyPushStart
    policy.prompt.answer = .ignore
    policy.prompt.holdsBroadcasts = true
    var (stage, channel) = try stage(policy: policy)
    #expect(try start(&stage, channel, on: 0).starts(0))
    let stream = StreamID(Stage.sandbox, 77)
    let fields = [
      (name: "authorization", value: Stage.authorization), (name: "apns-channel-id", value: channel),
      (name: "apns-expiration", value: "0"), (name: "apns-priority", value: "10"),
      (name: "apns-push-type", value: "liveactivity"),
    ]
    let body = #"{"aps":{\#(update(stage, 9))}}"#
    _ = stage.events()
    stage.world.receive(
      HTTPRequest("POST", "/4/broadcasts/apps/com.example.app", fields: fields, body: Array(body.utf8)), on: stream,
      at: stage.now)
    let causes = stage.events().compactMap { event -> DropCause? in
      if case .broadcastReached(_, _, let fate, _) = event { fate.cause } else { nil }
    }
    #expect(causes == [.awaitingPermission] && content(stage, 0) == ["score": 0])
  }

  /// Observed once: Allow is not needed "from a broadcasting Live Activity" (mfaani.com, 5-product-decisions).
  @Test("updates and ends a card with an open question, which the person may still answer")
  func unanswered() throws {
    var policy = Stage.quick
    policy.prompt.policy = .everyPushStart
    policy.prompt.answer = .ignore
    var (stage, channel) = try stage(policy: policy)
    #expect(try start(&stage, channel, on: 0).starts(0))
    _ = try publish(&stage, channel, update(stage, 9))
    #expect(content(stage, 0) == ["score": 9] && stage.screen().cards.first?.state == .prompting)
    try stage.order(.allow(nil, app: nil))
    _ = try publish(&stage, channel, update(stage, 10, later: 2))
    #expect(content(stage, 0) == ["score": 10])
    #expect(try start(&stage, channel, on: 1).starts(0))
    _ = try publish(
      &stage, channel, #""timestamp":\#(stage.now.world.seconds + 3),"event":"end","dismissal-date":0"#)
    #expect(stage.screen(1).cards.isEmpty)
  }

  /// 30 of the silent failures.
  @Test("stores its last message for an offline phone, or nothing, by its policy", arguments: [0, 1])
  func storage(policy: Int) throws {
    var (stage, channel) = try stage(policy)
    #expect(try start(&stage, channel, on: 0).starts(0))
    try stage.order(.goOffline)
    let expiration: Int64? = policy == 0 ? 0 : nil
    for score in 1...2 {
      let news = update(stage, score, later: Int64(score))
      #expect(try publish(&stage, channel, news, expiration: expiration).status == 200)
    }
    try stage.order(.goOnline)
    #expect(content(stage, 0) == ["score": policy == 0 ? 0 : .integer(2)])
  }

  /// Assumed: the expiration 0 that such a channel needs says nothing about the delay that priority 5 asks for.
  @Test("without storage, delays a message of priority 5 for a locked phone, and does not lose it")
  func delayed() throws {
    var (stage, channel) = try stage(0)
    #expect(try start(&stage, channel, on: 0).starts(0))
    #expect(try publish(&stage, channel, update(stage, 1), expiration: 0, priority: 5).status == 200)
    #expect(content(stage, 0) == ["score": 0])
    stage.advance(by: .seconds(3600))
    #expect(content(stage, 0) == ["score": 1])
  }

  @Test("its messages are counted and measured anew after the world began anew")
  func countedAnew() throws {
    var logs = CountedRun().logs
    for _ in 0..<3 {
      var (stage, channel) = try stage(0)
      #expect(try start(&stage, channel, on: 0).starts(0))
      for score in 1...2 {
        stage.advance(by: .seconds(60))
        let body = update(stage, score)
        let request = HTTPRequest(
          "POST", "/4/broadcasts/apps/com.example.app",
          fields: [
            ("authorization", Stage.authorization), ("apns-channel-id", channel), ("apns-expiration", "0"),
            ("apns-priority", "10"), ("apns-push-type", "liveactivity"),
          ], body: Array(#"{"aps":{\#(body)}}"#.utf8))
        stage.world.receive(request, on: StreamID(Stage.sandbox, 9_001 + 2 * Int32(score)), at: stage.now)
      }
      logs.read(stage.events())
      logs.beginAnew()
    }
    let tally = try #require(logs.tally)
    #expect(tally.broadcasts.count == 6)
    #expect(tally.latency.showing.greatest.map { $0 < 1_000_000_000 } ?? false)
  }

  @Test("its messages are not audited, whether the phone delays them or not")
  func unaudited() throws {
    var budget = Stage.atOnce
    budget.update.standardCapacity = 1
    var logs = EventLogs(pushLogCapacity: 100, audits: true)
    var (stage, channel) = try stage(0, budget: budget)
    #expect(try start(&stage, channel, on: 0).starts(0))
    for number in 0..<5 as Range<Int64> {
      let milliseconds = stage.now.world.milliseconds + number
      let body = #""timestamp":\#(milliseconds),"event":"update","content-state":{"score":1}"#
      #expect(try publish(&stage, channel, body, expiration: 0).status == 200)
    }
    stage.advance(by: .seconds(7200))
    logs.read(stage.events())
    #expect(logs.auditor?.findings.isEmpty == true)
  }

  @Test("its stored message ends as replaced or expired for each card of a phone that stays offline")
  func endOfStored() throws {
    var (stage, channel) = try stage()
    #expect(try start(&stage, channel, on: 0).starts(0))
    #expect(try start(&stage, channel, on: 0).starts(1))
    try stage.order(.goOffline)
    _ = stage.events()
    for score in 1...2 {
      let fields = [
        (name: "authorization", value: Stage.authorization), ("apns-channel-id", channel), ("apns-priority", "10"),
        ("apns-push-type", "liveactivity"), ("apns-expiration", "\(stage.now.world.seconds + 60)"),
      ]
      let body = #"{"aps":{\#(update(stage, score, later: Int64(score)))}}"#
      stage.world.receive(
        HTTPRequest("POST", "/4/broadcasts/apps/com.example.app", fields: fields, body: Array(body.utf8)),
        on: StreamID(Stage.sandbox, 9_001), at: stage.now)
    }
    stage.advance(by: .seconds(60))
    try stage.order(.goOnline)
    let fates = stage.events().compactMap { event -> String? in
      if case .broadcastReached(_, _, let fate, _) = event { fate.words } else { nil }
    }
    let stored = Fate.stored(.offline).words
    let (replaced, expired) = (Fate.discarded(.superseded).words, Fate.discarded(.expired).words)
    #expect(fates == [stored, stored, replaced, replaced, stored, stored, expired, expired])
  }

  @Test("its messages are kept for at most eight hours")
  func kept() throws {
    var (stage, channel) = try stage()
    stage.advance(by: .seconds(60))
    #expect(try start(&stage, channel, on: 0).starts(0))
    try stage.order(.goOffline)
    _ = try publish(&stage, channel, update(stage, 5), expiration: stage.now.world.seconds + 86_400)
    stage.advance(by: .seconds(8 * 3600))
    try stage.order(.goOnline)
    #expect(content(stage, 0) == ["score": 0])
  }

  /// Documented: "if the channel ID isn't a valid channel, the Live Activity fails to start" (Starting and updating).
  @Test("an app's request for a channel that does not exist throws, and starts nothing")
  func unknown() throws {
    var (stage, channel) = try stage()
    var request = StartActivity(app: Stage.app, attributesType: nil)
    request.order.updates = .channel("dHN0LXNyY2gtY2hubA==")
    try stage.order(.start(request))
    let refused = DeviceEvent.activityRefused(.persistenceFailure, isChannelUnknown: true)
    #expect(stage.happened().contains(refused) && refused.sentence.contains("no channel with that id"))
    #expect(try stage.app().activities.isEmpty)
    request.order.updates = .channel(channel)
    try stage.order(.start(request))
    #expect(try stage.app().activities.count == 1)
    #expect(try publish(&stage, channel, update(stage, 3)).status == 200)
    #expect(content(stage, 0) == ["score": 3])
    _ = try ask(
      &stage, "DELETE", "/1/apps/com.example.app/channels", fields: [("apns-channel-id", channel)], body: "",
      on: Self.manager)
    try stage.order(.start(request))
    #expect(try stage.app().activities.count == 1, "an activity starts on a deleted channel")
  }

  @Test("the story of a start by push reports a channel that does not exist, even if the start was stored")
  func unknownByPush() throws {
    var (stage, channel) = try stage()
    let known = try start(&stage, channel, on: 0)
    let unknown = try start(&stage, "dHN0LXNyY2gtY2hubA==", on: 1)
    #expect(known.starts(0) && known.causes == ["alerted"])
    #expect(unknown.starts(0) && unknown.causes == ["alerted", "channel-unknown"])
    try stage.order(.goOffline, on: 2)
    _ = try start(&stage, "dHN0LXNyY2gtY2hubA==", on: 2)
    try stage.order(.goOnline, on: 2)
    let settled = stage.events().compactMap { event -> [String]? in
      if case .pushSettled(_, DeviceID(2), let fate, _) = event { fate.causes } else { nil }
    }
    #expect(settled == [["alerted", "channel-unknown"]])
  }
}
