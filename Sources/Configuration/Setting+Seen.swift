import Devices

extension Setting {
  static let seen: [Setting] = [
    Setting(
      "seen.sharedIsland", \.policy.sharedIsland, .word, "What two apps show in the Dynamic Island.",
      .disputed(
        "two minimals by Apple, otherwise by an app's pages"
          + " (docs/behavior/live-activities.md#two-apps-in-the-island)")),
    Setting(
      "seen.alertSoundsWhenDenied", \.policy.alertSoundsWhenDenied, .truth,
      "Whether the alert of a Live Activity sounds though notifications are denied.",
      .assumed("no; nothing was found on it")),
    Setting(
      "seen.focusQuietsActivities", \.policy.focusQuietsActivities, .truth,
      "Whether a Focus keeps the alerts of Live Activities quiet.", .assumed("no; nothing was found on it")),
    Setting(
      "seen.stuckCards", \.policy.stuckCards, .share,
      "Activities whose card is never drawn again after the first time.",
      .observed("LoopFollow pull request 611; off unless set")),
    Setting(
      "seen.taps", \.policy.taps, .share,
      "Banners that their person taps, which opens the app. 86% brings the two layers of a token's fallback to 95%.",
      .assumed("the sum is observed, not the share; off unless set (docs/behavior/apps.md#layers)")),
    Setting(
      "seen.tapAfter", \.policy.tapAfter, .durations, "How long after a banner its person taps it.",
      .assumed("no figure was found")),
    Setting(
      "seen.contentDates", \.policy.contentDates, .word,
      "From when a number for a Date in content counts, for `pushpit lint`; a phone takes any number.",
      .disputed("since 2001 by Swift's default and by senders; a study on iOS 26.5 left it open")),
    Setting(
      "seen.alertShows", \.policy.alertShows, .duration, "How long an alert is on the screen.",
      .assumed("no figure was found")),
  ]
}
