import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@Suite("A connection with a certificate")
struct CertificateTests {
  private static func goAway(_ reason: String, lastStream: Int32?) -> WireCommand {
    .goAway(lastStream: lastStream, code: 0, debug: Array(#"{"reason":"\#(reason)"}"#.utf8), closes: true)
  }

  private static let refused: [(ProviderCertificate, RejectionReason)] = [
    (.good.with(flaw: .revoked), .badCertificate),
    (.good.with(environments: [.production]), .badCertificateEnvironment),
  ]

  @Test(
    "a connection with a certificate delivers alerts and calls to phones", arguments: [Stage.Way.request, .examined])
  func delivers(way: Stage.Way) throws {
    var stage = Stage()
    stage.way = way
    let connection = stage.connect(.good)
    stage.providers[connection] = stage.world.provider(of: connection)
    let alert = try stage.send(try stage.token(), #"{"aps":{"alert":"Out!"}}"#, on: connection)
    #expect(alert.status == 200 && alert.fate.shown != nil && alert.keyNumber == nil)
    let call = try stage.send(
      try stage.token(.service(.voip)), topic: Stage.app + ".voip", "{}", ["apns-push-type": "voip"], on: connection)
    #expect(call.status == 200 && call.fate.reaction == .call(.rang(launched: false)))
    #expect(stage.pushesThatWay == (way == .examined ? 2 : 0))
    #expect(stage.orders(on: connection).isEmpty)
  }

  @Test("S5: as a setting, a Live Activity is answered 200, and neither phone nor screen hears of it")
  func silentLiveActivity() throws {
    var rulebook = Rulebook()
    rulebook.certificateLiveActivities = .drop
    var stage = Stage(rulebook: rulebook)
    let connection = stage.connect(.good)
    _ = stage.events()
    let start = try stage.send(
      try stage.token(.pushToStart(type: 0)), topic: Stage.activityTopic, Stage.body(stage.aps("start")),
      on: connection)
    #expect(start.status == 200 && start.fate == .discarded(.certificate))
    #expect(stage.story().isEmpty && stage.screen().cards.isEmpty)
    #expect(try stage.story(of: start).contains { $0.sentence.contains("it was sent by certificate") })
    // The same push with a provider token starts it.
    #expect(try stage.launch().fate.starts(0))
    _ = stage.events()
    let update = try stage.send(
      try stage.token(.update(activity: 0)), topic: Stage.activityTopic, Stage.body(stage.aps("update")),
      on: connection)
    #expect(update.status == 200 && update.fate == .discarded(.certificate))
    #expect(stage.story().isEmpty && stage.score() == 0)
  }

  @Test("a connection with a rejected certificate is reported once, when it opens, with the reason", arguments: refused)
  func trouble(certificate: ProviderCertificate, reason: RejectionReason) throws {
    var stage = Stage()
    let connection = stage.connect(certificate)
    for _ in 0..<2 { #expect(try stage.send(try stage.token(), "{}", on: connection).reason == reason) }
    let troubles = stage.world.recent.compactMap { event -> ClientTrouble? in
      if case .trouble(let trouble) = event { trouble } else { nil }
    }
    #expect(troubles.map(\.kind) == ["certificate"] && troubles.first?.peer == "127.0.0.1:50900")
    #expect(troubles.first?.sentence.contains(reason.rawValue) == true)
  }

  @Test("ends with GOAWAY behind the 403 to its first request, and once", arguments: refused)
  func answered(certificate: ProviderCertificate, reason: RejectionReason) throws {
    var stage = Stage()
    let connection = stage.connect(certificate)
    #expect(stage.orders(on: connection).isEmpty, "nothing before the first request")
    let record = try stage.send(try stage.token(), "{}", on: connection)
    #expect(record.status == 403 && record.reason == reason && record.fate == .refused)
    let order = Self.goAway(reason.rawValue, lastStream: nil)
    #expect(stage.orders(on: connection) == [order])
    let events = stage.world.recent
    let answered = try #require(events.firstIndex { if case .push = $0 { true } else { false } })
    #expect(events[answered...].dropFirst().first == .wire(connection, order))
    _ = try stage.send(try stage.token(), "{}", on: connection)
    #expect(stage.orders(on: connection) == [order])
  }

  @Test("ends with GOAWAY as it opens, with that setting", arguments: refused)
  func sentAway(certificate: ProviderCertificate, reason: RejectionReason) throws {
    var rulebook = Rulebook()
    rulebook.refusedCertificate = .goAway
    var stage = Stage(rulebook: rulebook)
    let connection = stage.connect(certificate)
    #expect(stage.orders(on: connection) == [Self.goAway(reason.rawValue, lastStream: 0)])
    let sound = stage.connect(.good)
    #expect(stage.orders(on: sound).isEmpty)
  }

  @Test(
    "a connection gets one GOAWAY if its certificate and its errors both end it, whichever comes first",
    arguments: [false, true])
  func leavesOnce(byCertificateFirst: Bool) throws {
    let flawed = ProviderCertificate.good.with(flaw: .revoked)
    for refusal in [RefusedCertificate.answer, .goAway] {
      var rulebook = Rulebook()
      rulebook.errorsPerConnection = 2
      rulebook.refusedCertificate = refusal
      var stage = Stage(rulebook: rulebook)
      let connection = stage.connect(flawed)
      // Paths are checked before certificates, so these errors are not about the certificate.
      let paths = ["/3/device/", "/3/wrong/", "/3/wrong/"].map { $0 + String(repeating: "ab", count: 32) }
      for (number, path) in (byCertificateFirst ? paths : paths.reversed()).enumerated() {
        stage.world.receive(
          HTTPRequest("POST", path, fields: [], body: Array("{}".utf8)),
          on: StreamID(connection, Int32(2 * number + 1)),
          at: stage.now)
      }
      #expect(stage.orders(on: connection).count == 1, "\(refusal)")
    }
  }

  @Test("a connection with a certificate manages channels, and ends with GOAWAY if the certificate is refused")
  func channels() throws {
    var stage = Stage()
    for (certificate, status) in [(ProviderCertificate.good, 200), (.good.with(flaw: .revoked), 403)] {
      let connection = stage.connect(certificate, managesChannels: true)
      stage.world.receive(
        HTTPRequest("GET", "/1/apps/\(Stage.app)/all-channels", fields: [], body: []), on: StreamID(connection, 1),
        at: stage.now)
      let answers = stage.world.recent.compactMap { $0.answer(on: connection)?.response.status }
      #expect(answers == [status])
      #expect(stage.orders(on: connection).count == (status == 403 ? 1 : 0))
    }
  }

  @Test(
    "a certificate that a scenario revokes is rejected on open and new connections, until it is valid again",
    arguments: ["all", "0123ab", "0123abcdef"])
  func suspended(name: String) throws {
    var stage = Stage()
    let certificate = ProviderCertificate.good.with(fingerprint: "0123abcdef")
    let other = ProviderCertificate.good.with(fingerprint: "0124abcdef")
    let open = stage.connect(certificate)
    let others = stage.connect(other)
    #expect(try stage.send(try stage.token(), "{}", on: open).status == 200)
    try stage.world.perform(.suspendCertificates(name), at: stage.now)
    for connection in [open, stage.connect(certificate)] {
      #expect(try stage.send(try stage.token(), "{}", on: connection).reason == .badCertificate)
      #expect(stage.orders(on: connection) == [Self.goAway("BadCertificate", lastStream: nil)])
    }
    #expect(try stage.send(try stage.token(), "{}", on: others).status == (name == "all" ? 403 : 200))
    #expect(throws: CommandProblem.self) { try stage.world.perform(.suspendCertificates(name), at: stage.now) }
    try stage.world.perform(.restoreCertificates(name), at: stage.now)
    #expect(try stage.send(try stage.token(), "{}", on: stage.connect(certificate)).status == 200)
    #expect(stage.world.suspendedCertificates.isEmpty)
    #expect(throws: CommandProblem.self) { try stage.world.perform(.restoreCertificates(name), at: stage.now) }
    #expect(throws: CommandProblem.self) { try stage.world.perform(.suspendCertificates("0123a"), at: stage.now) }
  }

  @Test("with that setting, a revocation ends an open connection after its last stream, not before its first")
  func sentAwayLater() throws {
    var rulebook = Rulebook()
    rulebook.refusedCertificate = .goAway
    var stage = Stage(rulebook: rulebook)
    let certificate = ProviderCertificate.good.with(fingerprint: "0123abcdef")
    let revocations: [(inout Stage) throws -> Void] = [
      { try $0.world.perform(.suspendCertificates("all"), at: $0.now) },
      { try $0.world.perform(.revokeCertificate("0123abcdef"), at: $0.now) },
    ]
    for revoke in revocations {
      let connection = stage.connect(certificate)
      #expect(try stage.send(try stage.token(), "{}", on: connection).status == 200)
      try revoke(&stage)
      #expect(stage.orders(on: connection) == [Self.goAway("BadCertificate", lastStream: nil)])
      // Before its first request, a new connection is ended at once.
      let late = stage.connect(certificate.with(flaw: .revoked))
      #expect(stage.orders(on: late) == [Self.goAway("BadCertificate", lastStream: 0)])
      if !stage.world.suspendedCertificates.isEmpty {
        try stage.world.perform(.restoreCertificates("all"), at: stage.now)
      }
    }
  }

  @Test("of certificates that a scenario has revoked together, one can be valid again")
  func restoredAlone() {
    var suspended = SuspendedCertificates()
    func states() -> [Bool] { ["0123abcdef", "0124abcdef"].map(suspended.contains) }
    #expect(suspended.set("", isSuspended: true) == .changed && states() == [true, true])
    #expect(suspended.set("0123ab", isSuspended: false) == .changed && states() == [false, true])
    #expect(suspended.set("0123abcd", isSuspended: false) == .unchanged)
    #expect(suspended.set("0124ab", isSuspended: true) == .unchanged)
    #expect(suspended.set("0123abcd", isSuspended: true) == .changed && states() == [true, true])
    #expect(suspended.set("0123ab", isSuspended: true) == .changed && states() == [true, true])
    #expect(suspended.set("", isSuspended: false) == .changed && suspended.isEmpty && states() == [false, false])
  }

  @Test("a world that begins anew accepts certificates that a scenario has revoked")
  func anew() throws {
    var stage = Stage()
    try stage.world.perform(.suspendCertificates("all"), at: stage.now)
    _ = stage.world.beginAnew(at: stage.now)
    #expect(try stage.send(try stage.token(), "{}", on: stage.connect(.good)).status == 200)
  }

  @Test("a world accepts a limited number of changes of certificates, and then that all are valid again")
  func full() throws {
    var stage = Stage()
    for number in 0..<SuspendedCertificates.most {
      try stage.world.perform(.suspendCertificates("\(100_000 + number)"), at: stage.now)
    }
    func refusal(_ order: Command) -> String? {
      do throws(CommandProblem) { try stage.world.perform(order, at: stage.now) } catch { return error.sentence }
      return nil
    }
    #expect(refusal(.suspendCertificates("ffffff"))?.contains("the maximum") == true)
    // Neither needs room.
    #expect(refusal(.suspendCertificates("100000ab"))?.contains("is revoked already") == true)
    #expect(refusal(.restoreCertificates("100000")) == nil)
    try stage.world.perform(.restoreCertificates("all"), at: stage.now)
    try stage.world.perform(.suspendCertificates("ffffff"), at: stage.now)
  }

  @Test("expires by the clock of the machine, at its next connection")
  func expiry() throws {
    var stage = Stage()
    let early = stage.connect(.good)
    stage.now = Now(world: stage.now.world, wall: Stage.began.advanced(by: .seconds(3601)))
    #expect(try stage.send(try stage.token(), "{}", on: early).status == 200)
    let late = stage.connect(.good)
    #expect(try stage.send(try stage.token(), "{}", on: late).reason == .badCertificate)
  }

  @Test("the replay of a tape answers every certificate as the recorded run did")
  func replays() throws {
    var stage = Stage()
    let before = stage.record()
    for certificate in [
      .good, .good.with(topics: [Stage.app]), .good.with(flaw: .otherKey("EC of 256 bits")),
      .good.with(environments: [.production]),
    ] as [ProviderCertificate] {
      let connection = stage.connect(certificate)
      for topic in [Stage.app, Stage.activityTopic, ""] {
        _ = try stage.send(try stage.token(), topic: topic, #"{"aps":{"alert":"Out!"}}"#, on: connection)
      }
    }
    _ = stage.events()
    let reel = try Reel(stage.batches)
    #expect(reel.read.ending == .whole)
    #expect(reel.play(in: before).difference == nil)
    // Without the certificates on the tape, the same calls have other results.
    let bare = stage.batches.map { batch in
      TapeBatch(
        calls: batch.calls.map { recorded in
          guard case .opened(let id, let environment, let peer, let manages, _) = recorded.call else { return recorded }
          let call = WorldCall.opened(id, environment, peer: peer, managesChannels: manages, nil)
          return RecordedCall(call, at: recorded.now, firstEvent: recorded.firstEvent)
        }, events: batch.events)
    }
    #expect(try Reel(bare).play(in: before).difference != nil)
  }
}

@Suite("A device management push")
struct DeviceManagementTests {
  private static let topic = "com.apple.mgmt.External.9b1cd6e0-1c2d-4a5b-8f00-0123456789ab"

  private func send(_ body: String) throws -> (PushRecord, Screen) {
    var stage = Stage(apps: [AppProfile(bundleID: Self.topic, teamID: Stage.team)])
    let connection = stage.connect(.good.with(topics: [Self.topic]))
    let record = try stage.send(
      try stage.token(), topic: Self.topic, body, ["apns-push-type": "mdm"], on: connection)
    return (record, stage.screen())
  }

  @Test("a device management push reaches the phone and shows nothing")
  func delivered() throws {
    let (record, screen) = try send(#"{"mdm":"6B4C1C22-0E1C-4B0D-8D62-0D2B8A6A1C33"}"#)
    #expect(record.status == 200 && record.fate == .delivered(.service(.acceptedNoUI)))
    #expect(screen.notifications.isEmpty && screen.cards.isEmpty)
  }

  @Test(
    "a device management push without its magic is ignored by the phone",
    arguments: ["{}", #"{"mdm":5}"#, #"{"aps":{"alert":"x"}}"#])
  func noMagic(body: String) throws {
    let (record, screen) = try send(body)
    #expect(record.status == 200 && record.fate == .delivered(.service(.noPushMagic)))
    #expect(screen.notifications.isEmpty)
    let line = try #require(PushStory(record, DevicePolicy()).lines.last)
    #expect(line.event == "no-push-magic" && line.evidence != nil)
    var logs = EventLogs(pushLogCapacity: 10, audits: true)
    logs.read([.push(record)])
    let finding = try #require(logs.auditor?.findings.first)
    #expect(finding.kind == .payloadDropped && finding.evidence == line.evidence)
  }

  @Test("a device management push that is no JSON object is dropped like any such push", arguments: ["[]", "x"])
  func noObject(body: String) throws {
    let (record, screen) = try send(body)
    #expect(record.status == 200 && record.fate.causes == ["payload-unreadable"])
    #expect(screen.notifications.isEmpty)
  }
}
