import Configuration
import Devices
import Grammar
import Simulation
import Testing

@Suite("The settings of an app")
struct AppSettingsTests {
  private func app(_ body: String) throws -> AppProfile {
    var settings = Settings()
    try SettingsFile.apply("fleet:\n  apps:\n    - {bundleId: com.a, \(body)}\n", named: "p.yaml", to: &settings)
    return try #require(settings.plan.apps.first)
  }

  @Test("an app without settings has the default traits")
  func standard() throws {
    #expect(try app("").traits == AppTraits())
  }

  @Test("every trait is in the plan")
  func traits() throws {
    let traits = try app(
      """
      liveActivities: false, frequentUpdates: true, pushCapability: false, backgroundPushes: false,
      presentsInForeground: true, criticalAlerts: true, reportsCalls: never, joinsChannels: true,
      serviceExtension: 2s, sounds: [goal.caf], strings: {en: {GOAL: Goal}, de: {GOAL: Tor}},
      observe: {activityUpdates: false, atLaunch: false, keepsTask: false}
      """
    ).traits
    var expected = AppTraits()
    expected.supportsLiveActivities = false
    expected.frequentUpdates = true
    expected.pushCapability = false
    expected.backgroundPushes = false
    expected.presentsInForeground = true
    expected.criticalAlerts = true
    expected.reportsCalls = .never
    expected.joinsChannels = true
    expected.serviceExtension = .succeeds(after: .seconds(2))
    expected.sounds = ["goal.caf"]
    expected.strings = StringTable([.init("en", [.init("GOAL", "Goal")]), .init("de", [.init("GOAL", "Tor")])])
    expected.observing.activityUpdates = false
    expected.observing.atLaunch = false
    expected.observing.keepsTask = false
    #expect(traits == expected)
    for (word, reporting) in [("after 3s", CallReporting.late(.seconds(3))), ("at once", .atOnce)] {
      #expect(try app("reportsCalls: \(word)").traits.reportsCalls == reporting)
    }
    for word in ["true", "false"] {
      let problem = #expect(throws: InputProblem.self) { try app("reportsCalls: \(word)") }
      #expect(problem?.sentence.contains("at once, never, or a delay such as after 3s") == true)
    }
    #expect(try app("serviceExtension: timeout").traits.serviceExtension == .runsOut)
    #expect(try app("serviceExtension: none").traits.serviceExtension == .absent)
  }

  @Test("categories and cards have the actions of an app")
  func buttons() throws {
    let profile = try app(
      """
      categories: {GOAL: {buttons: {mute: Mute, cheer: Cheer}, reply: Reply}, PLAIN: {}},
      attributesTypes: [{name: A, card: {link: "a://{attributes.id}", buttons: {cheer: "Cheer {state.n}", more: More}}}]
      """)
    #expect(profile.buttons == ["cheer", "more", "mute"])
    #expect(profile.category("GOAL")?.reply == "Reply" && profile.category("PLAIN")?.buttons == [])
    #expect(profile.category("NONE") == nil && profile.category(nil) == nil)
    #expect(profile.types[0].card?.link?.paths.map(\.keys) == [["id"]])
  }

  @Test(
    "a mistake in a category or in the buttons of a card is named",
    arguments: [
      ("categories: [GOAL]", "categories must have names and their values"),
      ("categories: {GOAL: {button: {}}}", "did you mean buttons?"),
      ("categories: {GOAL: {buttons: [mute]}}", "buttons must have names and their values"),
      ("attributesTypes: [{name: A, card: {buttons: {mute: \"{x}\"}}}]", "buttons.mute: {x} must be a key path"),
    ])
  func buttonMistake(_ body: String, _ words: String) {
    let problem = #expect(throws: InputProblem.self) { try app(body) }
    #expect(problem?.description.contains(words) == true, "\(problem?.description ?? "")")
  }

  @Test("images and the next version belong to a type")
  func types() throws {
    let profile = try app(
      """
      attributesTypes: [{name: A, images: tooLarge}, B],
      nextVersion: {attributesTypes: [{name: A, contentState: {type: object, properties: {score: int}}}, B]}
      """)
    #expect(profile.types.map(\.images) == [.tooLarge, .ready])
    let next = try #require(profile.traits.nextTypes)
    #expect(next.map(\.name) == ["A", "B"] && next[0].contentState != nil && next[0].images == .ready)
  }

  @Test("a card is read with its texts, its tint and its progress; the shipped profiles have cards")
  func card() throws {
    let profile = try app(
      """
      attributesTypes: [{name: A, card: {tint: "#0A7D3B", lockScreen: {title: "{attributes.home}", progress: state.n/5}}}]
      """)
    let card = try #require(profile.types.first?.card)
    #expect(card.tint == "#0a7d3b" && card.title?.paths.map(\.keys) == [["home"]] && card.progress?.path.keys == ["n"])
    for name in ["sightscreen", "delivery"] {
      let shipped = try ShippedProfile.load(name, place: "test", files: SourceFiles())
      #expect(shipped.profile.types.allSatisfy { $0.card?.title != nil && $0.card?.minimal != nil })
    }
  }

  @Test("S129: an app whose widget lacks one of the six presentations is refused by name", arguments: 0..<6)
  func presentations(_ spared: Int) throws {
    var words = ["lockScreen", "expanded", "compactLeading", "compactTrailing", "minimal", "small"]
    _ = try app("attributesTypes: [{name: A, presentations: [\(words.joined(separator: ", "))]}]")
    let missing = words.remove(at: spared)
    let problem = #expect(throws: InputProblem.self) {
      try app("attributesTypes: [{name: A, presentations: [\(words.joined(separator: ", "))]}]")
    }
    #expect(problem?.description.contains("the widget of A lacks \(missing);") == true)
    #expect(problem?.place == "p.yaml:3")
  }

  @Test(
    "an invalid value is reported with its line and the valid values",
    arguments: [
      ("frequentUpdates: perhaps", "frequentUpdates must be true or false"),
      ("serviceExtension: 30s", "a duration below 30s"),
      ("serviceExtension: slow", "none, timeout"),
      ("sounds: goal.caf", "sounds must be a list"),
      ("strings: [a]", "strings must have languages"),
      ("strings: {english-language-of-no-land: {A: b}}", "such as en or de-AT"),
      ("strings: {en: {A: [b]}}", "strings.en.A must be a single value"),
      ("observe: always", "observe must have keys: activityUpdates, atLaunch, tokenUpdates, keepsTask"),
      ("observe: {atlaunch: true}", "did you mean atLaunch?"),
      ("attributesTypes: [{name: A, images: big}]", "ready or missing or tooLarge"),
      ("attributesTypes: [{name: A, presentations: small}]", "presentations must be a list"),
      ("attributesTypes: [{name: A, presentations: [smal]}]", "did you mean small?"),
      ("attributesTypes: [{name: A, card: {lockscreen: {title: x}}}]", "did you mean lockScreen?"),
      ("attributesTypes: [{name: A, card: {lockScreen: {heading: x}}}]", "title, big, line and progress"),
      ("attributesTypes: [{name: A, card: {minimal: \"{score}\"}}]", "{score} must be a key path"),
      ("attributesTypes: [{name: A, card: {tint: green}}]", "tint must be a colour such as \"#0a7d3b\""),
      ("attributesTypes: [{name: A, card: {lockScreen: {progress: 7}}}]", "progress must be a key path"),
      ("attributesTypes: [{name: A, card: {compact: x}}]", "compact must be an object with leading or trailing"),
      ("attributesTypes: [A, B], nextVersion: {attributesTypes: [B, A]}", "in the same order: A, B"),
      ("attributesTypes: [A, B], nextVersion: {attributesTypes: [A]}", "in the same order: A, B"),
      ("nextVersion: {types: [A]}", "nextVersion must have attributesTypes"),
      ("livactivities: true", "did you mean liveActivities?"),
    ])
  func mistakes(_ body: String, _ words: String) {
    let problem = #expect(throws: InputProblem.self) { try app(body) }
    #expect(problem?.description.contains(words) == true, "\(problem?.description ?? "")")
    #expect(problem?.place == "p.yaml:3")
  }
}
