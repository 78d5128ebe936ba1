/// Settings that belong together, under one heading.
package struct SettingGroup: Sendable {
  package let title: String
  /// What they have in common; may be empty.
  package let introduction: String
  package let settings: [Setting]

  init(_ title: String, _ settings: [Setting], _ introduction: String = "") {
    self.title = title
    self.introduction = introduction
    self.settings = settings
  }
}

extension Setting {
  /// All of them, in the order in which they are listed.
  package static let groups: [SettingGroup] = [
    SettingGroup("Listening", listening),
    SettingGroup("The fleet", fleet),
    SettingGroup(
      "Phones and people", mix,
      "Shares of the fleet, drawn from the seed phone by phone. `fleet.ideal` sets all of them to the best; single"
        + " shares given beside it win."),
    SettingGroup("Rules of APNs", rules),
    SettingGroup("What APNs keeps for phones that are offline", store),
    SettingGroup("Live Activities and their tokens", lives),
    SettingGroup("Push-to-start tokens", startTokens),
    SettingGroup(
      "The Allow prompt", prompt, "The question under the card of a Live Activity that a push has started."),
    SettingGroup("How long a phone takes to tell an app", timing),
    SettingGroup(
      "Budget of updates", updateBudget,
      "Apple publishes no number. `budgets.update.preset` sets all of these; single numbers given beside it win."),
    SettingGroup(
      "Budget of starts by push", startBudget,
      "`budgets.start.preset` sets all of these; single numbers given beside it win."),
    SettingGroup("Priority 5 and drawing", lowPriority),
    SettingGroup("Background pushes and calls", wakes),
    SettingGroup("What is seen", seen),
    SettingGroup(
      "What apps report to their backend", reports,
      "Which calls an app makes is said by its profile (`fleet.apps`, `--profile`)."),
    SettingGroup("The wire", wire),
  ]

  /// All scalar settings, in that order.
  package static let table: [Setting] = groups.flatMap(\.settings)
}
