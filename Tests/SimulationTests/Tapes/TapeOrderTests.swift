import APNs
import Devices
import Orders
import Reporting
import TestSupport
import Testing
import Timeline
import WireFormats

@testable import Simulation

@Suite("A tape, of everything that can be ordered,")
struct TapeOrderTests {
  private static let json: JSONValue = [
    "a": nil, "b": [true, false], "c": .integer(.min), "d": .double(0.1), "e": "\u{0}é",
    "f": .object([.init("x", .integer(-1)), .init("y", .double(-0.0)), .init("z", .double(5))]),
  ]

  private static let selection: Selection = {
    var selection = Selection()
    selection.filter.app = "com.example.app"
    selection.filter.os = OSPattern(17, 6)
    selection.filter.isOnline = false
    selection.filter.share = Odds(300_000, in: 1_000_000)
    selection.shareName = "wave"
    selection.filter.devices = [DeviceID(4), DeviceID(0), DeviceID(.max)]
    selection.start = 70_000
    return selection
  }()

  private static let request: StartActivity = {
    var request = StartActivity(app: "com.example.app", attributesType: "MatchAttributes")
    request.order.attributes = json
    request.order.content = ["list": [1, 2]]
    request.order.updates = .channel("dHN0LXNyY2gtY2hubA==")
    request.order.staleDate = Instant(seconds: -1)
    request.order.relevance = 0.5
    request.order.isTransient = true
    request.order.begins = Instant(nanoseconds: 1_800_000_000_500_000_000)
    request.order.alerts = true
    request.order.scene = .intent
    request.order.injected = .persistenceFailure
    return request
  }()

  private static let update: ActivityUpdateRequest = {
    var order = ActivityUpdateRequest(content: json)
    order.timestamp = 1_700_000_000.25
    order.staleDate = Instant(seconds: 5)
    order.relevance = 100
    order.alerts = true
    return order
  }()

  static let actions: [DeviceAction] =
    [
      .uninstall(app: nil), .reinstall(app: "a", opens: false), .reinstall(app: nil, opens: true),
      .updateApp(app: "a"), .open(app: "a"), .leave(app: nil), .forceQuit(app: "a"), .terminate(app: "a"),
      .crash(app: nil), .use("follow", app: "a", arguments: [.init("matchId", json)]), .start(request),
      .start(StartActivity()), .updateActivity("x", app: nil, update),
      .updateActivity(nil, app: "a", ActivityUpdateRequest(content: [:])),
      .endActivity("x", app: "a", content: json, dismissal: Instant(seconds: 0)), .endActivity(nil, app: nil),
      .evict("x", app: nil), .swipe(nil, app: "a"), .tap("x", app: "a"), .allow("x", app: "a"), .deny(nil, app: nil),
      .longPress("x", app: nil), .pressButton("mute", activity: "x", app: "a"),
      .pressButton("mute", notification: 7, app: nil), .answerNotification("On my way", 7, app: "a"),
      .answerNotification("", app: nil), .setClock(ahead: .seconds(90)), .setClock(ahead: .seconds(-5400)),
      .tapNotification(7, app: nil), .tapNotification(nil, app: "a"), .clearNotifications(app: "a"), .lock, .unlock,
      .lightScreen, .darkenScreen, .goOffline, .goOnline, .reboot, .restore, .updateSystem(OSVersion(26, 1)),
    ]
    + TokenKind.allCases.map { .rotate($0, app: "a", attributesType: nil, activity: nil) }
    + [
      .rotate(.update, app: nil, attributesType: nil, activity: "x", silently: true),
      .rotate(.pushToStart, app: "a", attributesType: "M", activity: nil),
    ]
    + PhoneSwitch.allCases.flatMap { [.flip($0, on: true, app: nil), .flip($0, on: false, app: "a")] }
    + NotificationPermission.allCases.map { .permit($0, app: "a") }

  private static let certificates: [ListenerFault] = ListenerFault.CertificateFault.allCases.map { .certificate($0) }

  static let consequences: [Fault.Consequence] = {
    var goAway = FaultGoAway()
    goAway.before = -1
    goAway.code = 11
    goAway.debug = Array("é\u{0}".utf8)
    goAway.sequel = .freezing(answersPings: true)
    var twice = FaultGoAway()
    twice.sequel = .second(closes: false)
    let pieces = FaultBodySplit(sizes: [5, 300], end: .never, pause: .milliseconds(3))
    let late = AnswerDelay.lognormal(median: .seconds(1), p99: .seconds(9))
    let pushes: [PushFault] =
      RejectionReason.allCases.map { .refuse($0, retryAfter: nil, age: nil) } + [
        .refuse(.unregistered, retryAfter: 120, age: .seconds(3600)), .delay(.between(.zero ... .milliseconds(1500))),
        .delay(.lognormal(median: .milliseconds(40), p99: .seconds(2))), .silence, .lose, .loseAnswer(code: nil),
        .arrival(.lose), .arrival(.double), .arrival(.overtake), .arrival(.delay(late)), .loseAnswer(code: 8),
        .reset(code: 7), .malformed(status: 503, body: [123, 0]), .withoutID,
        .refuse(.badTopic, retryAfter: nil, age: nil, pieces: pieces),
        .malformed(status: 400, body: [], pieces: FaultBodySplit(sizes: [1])),
      ]
    let connections: [ConnectionFault] = [
      .goAway(FaultGoAway()), .goAway(goAway), .goAway(twice),
      .streams(1, open: .refuse, excessStreams: nil, back: nil, after: .seconds(1)),
      .streams(
        1, open: .refuse, excessStreams: ExcessStreamGoAway(code: 7, debug: [65]), back: 1000, after: .seconds(5)),
      .streams(2, open: .finish, excessStreams: nil, back: 1000, after: .seconds(5)),
      .window(16, withheld: true, back: nil, after: .seconds(1)),
      .window(0, withheld: false, back: 9, after: .seconds(1)),
      .halfClose(sendsCloseNotify: true), .halfClose(sendsCloseNotify: false), .skew(.seconds(-5400)),
      .freeze(answersPings: true), .freeze(answersPings: false), .close,
      .abort, .rejectAll(.internalServerError), .readsSlowly(bytesPerSecond: 100),
    ]
    let listeners: [ListenerFault] =
      [.refuse, .failHandshake, .slowHandshake(.seconds(3)), .hang] + certificates
    return pushes.map { .push($0) } + connections.map { .connection($0) } + listeners.map { .listener($0) }
      + [.devices(.goOffline, heal: .goOnline), .devices(.reboot, heal: nil)]
      + (ReportFault.simple.map(\.value) + [.delay(late), .clock(.seconds(-90))]).map { .reports($0) }
      + [.prompts(PromptFault(answer: .ignore)), .prompts(PromptFault(after: .seconds(60)))]
  }()

  static let faults: [Fault] = {
    var special = Fault(Fault.name("s", of: "s1"), .push(.silence))
    special.odds = Odds(333_333, in: 1_000_000)
    special.limit = 9
    special.from = Instant(seconds: 1)
    special.until = Instant(seconds: 2)
    var condition = FaultCondition()
    condition.filter.environment = .production
    condition.filter.app = "a"
    condition.filter.type = .voip
    condition.filter.priority = .powerAware
    condition.filter.tokenKind = .service(.voip)
    condition.filter.event = "update"
    condition.filter.devices = [DeviceID(1), DeviceID(4), DeviceID(9)]
    condition.filter.os = OSPattern(26, 1)
    condition.filter.share = Odds(100_000, in: 1_000_000)
    condition.filter.connection = 3
    var scope = Filter()
    scope.keys = [.init(id: "ABCDE12345", number: 2)]
    scope.topics = ["com.example.app", "com.example.app.voip"].compactMap { SessionTopic($0) }
    scope.devices = [DeviceID(2), DeviceID(7)]
    condition.scope = scope
    special.session = "s1"
    condition.skip = 4
    condition.every = 5
    condition.filter.operation = .publish
    condition.filter.channel = "c"
    special.condition = condition
    var opening = Fault("o", .connection(.close))
    opening.condition.trigger = .opening
    var idle = Fault("i", .connection(.close))
    idle.condition.trigger = .idle(.nanoseconds(60_000_000_001))
    return consequences.map { Fault("f", $0) } + [opening, idle, special]
  }()

  private static let key = ProviderKey(
    keyID: "KEY0000002", teamID: "TEAM000001", environments: [.production], topics: ["com.example.app"],
    relatedKeyID: "KEY0000001")

  static let commands: [Command] =
    actions.map { .device(DeviceID(17), $0) } + faults.map { .setFault($0) }
    + CallOutcome.Failure.allCases.map { .answer(3, .failed($0, "why")) }
    + [
      .devices(selection, .reboot), .devices(Selection(), .lock), .deleteFault("f"), .deleteAllFaults,
      .deleteFaults(of: "s1"), .beginAnew, .addKey(key, publicKey: "MFkw"), .revokeKey("KEY0000002"),
      .restoreKey("KEY0000002"), .revokeCertificate("1f2e3d"), .suspendCertificates("all"),
      .restoreCertificates("1f2e3d"),
      .addKey(ProviderKey(keyID: "K", teamID: "T", environments: Set(Environment.allCases)), publicKey: ""),
      .answer(.max, .answered(status: 204, body: nil)), .answer(1, .answered(status: 200, body: json)),
      .register(
        DeviceToken(bytes: Array(0..<128)), DeviceID(0), app: "a", .pushToStart, attributesType: "M", activity: nil),
      .register(DeviceToken(bytes: [1]), DeviceID(0), app: "a", .device, attributesType: nil, activity: nil),
    ]

  private static let answers: [SentAnswer] =
    [.answer(status: 200), .malformed(status: 100), .incomplete(status: 599), .reset(code: 0), .reset(code: 13)]
    + SentAnswer.Wait.allCases.map { .pending($0) } + SentAnswer.Cause.allCases.map { .nothing($0) }

  private static let calls: [WorldCall] =
    commands.map { .performed($0) }
    + [
      .opened(ProviderConnectionID(.max), .production, peer: "[::1]:1", managesChannels: true, nil),
      .opened(ProviderConnectionID(0), .sandbox, peer: "", managesChannels: false, nil),
      .closed(ProviderConnectionID(7)),
      .stepped(0), .stepped(1), .stepped(Int(Int32.max)), .waved,
    ]
    + answers.map { .answerWent(push: 3, ProviderConnectionID(7), $0) }

  @Test(
    "a tape contains what was read of a certificate, whatever its flaw, and reads it back unchanged",
    arguments: [
      nil, .unreadable, .noAppleExtension, .noTopic, .otherKey("EC of 256 bits"), .unknownAuthority, .revoked,
    ] as [ProviderCertificate.Flaw?])
  func certificates(flaw: ProviderCertificate.Flaw?) throws {
    for (topics, environments, manages) in [
      ([], [], false), (["com.example.app"], [.sandbox], true),
      (["com.example.app", "com.example.app.voip"], [.sandbox, .production], false), (["ü"], [.production], true),
    ] as [([String], Set<Environment>, Bool)] {
      let certificate = ProviderCertificate(
        subject: "CN=x", topics: topics, environments: environments,
        validity: .distantPast ... .distantFuture, flaw: flaw, fingerprint: manages ? "0123abcd" : "")
      let call = WorldCall.opened(
        ProviderConnectionID(3), .production, peer: "p", managesChannels: manages, certificate)
      let read = try Reel([TapeBatch(calls: [RecordedCall(call, at: Now(Stage.began), firstEvent: 0)], events: [])])
        .read
      #expect(read.ending == .whole)
      #expect(read.records.first?.first?.call == call)
    }
  }

  @Test(
    "a certificate that no program of this version writes is told as such",
    arguments: ["removed", "Revoked", "sandbox"])
  func strangeFlaw(word: String) throws {
    let certificate = ProviderCertificate(
      subject: "CN=x", topics: ["a"], environments: [.sandbox], validity: .distantPast ... .distantFuture,
      flaw: .revoked)
    let call = WorldCall.opened(ProviderConnectionID(3), .sandbox, peer: "p", managesChannels: false, certificate)
    let sound = try Reel([TapeBatch(calls: [RecordedCall(call, at: Now(Stage.began), firstEvent: 0)], events: [])])
    #expect(sound.read.ending == .whole)
    let text = #""flaw":"revoked""#
    let spoilt = try sound.mapping { payload in
      // Of the same length, which stands before it.
      let other = "\"flaw\":\"\(word)\""
      return payload.replacing(Array(text.utf8), with: Array(other.utf8))
    }
    guard case .unreadable(.invalid(let what)) = spoilt.read.ending else {
      Issue.record("\(word) was taken: \(spoilt.read.ending)")
      return
    }
    #expect(what.contains("flaw cannot be"), "\(what)")
  }

  @Test("a tape of all calls is complete, and reads back unchanged")
  func roundTrip() throws {
    let times: [Instant] = [.distantPast, Instant(seconds: 0), Stage.began, WorldClock.end]
    let recorded = Self.calls.enumerated().map { index, call in
      let isLate = index > Self.calls.count / 2
      let now = Now(world: isLate ? WorldClock.end : Stage.began, wall: times[index % 4])
      return RecordedCall(call, at: now, firstEvent: 0)
    }
    let read = try Reel([TapeBatch(calls: recorded, events: [])]).read
    #expect(read.ending == .whole)
    let calls = read.records.flatMap { $0 }
    #expect(calls.count == recorded.count)
    for (call, original) in zip(calls, recorded) {
      #expect(call.call == original.call)
      #expect(call.now == original.now)
      #expect(call.outcome.count == 0)
    }
  }

  /// A tape that holds an order which its own reader refuses ends there.
  @Test("a tape contains an order nested as deep as a request body can be, and reads it back")
  func deep() throws {
    let wanted = 512
    // The body's own object is a level, and so is the content state.
    var content: JSONValue = [:]
    for _ in 0..<wanted - 3 { content = .array([content]) }
    let body: JSONValue = ["do": "updateActivity", "contentState": ["a": content]]
    #expect((try? JSONValue.parse(Array(body.text.utf8))) == body)
    let command = Command.device(
      DeviceID(0), .updateActivity(nil, app: nil, ActivityUpdateRequest(content: ["a": content])))
    let call = RecordedCall(.performed(command), at: Now(Stage.began), firstEvent: 0)
    let read = try Reel([TapeBatch(calls: [call], events: [])]).read
    #expect(read.ending == .whole)
    #expect(read.records.first?.first?.call == .performed(command))
  }

  @Test("the calls of these tests contain every action and every kind of order")
  func complete() {
    #expect(Set(Self.actions.map { $0.name }) == Set(DeviceAction.names))
    #expect(Set(Self.commands.map(GrammarDay.kind(of:))) == Set(GrammarDay.kinds))
  }

  /// A condition that is added and not written would be lost in silence.
  @Test("the calls of these tests contain every member of a fault")
  func whole() throws {
    // Opening and idle connections exclude pushes, and each other.
    let special = Self.faults.suffix(3).map(FaultWriter.json)
    for member in FaultReader.conditions where member != "device" {
      #expect(special.contains { $0["when"]?[member] != nil }, "\(member)")
    }
    let given = special.flatMap { $0.members?.map(\.key) ?? [] }
    #expect(Set(given) == Set(FaultReader.members).subtracting(["from", "until", "for"]))
  }

  @Test("a tape contains requests of any shape, one after the other", arguments: 0..<200)
  func requests(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    func some(_ most: Int) -> [UInt8] { (0..<dice.below(most + 1)).map { _ in UInt8(dice.below(256)) } }
    func text(_ most: Int) -> String { String((0..<dice.below(most)).map { _ in "0a7f-Z"[dice.below(6)] }) }
    var calls: [RecordedCall] = []
    for _ in 0..<60 {
      let stream = StreamID(ProviderConnectionID(UInt64(dice.below(3))), Int32(truncatingIfNeeded: dice.below(1 << 33)))
      let request: HTTPRequest
      switch dice.below(4) {
      case 0:
        // No fields at all, only bytes where fields should be.
        let storage = some(60)
        request = HTTPRequest(storage: storage, bodyStart: storage.isEmpty ? 0 : dice.below(storage.count))
      case 1: request = HTTPRequest("GET", text(30), fields: [(text(3), text(200))], body: some(20))
      default:
        let token = String(repeating: ["00", "a1", "ff"][dice.below(3)], count: 80)
        request = HTTPRequest(
          "POST", "/3/device/" + token,
          fields: [("apns-topic", text(4)), ("apns-id", text(40)), ("authorization", "bearer x")],
          body: Array(#"{"aps":{"alert":"\#(dice.below(3))"}}"#.utf8) + some(3))
      }
      calls.append(RecordedCall(.received(request, stream), at: Now(Stage.began), firstEvent: 0))
      guard dice.below(9) == 0 else { continue }
      calls.append(RecordedCall(.closed(stream.connection), at: Now(Stage.began), firstEvent: 0))
    }
    let read = try Reel([TapeBatch(calls: calls, events: [])]).read
    #expect(read.ending == .whole, "seed \(seed)")
    #expect(read.records.flatMap { $0 }.map(\.call) == calls.map(\.call), "seed \(seed)")
  }
}

extension String {
  fileprivate subscript(place: Int) -> Character { self[index(startIndex, offsetBy: place)] }
}
