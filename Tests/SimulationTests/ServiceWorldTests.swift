import APNs
import Devices
import Simulation
import Testing
import Timeline

/// Notifications that an extension works on first, and the pushes of other services.
@Suite("Extensions and other services in the world")
struct ServiceWorldTests {
  private func stage(
    _ os: OSVersion = OSVersion(26, 1), services: [TopicSuffix] = [.voip],
    _ change: (inout AppTraits) -> Void = { _ in }
  ) -> Stage {
    var profile = AppProfile(bundleID: Stage.app, teamID: Stage.team, services: services)
    change(&profile.traits)
    return Stage(os: os, apps: [profile])
  }

  private static let mutable = #"{"aps":{"alert":"B","mutable-content":1}}"#

  @Test(
    "an extension holds the notification until it is finished, or for 30 s",
    arguments: [
      (ServiceExtension.succeeds(after: .seconds(4)), 4), (.runsOut, 30), (.succeeds(after: .seconds(99)), 30),
    ]
      as [(ServiceExtension, Int64)])
  func works(_ kind: ServiceExtension, _ seconds: Int64) throws {
    var stage = stage { $0.serviceExtension = kind }
    try stage.order(.forceQuit(app: nil))
    let record = try stage.send(try stage.token(), Self.mutable)
    #expect(record.fate.hold == .serviceExtension && stage.screen().notifications.isEmpty)
    try stage.order(.lightScreen)
    #expect(stage.screen().notifications.isEmpty, "no flush brings it in")
    stage.advance(by: .seconds(seconds))
    #expect(stage.fate(of: record).shown?.shape == .banner && stage.screen().notifications.count == 1)
    #expect(stage.fates(of: record).last?.at == Stage.began.advanced(by: .seconds(seconds)))
  }

  @Test(
    "no extension runs for a push that does not ask for it, has no alert, or may not be shown",
    arguments: [#"{"aps":{"alert":"B"}}"#, #"{"aps":{"badge":1,"mutable-content":1}}"#, mutable])
  func idle(_ body: String) throws {
    var stage = stage { $0.serviceExtension = .runsOut }
    if body == Self.mutable { try stage.order(.permit(.denied, app: nil)) }
    #expect(try stage.send(try stage.token(), body).fate.shown != nil)
  }

  @Test("what an extension did, or why it did not run, is in the story and among the causes")
  func told() throws {
    let plain = #"{"aps":{"alert":"B"}}"#
    let cases: [(ServiceExtension, String, NotificationPermission?, String?)] = [
      (.succeeds(after: .seconds(4)), Self.mutable, nil, "changed-by-extension"),
      (.succeeds(after: .zero), Self.mutable, nil, "changed-by-extension"),
      (.runsOut, Self.mutable, nil, "extension-ran-out"),
      (.runsOut, #"{"aps":{"badge":1,"mutable-content":1}}"#, nil, "no-alert"),
      (.runsOut, Self.mutable, .denied, "alerts-off"), (.runsOut, plain, nil, "not-mutable"),
      (.absent, Self.mutable, nil, "no-extension"), (.absent, plain, nil, nil),
    ]
    for (kind, body, permission, cause) in cases {
      for priority in ["10", "5"] {
        var stage = stage { $0.serviceExtension = kind }
        if let permission { try stage.order(.permit(permission, app: nil)) }
        let record = try stage.send(try stage.token(), body, ["apns-priority": priority])
        stage.advance(by: .seconds(300))
        let told = try stage.story(of: record).filter { $0.event == "extension" }.map(\.cause)
        #expect(told == (cause.map { [$0] } ?? []), "\(kind) \(body) \(priority)")
        #expect(stage.fate(of: record).causes.dropFirst() == (cause.map { [$0] } ?? [])[...])
      }
    }
  }

  @Test("a mutable alert of priority 5 is deferred for its priority first, and for the extension after that")
  func lateAndMutable() throws {
    var stage = stage { $0.serviceExtension = .succeeds(after: .seconds(4)) }
    let record = try stage.send(try stage.token(), Self.mutable, ["apns-priority": "5"])
    let until = try #require(record.fate.heldUntil)
    stage.advance(by: stage.now.world.duration(to: until))
    #expect(stage.screen().notifications.isEmpty)
    stage.advance(by: .seconds(4))
    #expect(stage.screen().notifications.count == 1 && stage.fate(of: record).shown != nil)
  }

  @Test("a VoIP push launches an app in any state, also a force-quit one")
  func call() throws {
    var stage = stage()
    try stage.order(.forceQuit(app: nil))
    _ = stage.events()
    let record = try stage.send(
      try stage.token(.service(.voip)), topic: Stage.app + ".voip", "{}", ["apns-push-type": "voip"])
    #expect(record.fate == .delivered(.call(.rang(launched: true))))
    #expect(stage.story().contains(.appLaunched(.byCall)))
    #expect(try stage.app().life == .background)
  }

  @Test("an app that reports no call is killed, and after the third within a day gets no more pushes")
  func unreported() throws {
    var stage = stage { $0.reportsCalls = .never }
    func push() throws -> Fate {
      try stage.send(try stage.token(.service(.voip)), topic: Stage.app + ".voip", "{}", ["apns-push-type": "voip"])
        .fate
    }
    #expect(try push() == .delivered(.call(.killed(failures: 1))))
    #expect(try stage.app().life == .crashed)
    #expect(try push() == .delivered(.call(.killed(failures: 2))))
    #expect(try push() == .delivered(.call(.killedAndStopped(until: .distantFuture))))
    #expect(try push() == .delivered(.call(.notDelivered(until: .distantFuture))))
  }

  @Test("an app that reports a call late is killed")
  func late() throws {
    var stage = stage { $0.reportsCalls = .late(.seconds(3)) }
    let record = try stage.send(
      try stage.token(.service(.voip)), topic: Stage.app + ".voip", "{}", ["apns-push-type": "voip"])
    #expect(record.fate == .delivered(.call(.reportedLate(after: .seconds(3), failures: 1))))
    #expect(try stage.app().life == .crashed)
  }

  private static let others: [(String, PushType, OSVersion, ServiceReaction)] = [
    (".location-query", .location, OSVersion(26, 1), .extensionRuns),
    (".push-type.widgets", .widgets, OSVersion(26, 1), .reloadHint),
    (".push-type.widgets", .widgets, OSVersion(18, 5), .osTooOld),
    (".push-type.controls", .controls, OSVersion(18, 5), .reloadHint),
    (".push-type.controls", .controls, OSVersion(17, 6), .osTooOld),
    (".voip-ptt", .pushtotalk, OSVersion(26, 1), .needsJoin),
    (".complication", .complication, OSVersion(26, 1), .acceptedNoUI),
    (".pushkit.fileprovider", .fileprovider, OSVersion(26, 1), .acceptedNoUI),
  ]

  @Test("each other service has its reaction, and nothing is shown", arguments: others)
  func other(_ suffix: String, _ type: PushType, _ os: OSVersion, _ reaction: ServiceReaction) throws {
    #expect(type.suffix.text == suffix)
    var stage = stage(os, services: [.voip, type.suffix])
    let record = try stage.send(
      try stage.token(.service(type.suffix)), topic: Stage.app + suffix,
      #"{"aps":{"content-changed":true},"container-identifier":"root"}"#,
      ["apns-push-type": type.rawValue])
    #expect(record.status == 200 && record.fate == .delivered(.service(reaction)), "\(record.reason as Any)")
    let screen = stage.screen()
    #expect(screen.notifications.isEmpty && screen.cards.isEmpty)
  }
}
