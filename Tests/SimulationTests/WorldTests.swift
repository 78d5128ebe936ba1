import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@Suite("The world")
struct WorldTests {
  @Test("S18: 200 means accepted: the phone may be offline, or unable to read the body")
  func accepted() throws {
    var stage = Stage()
    let token = try stage.token()
    for body in ["{}", "x", "{\"aps\":1}", #"{"aps":{"event":"start"}}"#] {
      let record = try stage.push(token, body: body)
      #expect(record.status == 200 && record.fate.isDelivered)
    }
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let update = try stage.token(.update(activity: 0))
    for body in ["x", "{}", #"{"aps":{}}"#, #"{"aps":{"event":5}}"#, #"{"aps":{"event":"END"}}"#, "[]"] {
      #expect(try stage.push(update, topic: Stage.activityTopic, body: body).fate.cause != nil)
    }
    try stage.order(.goOffline)
    let stored = try stage.push(token)
    #expect(stored.status == 200 && stored.fate == .stored(.offline) && stored.answer.response.body.isEmpty)
  }

  @Test("S13: a push to a phone that is online is delivered at the instant it arrives")
  func atOnce() throws {
    var stage = Stage()
    let record = try stage.push(try stage.token())
    #expect(record.fate.isDelivered && record.at == stage.now && stage.world.nextDue == nil)
  }

  @Test("a start on a push-to-start token creates an update token, an end on an update token ends its activity")
  func startAndEnd() throws {
    var stage = Stage()
    let start = try stage.token(.pushToStart(type: 1))
    let record = try stage.pushActivity(start, event: "start", type: "RaceAttributes")
    #expect(record.fate.starts(0))
    let at = stage.now.world
    #expect(
      stage.happenings() == [
        .phone(DeviceID(0), app: 0, .activityStarted(0, .push), at: at),
        .phone(DeviceID(0), app: 0, .tokenIssued(.update(activity: 0)), at: at),
      ])
    let update = try stage.token(.update(activity: 0))
    #expect(try stage.pushActivity(update, event: "start", type: "RaceAttributes").fate.cause != nil)
    #expect(try stage.pushActivity(start, event: "update").fate.cause != nil)
    #expect(try stage.pushActivity(start, event: "end").fate.cause != nil)
    #expect(try stage.app().activities.first?.isOver == false)
    #expect(try stage.pushActivity(update, event: "end").fate.ends(0))
    #expect(try stage.app().activities.first?.isOver == true)
    #expect(stage.happenings() == [.phone(DeviceID(0), app: 0, .activityEnded(0, .push), at: at)])
  }

  @Test("an activity ends by itself at eight hours, at the exact instant even if the world is driven late")
  func runsOut() throws {
    var stage = Stage()
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let due = stage.now.world.advanced(by: .seconds(28_800))
    _ = stage.events()
    stage.advance(by: .seconds(28_799))
    #expect(stage.happenings().isEmpty && stage.world.nextDue == due)
    stage.advance(by: .seconds(100_000))
    let gone = due.advanced(by: .seconds(4 * 3600))
    #expect(
      stage.happenings() == [
        .phone(DeviceID(0), app: 0, .activityEnded(0, .lifeOver), at: due),
        .phone(DeviceID(0), app: 0, .activityDismissed(0), at: gone),
      ])
    #expect(stage.world.nextDue == nil)
    #expect(try stage.app().activities.first?.endedAt == due)
  }

  @Test("an activity that was ended does not end again when its time is over")
  func endsOnce() throws {
    var stage = Stage()
    try stage.order(.startActivity(app: nil, attributesType: nil))
    try stage.order(.endActivity(nil, app: nil))
    _ = stage.events()
    stage.advance(by: .seconds(86400))
    let gone = Stage.began.advanced(by: .seconds(4 * 3600))
    #expect(stage.happenings() == [.phone(DeviceID(0), app: 0, .activityDismissed(0), at: gone)])
  }

  @Test("S8: the connection is authorised once, just before the push that did it")
  func streamsAllowed() throws {
    var stage = Stage()
    stage.world.receive(
      HTTPRequest("POST", "/3/device/00", body: [UInt8]()), on: StreamID(Stage.sandbox, 901), at: stage.now)
    #expect(!stage.events().contains(.streamsAllowed(Stage.sandbox)))
    _ = try stage.push("00")
    let events = stage.events()
    #expect(events.first == .streamsAllowed(Stage.sandbox) && events.count == 2)
    _ = try stage.push("00")
    #expect(stage.events().count == 1)
  }

  @Test("S17: every answer has an id: the client's own, unchanged, or a new one in upper case")
  func ids() throws {
    var stage = Stage()
    let mine = "eabeae54-14a8-11e5-b60b-1697f925ec7B"
    #expect(try stage.push(try stage.token(), id: mine).answer.id.text == mine)
    #expect(try stage.push("00", id: mine).answer.id.text == mine)
    var made: Set<String> = []
    for count in 0..<200 {
      let id = try stage.push(count.isMultiple(of: 2) ? "00" : try stage.token()).answer.id.text
      #expect(NotificationID(id) != nil && id == id.uppercased())
      made.insert(id)
    }
    #expect(made.count == 200)
  }

  @Test("a unique id comes with 200 in the sandbox only")
  func uniqueIDs() throws {
    var stage = Stage()
    let accepted = try stage.push(try stage.token()).answer
    #expect(accepted.response.fields["apns-unique-id"]?.count == 36 && accepted.uniqueID != accepted.id)
    #expect(try stage.push(try stage.token()).answer.uniqueID != accepted.uniqueID)
    #expect(try stage.push("00").answer.response.fields["apns-unique-id"] == nil)
    let store = try stage.token(app: 1)
    #expect(try stage.push(store, topic: Stage.store, on: Stage.production).answer.response.fields.list.count == 1)
  }

  @Test("a restart with the same seed has the same tokens, but other notification ids")
  func restart() throws {
    var first = Stage()
    var second = Stage(at: Instant(seconds: 1_700_086_400))
    #expect(try first.token(on: 7) == second.token(on: 7))
    let token = try first.token(on: 7)
    #expect(try first.push(token).answer.id != second.push(token).answer.id)
  }

  @Test("requests on a connection that is not open are not answered; closing and opening are reported")
  func connections() throws {
    var stage = Stage()
    #expect(stage.world.openConnections.count == 2)
    stage.world.connectionClosed(Stage.sandbox, at: stage.now)
    stage.world.connectionClosed(Stage.sandbox, at: stage.now)
    stage.world.connectionClosed(ProviderConnectionID(77), at: stage.now)
    #expect(stage.events() == [.connectionClosed(Stage.sandbox)])
    stage.world.receive(HTTPRequest("POST", "/", body: [UInt8]()), on: StreamID(Stage.sandbox, 1), at: stage.now)
    #expect(stage.events().isEmpty && stage.world.openConnections.map(\.id) == [Stage.production])
  }

  @Test("open connections are listed in the order they came, with their pushes")
  func openConnections() throws {
    var stage = Stage()
    for number: UInt64 in [5, 3, 4] {
      stage.world.connectionOpened(ProviderConnectionID(number), to: .production, peer: "p\(number)", at: stage.now)
    }
    stage.world.connectionClosed(ProviderConnectionID(4), at: stage.now)
    _ = try stage.push(try stage.token())
    _ = try stage.push("00")
    let open = stage.world.openConnections
    #expect(open.map(\.id.number) == [1, 2, 3, 5] && open.map(\.peer).last == "p5")
    #expect(open.map(\.pushes) == [2, 0, 0, 0] && open.map(\.refused) == [1, 0, 0, 0])
    #expect(open.map(\.environment) == [.sandbox, .production, .production, .production])
  }

  @Test("due work is done in order, and work planned meanwhile is not forgotten")
  func manyRunOut() throws {
    var stage = Stage()
    for device: UInt32 in [2, 0, 1] {
      try stage.order(.startActivity(app: nil, attributesType: nil), on: device)
      stage.advance(by: .seconds(60))
    }
    stage.advance(by: .seconds(28_700))
    _ = stage.events()
    try stage.order(.startActivity(app: nil, attributesType: nil), on: 9)
    stage.advance(by: .seconds(39))
    #expect(stage.world.nextDue == Stage.began.advanced(by: .seconds(28_920)))
    stage.advance(by: .seconds(21))
    stage.advance(by: .seconds(28_800))
    let ended = stage.events().compactMap {
      if case .phone(let device, _, .activityEnded, _) = $0 { device.text } else { nil }
    }
    #expect(ended == ["d1", "d9"])
    stage.advance(by: .seconds(4 * 3600))
    #expect(stage.world.nextDue == nil)
  }

  @Test("S23: one update token accepts a burst of ten and then one a second, another is not affected")
  func rateLimit() throws {
    var stage = Stage()
    for device: UInt32 in 0..<2 { try stage.order(.startActivity(app: nil, attributesType: nil), on: device) }
    let busy = try stage.token(.update(activity: 0), on: 0)
    let calm = try stage.token(.update(activity: 0), on: 1)
    let statuses = try (0..<12).map { _ in try stage.pushActivity(busy, event: "update").status }
    #expect(statuses == Array(repeating: 200, count: 10) + [429, 429])
    let refused = try stage.pushActivity(busy, event: "update")
    #expect(refused.reason == .tooManyRequests && refused.answer.rejection?.since == nil)
    #expect(try stage.pushActivity(calm, event: "update").status == 200)
    #expect(try stage.push(try stage.token()).status == 200)
    stage.advance(by: .seconds(1))
    #expect(try stage.pushActivity(busy, event: "update").status == 200)
    #expect(try stage.pushActivity(busy, event: "update").status == 429)
  }

  @Test("S23: how many pass at once is a setting, for both kinds of limit", arguments: [1, 3, 25])
  func tokenBurst(_ burst: Int) throws {
    var rulebook = Rulebook()
    rulebook.othersPerSecond = 2
    rulebook.tokenBurst = burst
    var stage = Stage(rulebook: rulebook)
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let update = try stage.token(.update(activity: 0))
    let statuses = try (0...burst).map { _ in try stage.pushActivity(update, event: "update").status }
    #expect(statuses == Array(repeating: 200, count: burst) + [429])
    let others = try (0...burst).map { _ in try stage.push(try stage.token()).status }
    #expect(others == Array(repeating: 200, count: burst) + [429])
  }

  @Test("S23: the other kinds of token have no limit, unless a setting gives one")
  func otherRates() throws {
    var free = Stage()
    let token = try free.token()
    #expect(try (0..<100).allSatisfy { _ in try free.push(token).status == 200 })
    var rulebook = Rulebook()
    rulebook.otherTokenRate = RequestRate(perSecond: 1, burst: 2)
    rulebook.updateTokenRate = nil
    var tight = Stage(rulebook: rulebook)
    #expect(try (0..<3).map { _ in try tight.push(token).status } == [200, 200, 429])
    try tight.order(.startActivity(app: nil, attributesType: nil))
    let update = try tight.token(.update(activity: 0))
    #expect(try (0..<30).allSatisfy { _ in try tight.pushActivity(update, event: "update").status == 200 })
  }

  @Test("refused pushes and queries touch no device; a push that arrives or changes one touches that one")
  func untouched() throws {
    var stage = Stage(devices: 1000)
    for device: UInt32 in 0..<1000 { _ = try stage.push(try stage.token(on: device), topic: "com.other") }
    _ = try stage.view(5)
    _ = stage.world.devices(.init(), from: 0, limit: 1000, at: stage.now.world)
    _ = stage.world.tokens(.init(), from: .init(device: 0, skip: 0), limit: 10_000, at: stage.now.world)
    _ = try stage.push("00")
    stage.advance(by: .seconds(86400))
    #expect(throws: CommandProblem.self) { try stage.order(.reinstall(app: nil), on: 3) }
    #expect(stage.world.fleet.touchedCount == 0)
    try stage.order(.goOffline, on: 5)
    try stage.order(.goOnline, on: 5)
    try stage.order(.startActivity(app: nil, attributesType: nil), on: 6)
    _ = try stage.push(try stage.token(on: 7))
    #expect(stage.world.fleet.touchedCount == 3)
  }

  @Test("the initial activities run on every install, are counted with it, and end at eight hours")
  func fleetsOwnActivities() throws {
    let apps = [AppProfile(bundleID: Stage.app, teamID: Stage.team, attributesTypes: ["M"], runningActivities: 2)]
    var stage = Stage(apps: apps)
    let token = try stage.token(.update(activity: 1), on: 9)
    #expect(try stage.pushActivity(token, event: "update").fate.updates(1))
    #expect(try stage.app(9).activities.map(\.origin) == [.fleet, .fleet])
    stage.advance(by: .seconds(28_800))
    let rejection = try stage.pushActivity(token, event: "update").answer.rejection
    #expect(rejection?.reason == .expiredToken && rejection?.since == Stage.began.advanced(by: .seconds(28_800)))
    try stage.order(.startActivity(app: nil, attributesType: nil), on: 9)
    #expect(try stage.app(9).activities.map(\.isOver) == [true, true, false])
  }

  @Test("S6, S20: a refused client is listed among the troubles once for each rule it violates")
  func troubles() throws {
    var stage = Stage()
    let bare = HTTPRequest("POST", "/3/device/00", body: [UInt8]())
    for stream: Int32 in [101, 103] { stage.world.receive(bare, on: StreamID(Stage.sandbox, stream), at: stage.now) }
    let troubles = stage.events().compactMap { if case .trouble(let trouble) = $0 { trouble } else { nil } }
    #expect(troubles.count == 1)
    #expect(troubles.first?.kind == "providerToken" && troubles.first?.peer == "127.0.0.1:50001")
    #expect(troubles.first?.sentence.contains("MissingProviderToken") == true)
    _ = try stage.push("00")
    #expect(stage.events().allSatisfy { if case .trouble = $0 { false } else { true } })
  }
}
