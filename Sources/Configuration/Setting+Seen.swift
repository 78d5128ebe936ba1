import Devices

extension Setting {
  static let seen: [Setting] = [
    Setting(
      "seen.sharedIsland", \.policy.sharedIsland, .word, "What two apps show in the Dynamic Island.",
      .disputed(
        "two minimals according to Apple, otherwise according to an app's pages"
          + " (docs/behavior/live-activities.md#two-apps-in-the-island)")),
    Setting(
      "seen.alertSoundsWhenDenied", \.policy.alertSoundsWhenDenied, .truth,
      "Whether the alert of a Live Activity makes a sound although notifications are denied.",
      .assumed("no; nothing was found on it")),
    Setting(
      "seen.focusQuietsActivities", \.policy.focusQuietsActivities, .truth,
      "Whether a Focus silences the alerts of Live Activities.", .assumed("no; nothing was found on it")),
    Setting(
      "seen.stuckCards", \.policy.stuckCards, .share,
      "Share of activities whose card is drawn only once.",
      .observed("LoopFollow pull request 611; off unless set")),
    Setting(
      "seen.taps", \.policy.taps, .share,
      "Share of banners that people tap, which opens the app. With 86%, both layers of a token's fallback reach 95%.",
      .assumed("the sum was observed, the share was not; off unless set (docs/behavior/apps.md#layers)")),
    Setting(
      "seen.tapAfter", \.policy.tapAfter, .durations, "Time from a banner to its tap.",
      .assumed("no figure was found")),
    Setting(
      "seen.booleanFlags", \.policy.booleanFlags, .truth,
      "Whether `true` and `false` count as 1 and 0 for a flag of a notification, such as `content-available`.",
      .disputed("Apple asks for a number; vapor-apns issue 52 says that true works like 1")),
    Setting(
      "seen.alertShows", \.policy.alertShows, .duration, "How long an alert stays on the screen.",
      .assumed("no figure was found")),
  ]
}
