import Configuration
import Foundation
import TestSupport
import Testing

/// A setting that nothing changes may have no effect, and nobody would notice.
@Suite("Every setting is changed by a test")
struct SettingCoverageTests {
  /// Tests that go through the whole table, or that only read and refuse settings. None looks for an effect.
  private static let tablesAndReaders = [
    "Tests/CLITests/ServeHelpTests.swift", "Tests/ConfigurationTests/AppSettingsTests.swift",
    "Tests/ConfigurationTests/SettingCoverageTests.swift", "Tests/ConfigurationTests/SettingSourceTests.swift",
    "Tests/ConfigurationTests/SettingTableTests.swift", "Tests/ConfigurationTests/SettingsFileTests.swift",
    "Tests/PushpitTests/TransportOptionsTests.swift", "Tests/ScenarioFilesTests/BadScenarioTests.swift",
    "Tests/ScenarioFilesTests/SampleValues.swift", "Tests/WireTests/test_cli.py", "Tests/WireTests/test_openapi.py",
    "Tests/WireTests/test_settings.py",
  ]

  private static let keys = Setting.table.map(\.key) + AppSettingKey.table.map { "fleet.apps." + $0.key }

  private static let texts: [String] = {
    let files = BehaviorDocument.files("Tests", "Scenarios", "Examples", endings: ["swift", "py", "yaml"])
    return files.filter { !$0.path.hasPrefix("Tests/Corpus/") && !tablesAndReaders.contains($0.path) }
      .filter { !isHelper($0.path, $0.text) }.map(\.text)
  }()

  /// True if it is code without a test. What it sets, such as `--token-requests-per-second 0` in `conftest.py`, is there
  /// to spare tests an effect.
  private static func isHelper(_ path: String, _ text: String) -> Bool {
    guard path.hasPrefix("Tests/"), !path.hasSuffix(".yaml") else { return false }
    return !text.hasBytes(of: "@Test") && !text.hasBytes(of: "def test_")
  }

  /// The keys that no text changes.
  private static func unchanged(by texts: [String]) -> [String] {
    let found = texts.reduce(into: Set<String>()) { $0.formUnion(SettingMentions(in: $1).words) }
    return keys.filter { key in
      let setting = Setting.named(key)
      var words = [setting?.flag.map { "--" + $0 }, setting?.environment].compactMap { $0 }
      // A word alone, such as `names`, means a setting only within `settings`.
      words.append(key.contains(".") ? key : "settings." + key)
      // `apps:` of a settings file may be in a text without the `fleet:` above it.
      if key.hasPrefix("fleet.apps.") { words.append(String(key.dropFirst("fleet.".count))) }
      return found.isDisjoint(with: words)
    }
  }

  @Test("every setting is changed by a test, a scenario or an example that depends on it")
  func changed() {
    #expect(Self.unchanged(by: Self.texts) == [], "add a story to Tests/SettingEffects, or remove the setting")
  }

  @Test("without the tests, every setting but none else is reported")
  func reported() {
    #expect(Self.unchanged(by: []) == Self.keys)
    let some = Self.unchanged(by: ["--set lives.linger=5m --budget lenient", "fleet: {apps: [{sounds: [a]}]}"])
    #expect(Set(Self.keys).subtracting(some) == ["lives.linger", "budgets.update.preset", "fleet.apps.sounds"])
  }

  @Test("every setting that a trait of a test names exists")
  func traits() {
    let naming = Self.texts.filter { $0.hasBytes(of: ".setting(") }
    let named = naming.flatMap { $0.matches(of: /\.setting\(("[^)]*)\)/) }.flatMap {
      $0.1.matches(of: /"([^"]*)"/).map { String($0.1) }
    }
    #expect(named.count >= 5)
    #expect(named.filter { !Self.keys.contains($0) } == [])
  }

  @Test("the tests that do not count are where the list says")
  func left() {
    #expect(Self.tablesAndReaders.filter { BehaviorDocument.text($0).isEmpty } == [])
  }
}

@Suite("Settings as tests write them")
struct SettingMentionsTests {
  @Test(
    "a key is found nested, with its dots, in quotes, by flag and by variable",
    arguments: [
      ("settings: {fleet: {mix: {offline: 5%}}, prompt: {policy: never}}", ["fleet.mix.offline", "prompt.policy"]),
      ("settings:\n  lives:\n    linger: 4h\n  fleet: {devices: 5}", ["lives.linger", "fleet.devices"]),
      ("  - set: {fleet.apps.observe.atLaunch: false}", ["fleet.apps.observe.atLaunch"]),
      ("apps: [{bundleId: a, sounds: [b]}]", ["apps.bundleId", "apps.sounds"]),
      ("apps:\n  - bundleId: a\n    reports:\n      on: {launch: []}", ["apps.bundleId", "apps.reports"]),
      (#"{"fleet": {"devices": 5}}"#, ["fleet.devices"]),
      (#"@Test("x", .setting("wire.loops", "wire.writeStall"))"#, ["wire.loops", "wire.writeStall"]),
      (
        #"pushpit("--port", "1", "--set", "a.b=1;c.d=2", env={"PUSHPIT_SEED": "3"})"#,
        ["--port", "a.b", "c.d", "PUSHPIT_SEED"]
      ),
    ])
  func found(_ text: String, _ keys: [String]) {
    #expect(Set(keys).subtracting(SettingMentions(in: text).words) == [])
  }

  @Test(
    "a key is not found in sentences, comments, properties or other keys",
    arguments: [
      "lives.linger is long", "// {lives: {linger: 4h}}", "# lives.linger=4h", "policy.lives.linger = x",
      "--set lives.lingering=1", "{lives: {}, linger: 4h}", "lives:\n  a: 1\nlinger: 4h", #""lives.linger must be""#,
      "--linger-on", "{lives: 1, b: {linger: 4h}}",
    ])
  func spared(_ text: String) {
    #expect(SettingMentions(in: text).words.isDisjoint(with: ["lives.linger", "--linger"]))
  }
}
