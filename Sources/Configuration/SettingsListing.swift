/// What `pushpit settings` prints: everything that can be set, by group, with the defaults as they are in force.
package struct SettingsListing: Sendable {
  private let standard = Settings()
  /// Only keys that begin so; empty for all.
  private let prefix: String

  package init(prefix: String = "") { self.prefix = prefix }

  package var isEmpty: Bool { groups.isEmpty && apps.isEmpty }

  private var groups: [(group: SettingGroup, settings: [Setting])] {
    Setting.groups.map { ($0, $0.settings.filter { $0.key.hasPrefix(prefix) }) }.filter { !$0.1.isEmpty }
  }

  private var apps: [AppSettingKey] { prefix.isEmpty || "fleet.apps".hasPrefix(prefix) ? AppSettingKey.table : [] }

  private static let appsTitle = "Each app of fleet.apps"

  // MARK: - For people

  package var text: String {
    var blocks: [String] = []
    for (group, settings) in groups {
      blocks.append(([group.title.uppercased()] + settings.map(entry)).joined(separator: "\n"))
    }
    if !apps.isEmpty { blocks.append(([Self.appsTitle.uppercased()] + apps.map(entry)).joined(separator: "\n")) }
    return blocks.joined(separator: "\n\n")
  }

  private func entry(_ setting: Setting) -> String {
    let shown = setting.shown(in: standard)
    let spelt = Self.spellings(setting)
    return Self.entry(
      setting.key, shown, setting.value, spelt.isEmpty ? "" : "  [\(spelt.joined(separator: ", "))]", setting.help,
      setting.grounds)
  }

  private func entry(_ key: AppSettingKey) -> String {
    Self.entry(key.key, key.standard, key.value, "", key.help, key.grounds)
  }

  private static func entry(
    _ key: String, _ standard: String, _ shape: String, _ spelt: String, _ help: String, _ grounds: SettingEvidence?
  ) -> String {
    let value = standard.isEmpty ? key : "\(key): \(standard)"
    return "  \(value)  (\(shape.isEmpty ? "true|false" : shape))\(spelt)\n      \(help)"
      + (grounds.map { "\n      \($0.text)." } ?? "")
  }

  private static func spellings(_ setting: Setting) -> [String] {
    [setting.flag.map { "--\($0)" }, setting.environment].compactMap { $0 }
  }

  // MARK: - For documents

  package var markdown: String {
    var blocks: [String] = [
      """
      # Settings

      Made by `pushpit settings --markdown`; a test holds it to the program.

      A key may stand in the YAML file of `--config` (`fleet: {mix: {offline: 5%}}`), on the command line as
      `--set fleet.mix.offline=5%`, or in the environment as `PUSHPIT_SET='fleet.mix.offline=5%;wakes.chance=100%'`.
      What people type often has a flag or a variable of its own. Later ones override earlier ones: file, environment,
      command line. Presets (`forTests`, then `fleet.ideal`, `timing.immediate`, `budgets.update.preset`,
      `budgets.start.preset`) are applied first wherever they stand, so that single values override them.

      How we know what a default imitates: *Documented* by Apple, *Observed* by developers on the wire or on a phone,
      *Assumed* by us because nobody knows, *Disputed* where sources contradict each other.
      [behavior/](behavior/README.md) has the rules behind them, with their sources.
      """
    ]
    for (group, settings) in groups {
      let introduction = group.introduction.isEmpty ? "" : "\(group.introduction)\n\n"
      blocks.append(
        "## \(group.title)\n\n\(introduction)"
          + Self.table(
            ["key", "value", "default", "flag, variable", "what it does", "how we know"], settings.map(row)))
    }
    if !apps.isEmpty {
      blocks.append(
        "## \(Self.appsTitle)\n\nIn the YAML file only.\n\n"
          + Self.table(["key", "value", "default", "what it does", "how we know"], apps.map(row)))
    }
    if prefix.isEmpty {
      blocks.append(
        "## What nobody knows\n\nEvery question that our study of phones left open, and what decides it here.\n\n"
          + Self.table(["question", "setting and default", "remark", "how we know"], OpenQuestion.all.map(row)))
    }
    return blocks.joined(separator: "\n\n")
  }

  private func row(_ setting: Setting) -> [String] {
    [
      Self.code(setting.key), Self.code(setting.value.isEmpty ? "true|false" : setting.value),
      Self.code(setting.shown(in: standard)), Self.spellings(setting).map(Self.code).joined(separator: ", "),
      setting.help, Self.known(setting.grounds),
    ]
  }

  private func row(_ key: AppSettingKey) -> [String] {
    [
      Self.code(key.key), Self.code(key.value.isEmpty ? "true|false" : key.value), Self.code(key.standard), key.help,
      Self.known(key.grounds),
    ]
  }

  private func row(_ question: OpenQuestion) -> [String] {
    let settings = question.keys.compactMap(Setting.named).map { Self.code("\($0.key): \($0.shown(in: standard))") }
    return [question.text, settings.joined(separator: ", "), question.remark, Self.known(question.grounds)]
  }

  /// How we know it, with a link to each section of `docs/behavior` that is named.
  private static func known(_ grounds: SettingEvidence?) -> String {
    (grounds?.text ?? "").replacing(/docs\/behavior\/([a-z-]+\.md#[a-z0-9-]+)/) { "[\($0.1)](behavior/\($0.1))" }
  }

  private static func code(_ text: String) -> String { text.isEmpty ? "" : "`\(text)`" }

  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    let lines = [head, head.map { _ in "---" }] + rows
    return lines.map { cells in
      "| "
        + cells.map { $0.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|") }
        .joined(separator: " | ") + " |"
    }.joined(separator: "\n")
  }
}
