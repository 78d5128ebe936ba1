import APNs
import Devices
import Testing
import Timeline
import WireFormats

@Suite("Notifications on the phone")
struct NotificationListTests {
  private static let sound = #""alert":{"title":"t","body":"b"},"badge":3,"sound":"cheer.caf""#

  private func level(_ level: InterruptionLevel) -> String {
    Self.sound + #","interruption-level":"\#(level.rawValue)""#
  }

  @Test("an alert is a banner with its sound, sets the badge, lights the screen and is in the list")
  func shown() throws {
    var phone = NotificationPhone()
    let seen = try phone.receive(Self.sound + #","thread-id":"m","category":"c","target-content-id":"w""#)
    #expect(seen.shape == .banner && seen.cause == .shown && seen.lightsScreen && seen.replaced == nil)
    #expect(seen.sound == NotificationSound("cheer.caf") && seen.badge == 3 && seen.number == 0)
    #expect(seen.alert == RenderedAlert(title: "t", body: "b"))
    let shown = try #require(phone.list.shown.first)
    #expect(phone.list.shown.count == 1 && phone.list.badge == 3)
    let text = try #require(phone.texts.first)
    #expect(text.alert == seen.alert && shown.sound == seen.sound && !shown.isQuiet)
    #expect(text.threadID == "m" && text.category == "c" && text.targetContentID == "w")
    #expect(shown.at == NotificationPhone.began && shown.interruption == .active)
  }

  @Test("a screen that is on is not lit")
  func screenOn() throws {
    var phone = NotificationPhone()
    phone.here.isScreenOn = true
    let seen = try phone.receive(Self.sound)
    #expect(seen.shape == .banner && !seen.lightsScreen)
  }

  @Test(
    "the permission is checked first, also for critical alerts",
    arguments: [
      (NotificationPermission.denied, PresentationCause.permissionDenied), (.notDetermined, .notDetermined),
    ])
  func refused(permission: NotificationPermission, cause: PresentationCause) throws {
    var phone = NotificationPhone()
    phone.here.permission = permission
    phone.here.allowsCritical = true
    for members in [Self.sound, level(.critical), #""badge":0"#] {
      let seen = try phone.receive(members)
      #expect(seen.shape == .nothing && seen.cause == cause && seen.badge == nil && seen.sound == nil)
    }
    #expect(phone.list == NotificationList())
  }

  @Test(
    "With provisional permission a notification is only in the list, whatever the level",
    arguments: InterruptionLevel.allCases)
  func provisional(level wanted: InterruptionLevel) throws {
    var phone = NotificationPhone()
    phone.here.permission = .provisional
    phone.here.allowsCritical = true
    let seen = try phone.receive(level(wanted))
    #expect(seen.shape == .listOnly && seen.cause == .provisional && seen.sound == nil && seen.badge == nil)
    #expect(!seen.lightsScreen && phone.list.badge == 0 && phone.list.shown.map(\.isQuiet) == [true])
  }

  @Test("an App Clip's notification is shown like any other")
  func ephemeral() throws {
    var phone = NotificationPhone()
    phone.here.permission = .ephemeral
    #expect(try phone.receive(Self.sound).cause == .shown)
  }

  @Test("an app in the foreground shows nothing unless it wants to, not even the badge")
  func foreground() throws {
    var phone = NotificationPhone()
    phone.here.isScreenOn = true
    phone.here.app = .frontHiding
    let hidden = try phone.receive(Self.sound)
    #expect(hidden.shape == .nothing && hidden.cause == .foreground && phone.list == NotificationList())
    phone.here.app = .frontShowing
    #expect(try phone.receive(Self.sound).shape == .banner)
  }

  @Test(
    "each level is presented in its own way, with and without a Focus",
    arguments: [
      (InterruptionLevel.passive, false, Presentation.Shape.listOnly, PresentationCause.passive),
      (.active, false, .banner, .shown), (.timeSensitive, false, .banner, .shown), (.critical, false, .banner, .shown),
      (.passive, true, .listOnly, .passive), (.active, true, .listOnly, .focus),
      (.timeSensitive, true, .banner, .timeSensitive), (.critical, true, .listOnly, .focus),
    ])
  func levels(level wanted: InterruptionLevel, focus: Bool, shape: Presentation.Shape, cause: PresentationCause) throws
  {
    var phone = NotificationPhone()
    phone.here.isFocusOn = focus
    let seen = try phone.receive(level(wanted))
    #expect(seen.shape == shape && seen.cause == cause)
    #expect((seen.sound != nil) == (shape == .banner) && seen.lightsScreen == (shape == .banner))
    #expect(phone.list.badge == 3 && phone.list.shown.map(\.isQuiet) == [shape == .listOnly])
  }

  @Test("a time-sensitive one without permission is held back by the Focus")
  func timeSensitiveRefused() throws {
    var phone = NotificationPhone()
    phone.here.isFocusOn = true
    phone.here.allowsTimeSensitive = false
    #expect(try phone.receive(level(.timeSensitive)).cause == .focus)
  }

  @Test("a critical one with permission breaks through the Focus, by its level or by its sound")
  func critical() throws {
    var phone = NotificationPhone()
    phone.here.isFocusOn = true
    phone.here.allowsCritical = true
    #expect(try phone.receive(level(.critical)).cause == .critical)
    let sound = #""alert":"a","interruption-level":"passive","sound":{"name":"no.caf","critical":1,"volume":0.5}"#
    let seen = try phone.receive(sound)
    #expect(seen.cause == .critical && seen.shape == .banner)
    #expect(seen.sound == NotificationSound(isCritical: true, volume: 0.5))
    phone.here.allowsCritical = false
    #expect(try phone.receive(sound).cause == .passive)
  }

  @Test("a badge or a sound alone takes effect, and shows nothing", arguments: [false, true])
  func noText(focus: Bool) throws {
    var phone = NotificationPhone()
    phone.here.isFocusOn = focus
    let seen = try phone.receive(#""badge":5,"sound":"default""#)
    #expect(seen.shape == .nothing && seen.cause == .noText && seen.badge == 5 && phone.list.badge == 5)
    #expect(seen.sound == (focus ? nil : NotificationSound()) && phone.list.shown.isEmpty && !seen.lightsScreen)
  }

  @Test("an alert without text shows nothing", arguments: [#""alert":{}"#, #""alert":"""#, #""alert":{"title":[]}"#])
  func emptyAlert(members: String) throws {
    var phone = NotificationPhone()
    let seen = try phone.receive(members)
    #expect(seen.shape == .nothing && seen.cause == .nothingToShow && phone.list.shown.isEmpty)
  }

  @Test("a payload without a request shows nothing", arguments: ["", #""content-available":1"#, #""badge":"3""#])
  func nothing(members: String) throws {
    var phone = NotificationPhone()
    #expect(try phone.receive(members).cause == .nothingToShow)
    #expect(phone.list == NotificationList())
  }

  @Test("Badge 0 clears the app's badge, and a push without a badge leaves it unchanged")
  func badge() throws {
    var phone = NotificationPhone()
    _ = try phone.receive(Self.sound)
    #expect(try phone.receive(#""alert":"a""#).badge == nil)
    #expect(phone.list.badge == 3)
    #expect(try phone.receive(#""badge":0"#).badge == 0)
    #expect(phone.list.badge == 0)
    _ = try phone.receive(#""badge":9223372036854775807"#)
    #expect(phone.list.badge == .max)
    phone.list.setBadge(4)
    #expect(phone.list.badge == 4)
    phone.list.setBadge(-4)
    #expect(phone.list.badge == 0)
  }

  @Test("one with the same collapse id replaces the older and moves to the top; it alerts unless passive")
  func collapse() throws {
    var phone = NotificationPhone()
    _ = try phone.receive(#""alert":"1""#, collapseID: "score")
    _ = try phone.receive(#""alert":"2""#, collapseID: "other")
    _ = try phone.receive(#""alert":"3""#)
    let passive = try phone.receive(#""alert":"4","interruption-level":"passive""#, collapseID: "score")
    #expect(passive.shape == .listOnly && passive.replaced == 0 && passive.number == 3)
    #expect(phone.texts.map(\.alert.body) == ["4", "3", "2"])
    let active = try phone.receive(#""alert":"5""#, collapseID: "score")
    #expect(active.shape == .banner && active.replaced == 3)
    #expect(phone.texts.map(\.alert.body) == ["5", "3", "2"])
    // Two without an id have nothing in common.
    #expect(try phone.receive(#""alert":"6""#).replaced == nil)
    #expect(phone.list.shown.count == 4)
  }

  @Test("a notification that shows nothing replaces nothing")
  func noReplacement() throws {
    var phone = NotificationPhone()
    _ = try phone.receive(#""alert":"1""#, collapseID: "score")
    #expect(try phone.receive(#""badge":1"#, collapseID: "score").replaced == nil)
    #expect(phone.texts.map(\.alert.body) == ["1"])
  }

  @Test("the list keeps the newest 64, and their numbers")
  func bounded() throws {
    var phone = NotificationPhone()
    for number in 0..<100 {
      _ = try phone.receive(#""alert":"\#(number)""#, collapseID: "\(number)")
    }
    #expect(phone.list.shown.map(\.number) == (36..<100).reversed())
    #expect(phone.list.tap(35) == nil)
    // A replacement in a full list pushes nobody out.
    #expect(try phone.receive(#""alert":"x""#, collapseID: "36").replaced == 36)
    #expect(phone.list.shown.count == NotificationList.most && phone.list.shown.last?.number == 37)
  }

  @Test("S64: a tap removes it from the list and opens the app with its payload")
  func tap() throws {
    var phone = NotificationPhone()
    _ = try phone.receive(#""alert":"1""#)
    _ = try phone.receive(#""alert":"2","category":"SCORE""#)
    let found = phone.list.tap(1)
    let tapped = try #require(found)
    #expect(tapped.payload == NotificationPhone.body(#""alert":"2","category":"SCORE""#))
    #expect(tapped.text(phone.here.strings, in: "en").category == "SCORE")
    #expect(phone.list.tap(1) == nil && phone.list.tap(99) == nil)
    #expect(phone.list.shown.map(\.number) == [0])
  }

  @Test("Notifications that are cleared leave the list, and the badge is unchanged")
  func clear() throws {
    var phone = NotificationPhone()
    for _ in 0..<3 { _ = try phone.receive(Self.sound) }
    #expect(phone.list.clear() == 3 && phone.list.clear() == 0)
    #expect(phone.list.shown.isEmpty && phone.list.badge == 3)
    #expect(try phone.receive(Self.sound).number == 3)
  }

  @Test("S121: a notification is rendered in the language of the device")
  func localized() throws {
    var phone = NotificationPhone()
    phone.here.language = "de-AT"
    let seen = try phone.receive(#""alert":{"loc-key":"WICKET","loc-args":["Root","99"]}"#)
    #expect(seen.alert?.body == "Aus! 99 für Root")
  }

  @Test("each cause has its own name, sentence and evidence", arguments: PresentationCause.allCases)
  func causes(cause: PresentationCause) {
    #expect(cause.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
    #expect(!cause.sentence.isEmpty && !cause.evidence.source.isEmpty)
    #expect(PresentationCause.allCases.count { $0.sentence == cause.sentence } == 1)
  }
}
