import Devices

extension Setting {
  static let seen: [Setting] = [
    Setting(
      "seen.sharedIsland", at: \.policy.sharedIsland, as: .word, "What two apps show in the Dynamic Island.",
      grounds: .disputed(
        "two minimals according to Apple, otherwise according to an app's pages"
          + " (docs/behavior/live-activities.md#two-apps-in-the-island)")),
    Setting(
      "seen.alertSoundsWhenDenied", at: \.policy.alertSoundsWhenDenied, as: .truth,
      "Whether the alert of a Live Activity makes a sound although notifications are denied.",
      grounds: .assumed("no; nothing was found on it")),
    Setting(
      "seen.focusQuietsActivities", at: \.policy.focusQuietsActivities, as: .truth,
      "Whether a Focus silences the alerts of Live Activities.", grounds: .assumed("no; nothing was found on it")),
    Setting(
      "seen.stuckCards", at: \.policy.stuckCards, as: .share,
      "Share of activities whose card is drawn only once.",
      grounds: .observed("LoopFollow pull request 611; off unless set")),
    Setting(
      "seen.taps", at: \.policy.taps, as: .share,
      "Share of banners that people tap, which opens the app. With 86%, both layers of a token's fallback reach 95%.",
      grounds: .assumed("the sum was observed, the share was not; off unless set (docs/behavior/apps.md#layers)")),
    Setting(
      "seen.tapAfter", at: \.policy.tapAfter, as: .durations, "Time from a banner to its tap.",
      grounds: .assumed("no figure was found")),
    Setting(
      "seen.booleanFlags", at: \.policy.booleanFlags, as: .truth,
      "Whether `true` and `false` count as 1 and 0 for a flag of a notification, such as `content-available`.",
      grounds: .disputed("Apple asks for a number; vapor-apns issue 52 says that true works like 1")),
    Setting(
      "seen.alertShows", at: \.policy.alertShows, as: .duration, "How long an alert stays on the screen.",
      grounds: .assumed("no figure was found")),
  ]
}
