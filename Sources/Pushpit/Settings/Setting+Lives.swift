import Devices
import Simulation

extension Setting {
  private static let article = "Apple, Starting and updating Live Activities with ActivityKit push notifications"

  static let lives: [Setting] = [
    Setting(
      "lives.activity", \.habits.activityLife, .duration, flag: "activity-life",
      "How long a Live Activity and its update token live.",
      .documented("Apple, Displaying live data with Live Activities; 410 at 8 h 00 was measured on iOS 26.5")),
    Setting(
      "lives.linger", \.habits.linger, .duration, flag: "linger",
      "How long an ended Live Activity stays on the Lock Screen at most.",
      .documented("Apple, Displaying live data with Live Activities")),
    Setting(
      "lives.expiredLinger", \.habits.expiredLinger, .duration, "The same for one whose life was over.",
      .disputed("Apple says up to twelve hours in all; the death of the token was measured, that of the card was not")),
    Setting(
      "lives.activitiesPerApp", \.habits.activitiesPerApp, .whole(1...FleetPlan.mostActivities),
      flag: "activities-per-app", "Live Activities that one app may run at once.",
      .observed("five: PushWard and OneSignal documentation; four by another vendor; Apple publishes none")),
    Setting(
      "lives.activitiesPerDevice", \.habits.activitiesPerDevice, .whole(1...FleetPlan.mostActivities),
      flag: "activities-per-device", "Live Activities that one device may run at once.",
      .assumed("globalMaximumExceeded exists, no number was found")),
    Setting(
      "lives.endedCounts", \.habits.endedCounts, .truth, "Whether an ended card still counts to these two.",
      .assumed("it does not")),
    Setting(
      "lives.overLimit", \.habits.overLimit, .word, "What becomes of a start by push beyond them.",
      .disputed("Adobe's documentation says that the system may end older ones; the drop is assumed")),
    Setting(
      "lives.leaksOnForceQuit", \.habits.leaksOnForceQuit, .truth,
      "Whether activities of a force-quit app count until the phone is rebooted.",
      .observed("once, by BikeControl; off unless set")),
    Setting(
      "lives.startNeedsAlert", \.habits.startNeedsAlert, .word,
      "Whether a start by push without an alert is dropped; from26: on iOS 26 and later only.",
      .disputed(
        "once recommended, required by Apple's article, enforced by iOS 26.4"
          + " (docs/behavior/live-activities.md#start-payload)"
      )),
    Setting(
      "lives.maxStartAge", \.habits.maxStartAge, .optional("never", or: .duration),
      "How old the timestamp of a start may be before the start is dropped.",
      .observed("mfaani.com: tens of seconds may be too old; off unless set")),
    Setting(
      "lives.requiresInputPushToken", \.habits.requiresInputPushToken, .truth,
      "Whether a start without input-push-token brings no update token on iOS 18 and later.",
      .disputed(
        "one developer received one without it, another log never did"
          + " (docs/behavior/live-activities.md#update-token-after-a-start)"
      )),
    Setting(
      "lives.newTokenWakesApp", \.habits.newTokenWakesApp, .truth,
      "Whether a new token wakes an app that is not running.",
      .disputed(
        "foreground by WWDC23 session 10185, background by Apple's article"
          + " (docs/behavior/tokens.md#runtime-for-a-new-token)"
      )),
    Setting(
      "lives.forceQuitCutoff", \.habits.forceQuitCutoff, .optional("never", or: .duration),
      "How long after a force-quit its activities still take updates.",
      .disputed("no app is needed for them; silence after 20 to 30 min was seen (voltra issue 119), perhaps a budget")),
    Setting(
      "lives.surviveReboot", \.habits.activitiesSurviveReboot, .truth, "Whether activities survive a reboot.",
      .disputed("thinly documented, weak sources say yes")),
    Setting(
      "lives.surviveAppUpdate", \.habits.activitiesSurviveAppUpdate, .truth,
      "Whether activities survive an update of their app.",
      .disputed("assumed to go on; builds installed by Xcode were seen to end them")),
    Setting(
      "lives.surviveRestore", \.habits.activitiesSurviveRestore, .truth,
      "Whether activities come along when a backup is restored; their update tokens are then replaced.",
      .assumed("they do not; nothing was found on it")),
    Setting(
      "lives.deadActivityAnswer", \.habits.deadActivityNotice, .optional("never", or: .duration),
      flag: "dead-activity-answer", "From the end of an activity until its token answers 410; never: 200 for ever.",
      .disputed(
        "410 by an Apple engineer and many servers, 200 for ever by one project (docs/behavior/tokens.md#after-the-end)"
      )),
    Setting(
      "lives.deadActivityReason", \.habits.deadActivityReason, .word,
      "What that 410 says; the end of its eight hours always says ExpiredToken.",
      .assumed("only the reason at eight hours was measured")),
    Setting(
      "lives.uninstallNotice", \.habits.uninstallNotice, .durations, flag: "uninstall-notice",
      "From the first push after an uninstall until 410; drawn between the two.",
      .observed("hours to a day (apns2 issues 77 and 159)")),
    Setting(
      "lives.startTokenGrace", \.habits.startTokenGrace, .duration, flag: "start-token-grace",
      "How long a rotated push-to-start token is still answered 200.",
      .disputed(
        "200 for weeks by one project, a refusal by an article; a day is assumed"
          + " (docs/behavior/tokens.md#a-replaced-start-token)"
      )),
    Setting(
      "lives.updateTokenGrace", \.habits.updateTokenGrace, .duration, flag: "update-token-grace",
      "How long a rotated update token is still answered 200.",
      .assumed("Apple tells servers to forget the old token, not what it answers")),
    Setting(
      "lives.updateTokenRotation", \.habits.updateTokenRotation, .optional("never", or: .duration(from: .seconds(60))),
      "Mean time until an update token is replaced in mid-activity.",
      .documented(
        article + ": it may happen; not seen in production (docs/behavior/tokens.md#replaced-in-mid-activity)")),
  ]
}
