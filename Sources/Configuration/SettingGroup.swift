/// A group of settings with a heading.
package struct SettingGroup: Sendable {
  package let title: String
  /// An introduction; may be empty.
  package let introduction: String
  package let settings: [Setting]

  init(_ title: String, _ settings: [Setting], introduction: String = "") {
    self.title = title
    self.introduction = introduction
    self.settings = settings
  }
}

extension Setting {
  /// All groups, in the order of the listing.
  package static let groups: [SettingGroup] = [
    SettingGroup("Listening", listening),
    SettingGroup("The fleet", fleet),
    SettingGroup(
      "Phones and people", mix,
      introduction:
        "Shares of the fleet, drawn from the seed phone by phone. `fleet.ideal` sets all of them but"
        + " `fleet.mix.twoPhones` to the best value; single shares override it."),
    SettingGroup("Rules of APNs", rules),
    SettingGroup("Pushes that APNs stores for offline phones", store),
    SettingGroup("Delivery to phones that are online", delivery),
    SettingGroup("Live Activities and their tokens", lives),
    SettingGroup("Push-to-start tokens", startTokens),
    SettingGroup(
      "The Allow prompt", prompt,
      introduction: "The question on the card of a Live Activity that a push has started."),
    SettingGroup("Delays before an app learns of an event", timing),
    SettingGroup(
      "Budget of updates", updateBudget,
      introduction: "Apple publishes no numbers. `budgets.update.preset` sets all of these; single values"
        + " override it."),
    SettingGroup(
      "Budget of starts by push", startBudget,
      introduction: "`budgets.start.preset` sets all of these; single values override it."),
    SettingGroup("Priority 5 and drawing", lowPriority),
    SettingGroup("Background pushes and calls", wakes),
    SettingGroup("Presentation", seen),
    SettingGroup(
      "Reports of apps to their backend", reports,
      introduction: "An app's profile says which calls it makes (`fleet.apps`, `--profile`)."),
    SettingGroup("The wire", wire),
  ]

  /// All scalar settings, in that order.
  package static let table: [Setting] = groups.flatMap(\.settings)
}
