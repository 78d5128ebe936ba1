import APNs
import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("Activities opened by hand")
struct OpenedByHandTests {
  private func expanded(_ stage: Stage) -> UInt32? {
    if case .expanded(let card) = stage.screen().island { card.number } else { nil }
  }

  /// A phone whose person looks at it, with one activity.
  private func stage(_ mix: PhoneMix = .ideal, os: OSVersion = OSVersion(26, 1), waits: Bool = true) throws -> Stage {
    var stage = Stage(os: os, phones: mix)
    try stage.launch()
    if waits { stage.advance(by: .seconds(60)) }
    return stage
  }

  @Test("S126: a long press expands the island, for the activity that it shows, until the person does something else")
  func longPress() throws {
    for (next, isOpen) in [(nil, true), (.lock, false), (.open(app: Stage.store), false)] as [(DeviceAction?, Bool)] {
      var stage = try stage()
      let locked = #expect(throws: CommandProblem.self) { try stage.order(.longPress(nil, app: nil)) }
      #expect(locked?.kind == .impossible && locked?.field == "activity")
      try stage.order(.unlock)
      #expect(expanded(stage) == nil)
      try stage.order(.longPress(nil, app: nil))
      #expect(stage.happened().last == .cardOpened(0))
      #expect(expanded(stage) == 0)
      stage.advance(by: .seconds(3600))
      #expect(expanded(stage) == 0, "nobody has let go of it")
      guard let next else { continue }
      try stage.order(next)
      if next == .lock { try stage.order(.unlock) }
      #expect((expanded(stage) != nil) == isOpen, "\(next)")
    }
  }

  @Test("a long press makes no sense without an island, on another activity, or in the app itself")
  func senseless() throws {
    var mix = PhoneMix.ideal
    mix.island = .never
    var plain = try stage(mix)
    try plain.order(.unlock)
    #expect(throws: CommandProblem.self) { try plain.order(.longPress(nil, app: nil)) }
    var stage = try stage()
    try stage.launch()
    stage.advance(by: .seconds(60))
    try stage.order(.unlock)
    let second = stage.screen().cards[1].id
    #expect(throws: CommandProblem.self) { try stage.order(.longPress(second, app: Stage.app)) }
    try stage.order(.open(app: Stage.app))
    let first = stage.screen().cards[0].id
    #expect(throws: CommandProblem.self) { try stage.order(.longPress(first, app: Stage.app)) }
  }

  @Test("S125: an alert shakes the phone where it may sound, and relevance does not")
  func haptic() throws {
    for permission in [NotificationPermission.authorized, .denied] {
      var stage = Stage()
      try stage.permit(permission)
      try stage.launch()
      #expect(stage.screen().alert?.hasHaptic == (permission == .authorized))
      stage.advance(by: .seconds(60))
      try stage.update(1, #","relevance-score":100"#)
      #expect(stage.screen().alert == nil && expanded(stage) == nil)
    }
  }

  private func standBy(_ stage: Stage) -> Screen.Surface? { stage.screen().surfaces.first { $0.place == .standBy } }

  @Test("S128: StandBy shows one activity minimal, a tap shows it on the whole screen, and another opens its app")
  func inStandBy() throws {
    var stage = try stage()
    try stage.order(.flip(.standBy, on: true, app: nil))
    #expect(standBy(stage) == nil, "it does not charge")
    try stage.order(.flip(.charging, on: true, app: nil))
    #expect(standBy(stage)?.groups.map(\.presentation) == [.minimal])
    #expect(standBy(stage)?.groups.first?.cards.map(\.number) == [0])
    try stage.order(.tap(nil, app: nil))
    #expect(standBy(stage)?.groups.map(\.presentation) == [.lockScreen])
    #expect(try stage.app().life != .foreground)
    try stage.order(.flip(.charging, on: false, app: nil))
    try stage.order(.flip(.charging, on: true, app: nil))
    #expect(standBy(stage)?.groups.map(\.presentation) == [.minimal], "it was taken off the charger")
    try stage.order(.tap(nil, app: nil))
    try stage.order(.tap(nil, app: nil))
    #expect(try stage.app().life == .foreground && standBy(stage) == nil)
    var old = try self.stage(os: OSVersion(17, 6), waits: false)
    #expect(old.screen().surfaces.isEmpty)
    old = Stage(os: OSVersion(16, 7))
    try old.order(.startActivity(app: nil, attributesType: nil))
    for what in [PhoneSwitch.standBy, .charging] { try old.order(.flip(what, on: true, app: nil)) }
    #expect(old.screen().surfaces.isEmpty, "there is none before iOS 17")
  }

  @Test("StandBy shows the first of several activities, and no other can be tapped there")
  func onlyOneInStandBy() throws {
    var stage = try stage()
    try stage.launch()
    stage.advance(by: .seconds(60))
    for what in [PhoneSwitch.standBy, .charging] { try stage.order(.flip(what, on: true, app: nil)) }
    let cards = stage.screen().cards
    #expect(cards.count == 2)
    #expect(standBy(stage)?.groups.map { $0.cards.map(\.number) } == [[cards[0].number]])
    let refused = #expect(throws: CommandProblem.self) { try stage.order(.tap(cards[1].id, app: Stage.app)) }
    #expect(refused?.kind == .impossible && refused?.field == "activity")
    try stage.order(.tap(cards[0].id, app: Stage.app))
    #expect(standBy(stage)?.groups.map(\.presentation) == [.lockScreen])
  }

  @Test("Watch, car and Mac show what runs, small where the app declares its widget", arguments: [false, true])
  func surfaces(_ declares: Bool) throws {
    var type = AttributesType("MatchAttributes")
    type.suppliesSmall = declares
    let app = AppProfile(bundleID: Stage.app, teamID: Stage.team, types: [type])
    var mix = PhoneMix.ideal
    mix.watch = .always
    for (os, places) in [
      (OSVersion(17, 6), []), (OSVersion(18, 5), [.watch]), (OSVersion(26, 1), [.watch, .carPlay, .mac]),
    ] as [(OSVersion, [Screen.Surface.Place])] {
      var stage = Stage(os: os, apps: [app], phones: mix)
      for what in [PhoneSwitch.carPlay, .mac] { try stage.order(.flip(what, on: true, app: nil)) }
      #expect(stage.screen().surfaces.isEmpty, "nothing runs")
      try stage.order(.startActivity(app: nil, attributesType: nil))
      let shown = stage.screen().surfaces
      #expect(shown.map(\.place) == places)
      for surface in shown {
        let isSmall = declares && surface.place != .mac
        #expect(surface.groups.map(\.presentation) == [isSmall ? .small : .compact], "\(surface.place)")
        #expect(surface.groups.first?.cards.map(\.number) == [0])
      }
      _ = try stage.pushActivity(try stage.token(.update(activity: 0)), event: "end")
      #expect(stage.screen().surfaces.isEmpty, "what has ended is on the Lock Screen only")
    }
  }
}
