import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// Ordinary notifications from the wire to the screen.
@Suite("A notification in the world")
struct NotificationWorldTests {
  private static let sound = #"{"aps":{"alert":{"title":"T","body":"B"},"badge":3,"sound":"ding.caf"}}"#

  private func stage(_ change: (inout AppTraits) -> Void = { _ in }) -> Stage {
    var profile = AppProfile(bundleID: Stage.app, teamID: Stage.team)
    profile.traits.sounds = ["ding.caf"]
    change(&profile.traits)
    return Stage(apps: [profile])
  }

  private func show(
    _ stage: inout Stage, _ body: String = NotificationWorldTests.sound, _ headers: [String: String] = [:]
  ) throws -> Presentation {
    let record = try stage.send(try stage.token(), body, headers)
    #expect(record.status == 200)
    return try #require(record.fate.shown)
  }

  private static let permissions: [(NotificationPermission, Presentation.Shape, PresentationCause, sounds: Bool)] = [
    (.notDetermined, .nothing, .notDetermined, false), (.denied, .nothing, .permissionDenied, false),
    (.provisional, .listOnly, .provisional, false), (.authorized, .banner, .shown, true),
    (.ephemeral, .banner, .shown, true),
  ]

  @Test("with each permission it is shown, listed or neither, and always answered 200", arguments: permissions)
  func permission(
    _ permission: NotificationPermission, _ shape: Presentation.Shape, _ cause: PresentationCause, _ sounds: Bool
  ) throws {
    var stage = stage()
    try stage.permit(permission)
    let shown = try show(&stage)
    #expect(shown.shape == shape && shown.cause == cause)
    #expect(shown.sound?.name == (sounds ? "ding.caf" : nil) && shown.badge == (sounds ? 3 : nil))
    let screen = stage.screen()
    #expect(screen.notifications.count == (shape == .nothing ? 0 : 1))
    #expect(screen.notifications.allSatisfy { $0.isBanner == (shape == .banner) })
    #expect(screen.badges.map(\.number) == (sounds ? [3] : []) && screen.isLit == (shape == .banner))
  }

  @Test("what a denied permission keeps from the screen is discarded as disabled, from storage too")
  func disabled() throws {
    var stage = stage()
    try stage.permit(.denied)
    var logs = EventLogs(pushLogCapacity: 10)
    let record = try stage.send(try stage.token(), Self.sound)
    #expect(record.fate.words == "Discarded - Disabled" && record.fate.causes == ["permission-denied"])
    try stage.order(.goOffline)
    let stored = try stage.send(try stage.token(), Self.sound)
    try stage.order(.goOnline)
    #expect(stage.fate(of: stored).words == "Discarded - Disabled (From Storage)")
    logs.read(stage.events())
    #expect(logs.metrics.discarded == 2 && logs.metrics.delivered == 0 && logs.metrics.stored == 1)
    let story = PushStory(record).lines.map(\.event)
    #expect(story == ["accepted", "discarded", "received", "nothing"])
    #expect(Fate.allWords.contains(record.fate.words))
  }

  @Test("a device token exists with any permission", arguments: NotificationPermission.allCases)
  func token(_ permission: NotificationPermission) throws {
    var stage = stage()
    try stage.permit(permission)
    #expect(try stage.app().deviceToken != nil)
  }

  private static let levels: [(String?, focus: Bool, allowed: Bool, Presentation.Shape, PresentationCause)] = [
    (nil, false, true, .banner, .shown), ("active", false, true, .banner, .shown),
    ("passive", false, true, .listOnly, .passive), ("time-sensitive", false, true, .banner, .shown),
    (nil, true, true, .listOnly, .focus), ("active", true, true, .listOnly, .focus),
    ("passive", true, true, .listOnly, .passive), ("time-sensitive", true, true, .banner, .timeSensitive),
    ("time-sensitive", true, false, .listOnly, .focus), ("critical", true, true, .listOnly, .focus),
  ]

  @Test("its interruption level decides, and a Focus lets through permitted levels", arguments: levels)
  func level(
    _ word: String?, _ focus: Bool, _ allowed: Bool, _ shape: Presentation.Shape, _ cause: PresentationCause
  ) throws {
    var stage = stage()
    if focus { try stage.order(.flip(.focus, on: true, app: nil)) }
    if !allowed { try stage.order(.flip(.timeSensitive, on: false, app: nil)) }
    let member = word.map { #","interruption-level":"\#($0)""# } ?? ""
    let shown = try show(&stage, #"{"aps":{"alert":"B","sound":"default"\#(member)}}"#)
    #expect(shown.shape == shape && shown.cause == cause)
    #expect((shown.sound != nil) == (shape == .banner), "only a banner is heard")
    #expect(stage.screen().notifications.map(\.isBanner) == [shape == .banner])
  }

  @Test("a critical alert breaks through a Focus with the entitlement", arguments: [true, false])
  func critical(_ entitled: Bool) throws {
    var stage = stage { $0.criticalAlerts = entitled }
    try stage.order(.flip(.focus, on: true, app: nil))
    let shown = try show(&stage, #"{"aps":{"alert":"B","sound":{"critical":1,"name":"ding.caf","volume":0.5}}}"#)
    #expect(shown.cause == (entitled ? .critical : .focus))
    #expect(shown.sound == (entitled ? NotificationSound("ding.caf", isCritical: true, volume: 0.5) : nil))
  }

  @Test("a badge is set by a number, cleared by 0, and left unchanged without one")
  func badge() throws {
    var stage = stage()
    for (member, expected) in [(#","badge":7"#, [7]), ("", [7]), (#","badge":0"#, []), (#","badge":2"#, [2])] {
      _ = try show(&stage, #"{"aps":{"alert":"B"\#(member)}}"#)
      #expect(stage.screen().badges.map(\.number) == expected)
    }
  }

  @Test("an unknown sound file plays the default one, and a push without sound is silent")
  func sounds() throws {
    var stage = stage()
    for (member, expected) in [(#","sound":"none.caf""#, "default"), (#","sound":"ding.caf""#, "ding.caf"), ("", nil)]
      as [(String, String?)]
    {
      #expect(try show(&stage, #"{"aps":{"alert":"B"\#(member)}}"#).sound?.name == expected)
    }
  }

  @Test("thread, category and window are kept with the notification")
  func names() throws {
    var stage = stage()
    _ = try show(
      &stage, #"{"aps":{"alert":"B","thread-id":"match-7","category":"GOAL","target-content-id":"w"}}"#)
    let shown = try #require(stage.screen().notifications.first?.text)
    #expect(shown.threadID == "match-7" && shown.category == "GOAL" && shown.targetContentID == "w")
  }

  @Test("with one collapse id there is one notification, with the newest text; a passive one makes no second banner")
  func collapse() throws {
    var stage = stage()
    let id = ["apns-collapse-id": "score"]
    let first = try show(&stage, #"{"aps":{"alert":"1-0"}}"#, id)
    _ = try show(&stage, #"{"aps":{"alert":"other"}}"#, ["apns-collapse-id": "other"])
    let second = try show(&stage, #"{"aps":{"alert":"2-0","interruption-level":"passive"}}"#, id)
    #expect(second.replaced == first.number && second.shape == .listOnly)
    let list = stage.screen().notifications
    #expect(Set(list.map(\.text.alert.body)) == ["2-0", "other"] && list.count == 2)
    #expect(list.first { $0.shown.collapseID == "score" }?.isBanner == false)
  }

  @Test("the app in the foreground decides, and shows nothing by default", arguments: [false, true])
  func foreground(_ presents: Bool) throws {
    var stage = stage { $0.presentsInForeground = presents }
    try stage.order(.open(app: nil))
    let shown = try show(&stage)
    #expect(shown.shape == (presents ? .banner : .nothing))
    #expect(stage.screen().notifications.count == (presents ? 1 : 0))
  }

  @Test("a tap opens the app and removes the notification")
  func tap() throws {
    var stage = stage()
    let shown = try show(&stage)
    let number = try #require(shown.number)
    _ = stage.events()
    try stage.order(.tapNotification(nil, app: nil))
    let story = stage.story()
    let tapped = try #require(story.firstIndex(of: .notificationTapped(number)))
    let opened = try #require(story.firstIndex(of: .appForegrounded))
    #expect(tapped < opened && stage.screen().notifications.isEmpty)
    #expect(try stage.app().life == .foreground)
  }

  @Test("priority 5 is deferred until it suits the phone, or for its screen", arguments: [false, true])
  func lowPriority(_ lights: Bool) throws {
    var stage = stage()
    let record = try stage.send(try stage.token(), Self.sound, ["apns-priority": "5"])
    let until = try #require(record.fate.heldUntil)
    #expect(record.status == 200 && stage.screen().notifications.isEmpty)
    if lights { try stage.order(.lightScreen) } else { stage.advance(by: stage.now.world.duration(to: until)) }
    let last = try #require(stage.fates(of: record).last)
    #expect(last.fate.shown?.shape == .banner && last.fate.words == "Delivered to Device (From Storage)")
    #expect(last.at == stage.now.world && stage.screen().notifications.count == 1)
  }

  @Test("notifications are never coalesced: each of priority 5 is shown")
  func noCoalescing() throws {
    var stage = stage()
    for _ in 0..<20 { _ = try stage.send(try stage.token(), Self.sound, ["apns-priority": "5"]) }
    stage.advance(by: .seconds(120))
    #expect(stage.screen().notifications.count == 20)
  }

  @Test("texts by key come from the app's strings")
  func localised() throws {
    var stage = stage { $0.strings = StringTable([.init("en", [.init("GOAL", "%1$@ scores")])]) }
    let shown = try show(&stage, #"{"aps":{"alert":{"title":"x","loc-key":"GOAL","loc-args":["Kane"]}}}"#)
    #expect(shown.alert == RenderedAlert(title: "x", body: "Kane scores"))
  }

  @Test("without permission nothing is shown, and the Live Activities are not affected")
  func activitiesGoOn() throws {
    var stage = Stage()
    try stage.order(.permit(.denied, app: Stage.app))
    #expect(try stage.launch().fate.starts(0))
    #expect(try stage.update(1).fate.isUpdate && stage.score() == 1)
  }
}
