import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// The presentation of an alert of a Live Activity on the phone and the watch.
@Suite("The alert of a Live Activity")
struct AlertTests {
  private static let alert = #","alert":{"title":"Four","body":"Kohli"}"#

  private func stage(
    island: Bool = true, watch: Bool = false, language: String = "en", _ change: (inout AppTraits) -> Void = { _ in }
  ) throws -> Stage {
    var mix = PhoneMix.ideal
    mix.island = island ? .always : .never
    mix.watch = watch ? .always : .never
    mix.language = language
    var profile = AppProfile(bundleID: Stage.app, teamID: Stage.team, attributesTypes: ["MatchAttributes"])
    change(&profile.traits)
    var stage = Stage(apps: [profile], phones: mix, rulebook: Stage.unhurried)
    try stage.launch()
    stage.advance(by: .seconds(60))
    #expect(stage.screen().alert == nil, "that of the start has gone")
    return stage
  }

  @Test("S119: with a Dynamic Island an alert opens it for a moment, without an alert nothing opens")
  func expanded() throws {
    var stage = try stage()
    try stage.update(1)
    #expect(stage.screen().alert == nil)
    try stage.update(2, Self.alert)
    let screen = stage.screen()
    let alert = try #require(screen.alert)
    #expect(alert.shown.presentation == .expanded && alert.title == "Four" && alert.body == "Kohli")
    #expect(screen.isLit)
    guard case .expanded(let card) = screen.island else {
      Issue.record("\(screen.island)")
      return
    }
    #expect(card.number == 0)
    stage.advance(by: .seconds(5))
    #expect(stage.screen().alert == nil && !stage.screen().isLit)
    guard case .compact = stage.screen().island else {
      Issue.record("\(stage.screen().island)")
      return
    }
  }

  @Test("S119: without an island it is a banner on an unlocked phone, and the card itself on a locked one")
  func banner() throws {
    var stage = try stage(island: false)
    try stage.update(1, Self.alert)
    #expect(stage.screen().alert?.shown.presentation == .lockScreen)
    try stage.order(.unlock)
    try stage.update(2, Self.alert)
    #expect(stage.screen().alert?.shown.presentation == .banner)
    guard case .absent = stage.screen().island else {
      Issue.record("there is no island")
      return
    }
  }

  @Test("S119: a paired Watch shows it too", arguments: [true, false])
  func watch(_ hasWatch: Bool) throws {
    var stage = try stage(watch: hasWatch)
    try stage.update(1, Self.alert)
    #expect(stage.screen().alert?.shown.isOnWatch == hasWatch)
  }

  @Test(
    "a start that cannot alert is not said to have alerted",
    arguments: [
      (alert: #"{"title":"Go"}"#, focus: false, alerts: true), (#"{"title":"Go"}"#, true, false),
      (#"{"sound":"default"}"#, false, false), (#"{"title":7}"#, false, false),
      (#"{"title":"","body":""}"#, false, false), (#"{"title":{"loc-key":""}}"#, false, false),
    ])
  func start(alert: String, focus: Bool, alerts: Bool) throws {
    var policy = Stage.quick
    policy.focusQuietsActivities = true
    var stage = Stage(policy: policy, rulebook: Stage.unhurried)
    if focus { try stage.order(.flip(.focus, on: true, app: nil)) }
    let record = try stage.pushActivity("start", spoilt: ["alert": alert])
    guard case .started(_, let remarks)? = record.fate.reaction else {
      Issue.record("\(record.fate)")
      return
    }
    #expect(remarks.contains(.alerted) == alerts)
    #expect(try stage.story(of: record).contains { $0.cause == "alerted" } == alerts)
  }

  @Test("S119: priority 5 with an alert alerts as well, when it is delivered")
  func lowPriority() throws {
    var stage = try stage()
    let record = try stage.update(1, Self.alert, priority: 5)
    #expect(stage.screen().alert == nil)
    let until = try #require(record.fate.heldUntil)
    stage.advance(by: stage.now.world.duration(to: until))
    #expect(stage.screen().alert?.title == "Four")
  }

  @Test("an alert is drawn at once, however soon after another drawing")
  func drawnAtOnce() throws {
    var stage = Stage(budget: BudgetPlan(), rulebook: Stage.unhurried)
    try stage.launch()
    try stage.update(1)
    #expect(stage.score() == 0)
    try stage.update(2, Self.alert)
    #expect(stage.score() == 2)
  }

  @Test("the app in the foreground keeps its own alert off the screen")
  func foreground() throws {
    var stage = try stage()
    try stage.order(.open(app: Stage.app))
    #expect(try stage.update(1, Self.alert).fate.isUpdate)
    #expect(stage.screen().alert == nil)
  }

  @Test(
    "S120: the sound is a file of the app or the default, and without one there is no sound",
    arguments: [
      (#","sound":"goal.caf""#, "goal.caf"), (#","sound":"default""#, "default"), (#","sound":"none.caf""#, "default"),
      ("", nil),
    ] as [(String, String?)])
  func sound(_ member: String, _ expected: String?) throws {
    var stage = try stage { $0.sounds = ["goal.caf"] }
    try stage.update(1, #","alert":{"title":"Four","body":"Kohli"\#(member)}"#)
    #expect(stage.screen().alert?.sound == expected)
  }

  @Test("S120: where notifications are denied the alert is shown without sound, unless the setting differs")
  func denied() throws {
    for sounds in [false, true] {
      var policy = Stage.quick
      policy.alertSoundsWhenDenied = sounds
      var stage = Stage(policy: policy)
      try stage.order(.permit(.denied, app: Stage.app))
      try stage.launch()
      try stage.update(1, #","alert":{"title":"Four","body":"!","sound":"default"}"#)
      #expect(stage.screen().alert?.title == "Four")
      #expect(stage.screen().alert?.sound == (sounds ? "default" : nil))
    }
  }

  @Test(
    "S121: texts by key come from the app's strings in the phone's language; an unknown key is shown as it is",
    arguments: [("en", "Goal by Kane"), ("de", "Tor von Kane"), ("de-AT", "Tor von Kane"), ("fr", "Goal by Kane")])
  func localised(_ language: String, _ expected: String) throws {
    var stage = try stage(language: language) {
      $0.strings = StringTable([
        .init("en", [.init("GOAL", "Goal by %@")]), .init("de", [.init("GOAL", "Tor von %@")]),
      ])
    }
    try stage.update(
      1, #","alert":{"title":{"loc-key":"GOAL","loc-args":["Kane"]},"body":{"loc-key":"NOBODY"}}"#)
    #expect(stage.screen().alert?.title == expected && stage.screen().alert?.body == "NOBODY")
  }

  @Test(
    "S122: an alert that is not a dictionary with text within aps is ignored; the update is applied, with a remark",
    arguments: [
      #","alert":"Four""#, #"},"alert":{"title":"Four","body":"!""#, #","alert":{}"#, #","alert":{"title":7}"#,
      #","alert":{"sound":"default"}"#, #","alert":{"title":"","body":""}"#,
    ])
  func stray(_ member: String) throws {
    var stage = try stage()
    let record = try stage.update(1, member)
    #expect(record.fate.isUpdate && stage.score() == 1 && stage.screen().alert == nil)
    #expect(PushStory(record).lines.contains { $0.cause == "alert-ignored" })
  }

  @Test("S125: relevance alone does not open the island; an alert does")
  func relevanceAlone() throws {
    var stage = try stage()
    try stage.update(1, #","relevance-score":1000"#)
    guard case .compact = stage.screen().island else {
      Issue.record("\(stage.screen().island)")
      return
    }
    try stage.update(2, Self.alert + #","relevance-score":0"#)
    guard case .expanded = stage.screen().island else {
      Issue.record("\(stage.screen().island)")
      return
    }
  }
}
