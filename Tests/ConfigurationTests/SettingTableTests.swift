import Configuration
import Foundation
import Grammar
import Testing

@Suite("The table of settings")
struct SettingTableTests {
  /// Words of every form, of which some are right for any setting and differ from its default.
  private static let words = [
    "7", "70000", "13s", "2m", "13s..14s", "13.5%", "true", "false", "drop", "none", "word", "a.example", "18.1:1",
    "BadTopic", "8388608",
    "MissingTopic", "priority", "screenOn", "de-AT", "http://127.0.0.1:1", "3/16",
  ]

  /// All that settings say, by key.
  private func all(_ settings: Settings) -> [String: String] {
    Dictionary(uniqueKeysWithValues: Setting.table.map { ($0.key, $0.shown(in: settings)) })
  }

  @Test("keys, flags and variables are each unique")
  func unique() {
    for names in [
      Setting.table.map(\.key), Setting.table.compactMap(\.flag), Setting.table.compactMap(\.environment),
      AppSettingKey.table.map(\.key),
    ] {
      #expect(Set(names).count == names.count)
    }
  }

  @Test("a shown value is read back", arguments: Setting.table.map(\.key))
  func roundTrip(_ key: String) throws {
    let setting = try #require(Setting.named(key))
    var settings = Settings()
    let shown = setting.shown(in: settings)
    guard !shown.isEmpty else { return }
    try setting.set(shown, in: &settings, place: "test")
    #expect(all(settings) == all(Settings()))
    #expect(settings.plan == Settings().plan && settings.rulebook == Settings().rulebook)
  }

  @Test("a setting changes only the value of its key", arguments: Setting.table.map(\.key))
  func ownValue(_ key: String) throws {
    let setting = try #require(Setting.named(key))
    let before = all(Settings())
    let choices = Self.words + setting.value.split(separator: "|").map(String.init)
    var changes = 0
    for word in choices {
      var settings = Settings()
      guard (try? setting.set(word, in: &settings, place: "test")) != nil else { continue }
      let after = all(settings).filter { before[$0.key] != $0.value }
      guard let own = after[key] else { continue }
      changes += 1
      try setting.set(own, in: &settings, place: "test")
      #expect(setting.shown(in: settings) == own, "\(word) is shown as \(own)")
      let presets = [
        "listen.ports", "forTests", "fleet.ideal", "timing.immediate", "budgets.update.preset", "budgets.start.preset",
      ]
      if !presets.contains(key) { #expect(after.keys.filter { $0 != key && !presets.contains($0) } == []) }
    }
    #expect(changes > 0, "no word changes \(key)")
  }

  @Test("an invalid value is refused with the key and the valid values", arguments: Setting.table.map(\.key))
  func nonsense(_ key: String) throws {
    let setting = try #require(Setting.named(key))
    let takesAnyText = [
      "listen.host", "listen.productionHost", "names", "reports.allowHosts", "state", "rules.broadcastDisabled",
    ]
    guard !takesAnyText.contains(key) else { return }
    for word in ["", "surely not a value", "-1", "99999999999999999999", "1e9", "%", "..", "∞"] {
      var settings = Settings()
      let problem = #expect(throws: InputProblem.self, "\(key): \(word)") {
        try setting.set(word, in: &settings, place: "p.yaml:3")
      }
      #expect(problem?.description.hasPrefix("p.yaml:3: \(key) must be ") == true)
      #expect(problem?.sentence.hasSuffix("not \"\(word)\".") == true)
    }
  }

  @Test("an unknown key gets the nearest valid key as a suggestion")
  func nearest() {
    for (wrong, right) in [
      ("fleet.mix.ofline", "fleet.mix.offline"), ("offline", "fleet.mix.offline"), ("prompt.polcy", "prompt.policy"),
    ] {
      let problem = #expect(throws: InputProblem.self) {
        try Settings.Flag(pair: "\(wrong)=1", place: "--set")
      }
      #expect(problem?.sentence.contains("did you mean \(right)?") == true)
    }
    let problem = #expect(throws: InputProblem.self) { try Settings.Flag(pair: "zzz=1", place: "--set") }
    #expect(problem?.sentence.contains("`pushpit settings`") == true)
  }

  @Test("every setting that imitates Apple or people has its source")
  func grounds() {
    let imitating = [
      "fleet.mix.", "rules.", "lives.", "startTokens.", "prompt.", "budgets.", "wakes.", "calls.", "seen.",
    ]
    let silent = Setting.table.filter { setting in
      setting.grounds == nil && imitating.contains { setting.key.hasPrefix($0) }
    }
    #expect(silent.map(\.key) == [])
  }

  @Test("every open question of the study has its settings, or a note that it has no setting")
  func questions() {
    #expect(OpenQuestion.all.count == 20)
    for question in OpenQuestion.all {
      #expect(question.keys.allSatisfy { Setting.named($0) != nil }, "\(question.text)")
      #expect(question.grounds != nil, "\(question.text)")
      #expect(!question.keys.isEmpty || question.remark.contains("no setting yet"), "\(question.text)")
    }
  }

  @Test("docs/settings.md equals the program's output")
  func document() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../")
    let kept = try String(contentsOf: root.appendingPathComponent("docs/settings.md"), encoding: .utf8)
    #expect(kept == SettingsListing().markdown + "\n", "make it anew: pushpit settings --markdown > docs/settings.md")
  }
}
