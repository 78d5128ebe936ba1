import Configuration
import Devices
import Grammar
import Testing
import Timeline

@Suite("Settings from several places")
struct SettingSourceTests {
  private func given(_ pairs: String...) throws(InputProblem) -> Settings { try given(pairs) }

  private func given(_ pairs: [String]) throws(InputProblem) -> Settings {
    var flags: [Settings.Flag] = []
    for pair in pairs { flags.append(try Settings.Flag(pair: pair, place: "--set")) }
    return try Settings.gathered(file: nil, flags: flags)
  }

  private func read(_ text: String) throws(InputProblem) -> Settings {
    var settings = Settings()
    try SettingsFile.apply(text, named: "p.yaml", to: &settings)
    return settings
  }

  @Test("single values override a preset, before or after it")
  func presets() throws {
    for settings in [
      try given(
        "fleet.mix.offline=50%", "fleet.ideal=true", "budgets.update.standardCapacity=9", "budgets.update.preset=strict"
      ),
      try read(
        """
        fleet: {mix: {offline: 50%}, ideal: true}
        budgets: {update: {standardCapacity: 9, preset: strict}}
        """),
    ] {
      #expect(settings.phones.offline == Odds(50, in: 100) && settings.phones.island == .always)
      #expect(settings.budget.update.standardCapacity == 9 && settings.budget.update.frequentCapacity == 60)
    }
  }

  @Test("the file is overridden by PUSHPIT_SET, which may have several settings, and both by flags")
  func precedence() throws {
    let flag = try Settings.Flag(pair: "fleet.seed=3", place: "--set")
    var sources = SettingSources(flags: [flag], apps: [], profiles: [], keys: [])
    sources.config = .init(name: "p.yaml", value: "fleet: {devices: 5, seed: 5, language: de-AT}")
    sources.environment = [.init(name: "PUSHPIT_SET", value: "fleet.devices=4;fleet.seed=4")]
    let settings = try Settings(sources)
    #expect(settings.seed == 3 && settings.devices == 4 && settings.phones.language == "de-AT")
  }

  @Test("an ideal fleet keeps its language and its people, and can be overridden")
  func ideal() throws {
    let settings = try given("fleet.ideal=true", "fleet.language=de-AT", "fleet.mix.twoPhones=10%")
    #expect(settings.isIdeal && settings.phones.language == "de-AT" && settings.phones.twoPhones == Odds(10, in: 100))
    #expect(try given("fleet.ideal=true", "fleet.ideal=false").phones == PhoneMix())
  }

  @Test(
    "a start by push is visible at once on an ideal fleet, and where times are immediate, unless a setting says when")
  func appearance() throws {
    func milliseconds(_ settings: String...) throws -> [Int64] {
      let range = try given(settings).policy.timing.appearance
      return [range.lowerBound, range.upperBound].map { $0.wholeNanoseconds / 1_000_000 }
    }
    #expect(try milliseconds() == [100, 500])
    #expect(try milliseconds("fleet.ideal=true") == [0, 0])
    #expect(try milliseconds("timing.immediate=true") == [0, 0])
    #expect(try milliseconds("fleet.ideal=false", "timing.immediate=true") == [0, 0])
    #expect(try milliseconds("fleet.ideal=true", "timing.immediate=false") == [0, 0])
    #expect(try milliseconds("fleet.ideal=true", "fleet.ideal=false") == [100, 500])
    #expect(try milliseconds("fleet.ideal=true", "timing.appearance=1s..2s") == [1000, 2000])
  }

  @Test(
    "a share is exact, however it is written",
    arguments: [
      ("2%", Odds(2, in: 100)), ("0.5%", Odds(5, in: 1000)), ("0.02", Odds(2, in: 100)), ("0", .never),
      ("0%", .never), ("100%", .always), ("1.0", .always),
    ])
  func shares(_ text: String, _ odds: Odds) throws {
    #expect(try given("fleet.mix.offline=\(text)").phones.offline == odds)
  }

  @Test(
    "a share is refused beyond 100%, and where it is ambiguous", arguments: ["101%", "1.01", "1", "2", "5 %"])
  func wrongShares(_ text: String) {
    let problem = #expect(throws: InputProblem.self) { try given("fleet.mix.offline=\(text)") }
    #expect(problem?.sentence.contains("0% to 100%") == true)
  }

  @Test("a given share of one answer to the notification prompt reduces the others")
  func permissions() throws {
    let denied = try given("fleet.ideal=true", "fleet.mix.denied=30%").phones
    #expect(denied.denied == Odds(30, in: 100) && denied.authorized == Odds(700_000, in: 1_000_000))
    #expect(denied.provisional == Odds(0, in: 1_000_000))
    let all = try given("fleet.mix.authorized=100%").phones
    #expect([all.provisional.numerator, all.denied.numerator] == [0, 0])
    let problem = #expect(throws: InputProblem.self) {
      try given("fleet.mix.authorized=60%", "fleet.mix.denied=41%")
    }
    #expect(problem?.place == "--set" && problem?.sentence.contains("fleet.mix.denied") == true)
  }

  @Test("lists in the file equal those of the command line")
  func lists() throws {
    let causes: Set<LowPriorityPlan.FlushCause> = [.screenOn, .foreground]
    #expect(try read("budgets: {lowPriority: {flushOn: [screenOn, foreground]}}").budget.lowPriority.flushes == causes)
    #expect(try given("budgets.lowPriority.flushOn=screenOn,foreground").budget.lowPriority.flushes == causes)
    #expect(try read("budgets: {lowPriority: {flushOn: []}}").budget.lowPriority.flushes == [])
    #expect(throws: InputProblem.self) { try read("budgets: {lowPriority: {flushOn: [sunrise]}}") }
  }

  @Test("an overflow is a range of time, or drop")
  func overflow() throws {
    #expect(try given("budgets.update.overflow=drop").budget.update.overflow == .drop)
    #expect(
      try given("budgets.update.overflow=1s..2s").budget.update.overflow == .coalesce(.seconds(1)...(.seconds(2))))
    #expect(throws: InputProblem.self) { try given("budgets.update.overflow=2s..1s") }
  }
}
