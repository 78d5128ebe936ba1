import APNs
import Devices
import Simulation
import Testing
import Timeline

@Suite("More Frequent Updates in the world")
struct FrequentUpdatesTests {
  private func stage() throws -> Stage {
    var profile = AppProfile(
      bundleID: Stage.app, teamID: Stage.team, attributesTypes: ["MatchAttributes", "RaceAttributes"])
    profile.traits.frequentUpdates = true
    let other = AppProfile(bundleID: "com.example.other", teamID: Stage.team, attributesTypes: ["MatchAttributes"])
    var stage = Stage(apps: [profile, other], rulebook: Stage.unhurried)
    try stage.launch()
    return stage
  }

  @Test("S112 S114: the key gives the higher budget, which the person can take away without Live Activities")
  func level() throws {
    var stage = try stage()
    #expect(try stage.app().level == .frequent && stage.budgetLeft() == 240)
    try stage.flip(.frequentUpdates, false)
    #expect(try stage.app().level == .standard)
    #expect(try stage.launch().fate.starts(1), "Live Activities are still allowed")
    #expect(try stage.app().activities.last?.budgetLeft == 15)
  }

  @Test("S116: a change either way ends all activities of the app, and their tokens die; other apps are not affected")
  func change() throws {
    var stage = try stage()
    try stage.launch()
    try stage.order(.startActivity(app: "com.example.other", attributesType: nil))
    for (on, numbers) in [(false, [0, 1]), (true, [2])] as [(Bool, [UInt32])] {
      _ = stage.events()
      let tokens = try numbers.map { try stage.token(.update(activity: $0)) }
      try stage.flip(.frequentUpdates, on)
      let ends = stage.story().compactMap { if case .activityEnded(let number, .switched) = $0 { number } else { nil } }
      #expect(ends == numbers)
      #expect(try stage.app().activities.allSatisfy { $0.isOver })
      stage.advance(by: .seconds(60))
      for token in tokens {
        let record = try stage.send(
          token, topic: Stage.activityTopic, #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#)
        #expect(record.reason == .unregistered)
      }
      if !on { #expect(try stage.launch().fate.starts(2)) }
    }
    let other = try #require(try stage.view().apps.last?.activities.first)
    #expect(other.state == .active)
  }

  @Test("S115: the app learns of the change at once while it runs, and before any token of a later activity")
  func told() throws {
    var stage = try stage()
    try stage.order(.open(app: Stage.app))
    _ = stage.events()
    try stage.flip(.frequentUpdates, false)
    #expect(stage.story().contains(.frequentPushesYielded(false)))
    try stage.launch()
    let story = stage.story()
    let value = try #require(story.firstIndex(of: .frequentPushesYielded(false)))
    let token = try #require(story.firstIndex(of: .tokenYielded(.update(activity: 1))))
    #expect(value < token)
  }

  @Test("S115: an app that is not running learns of it when it runs next, once")
  func toldLater() throws {
    var stage = try stage()
    stage.advance(by: .seconds(60))
    _ = stage.events()
    try stage.flip(.frequentUpdates, false)
    #expect(!stage.story().contains(.frequentPushesYielded(false)))
    try stage.order(.open(app: Stage.app))
    #expect(stage.story().count { $0 == .frequentPushesYielded(false) } == 1)
  }
}
