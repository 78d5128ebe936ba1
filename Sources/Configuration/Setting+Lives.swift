import Devices
import Simulation

extension Setting {
  private static let article = "Apple, Starting and updating Live Activities with ActivityKit push notifications"

  static let lives: [Setting] = [
    Setting(
      "lives.activity", \.policy.activityLife, .duration, flag: "activity-life",
      "How long a Live Activity and its update token live.",
      .documented("Apple, Displaying live data with Live Activities; 410 at 8 h 00 was measured on iOS 26.5")),
    Setting(
      "lives.linger", \.policy.linger, .duration, flag: "linger",
      "How long an ended Live Activity stays on the Lock Screen at most.",
      .documented("Apple, Displaying live data with Live Activities")),
    Setting(
      "lives.expiredLinger", \.policy.expiredLinger, .duration, "The same for one whose life was over.",
      .disputed("Apple says up to twelve hours in all; the death of the token was measured, that of the card was not")),
    Setting(
      "lives.activitiesPerApp", \.policy.activitiesPerApp, .whole(1...FleetPlan.mostActivities),
      flag: "activities-per-app", "Live Activities that one app may run at once.",
      .observed("five: PushWard and OneSignal documentation; four by another vendor; Apple publishes none")),
    Setting(
      "lives.activitiesPerDevice", \.policy.activitiesPerDevice, .whole(1...FleetPlan.mostActivities),
      flag: "activities-per-device", "Live Activities that one device may run at once.",
      .assumed("globalMaximumExceeded exists, no number was found")),
    Setting(
      "lives.endedCounts", \.policy.endedCounts, .truth, "Whether an ended card still counts to these two.",
      .assumed("it does not")),
    Setting(
      "lives.overLimit", \.policy.overLimit, .word, "What becomes of a start by push beyond them.",
      .disputed("Adobe's documentation says that the system may end older ones; the drop is assumed")),
    Setting(
      "lives.leaksOnForceQuit", \.policy.leaksOnForceQuit, .truth,
      "Whether activities of a force-quit app count until the phone is rebooted.",
      .observed("once, by BikeControl; off unless set")),
    Setting(
      "lives.startNeedsAlert", \.policy.startNeedsAlert, .word,
      "Whether a start by push without an alert is dropped; from26: on iOS 26 and later only.",
      .disputed(
        "once recommended, required by Apple's article, enforced by iOS 26.4"
          + " (docs/behavior/live-activities.md#start-payload)"
      )),
    Setting(
      "lives.maxStartAge", \.policy.maxStartAge, .optional("never", or: .duration),
      "How old the timestamp of a start may be before the start is dropped.",
      .observed("mfaani.com: tens of seconds may be too old; off unless set")),
    Setting(
      "lives.requiresInputPushToken", \.policy.requiresInputPushToken, .truth,
      "Whether a start without input-push-token brings no update token on iOS 18 and later.",
      .disputed(
        "one developer received one without it, another log never did"
          + " (docs/behavior/live-activities.md#update-token-after-a-start)"
      )),
    Setting(
      "lives.newTokenWakesApp", \.policy.newTokenWakesApp, .truth,
      "Whether a new token wakes an app that is not running.",
      .disputed(
        "foreground by WWDC23 session 10185, background by Apple's article"
          + " (docs/behavior/tokens.md#runtime-for-a-new-token)"
      )),
    Setting(
      "lives.forceQuitCutoff", \.policy.forceQuitCutoff, .optional("never", or: .duration),
      "How long after a force-quit its activities still take updates.",
      .disputed("no app is needed for them; silence after 20 to 30 min was seen (voltra issue 119), perhaps a budget")),
    Setting(
      "lives.surviveReboot", \.policy.activitiesSurviveReboot, .truth, "Whether activities survive a reboot.",
      .disputed("thinly documented, weak sources say yes")),
    Setting(
      "lives.surviveAppUpdate", \.policy.activitiesSurviveAppUpdate, .truth,
      "Whether activities survive an update of their app.",
      .disputed("assumed to go on; builds installed by Xcode were seen to end them")),
    Setting(
      "lives.surviveRestore", \.policy.activitiesSurviveRestore, .truth,
      "Whether activities come along when a backup is restored; their update tokens are then replaced.",
      .assumed("they do not; nothing was found on it")),
    Setting(
      "lives.deadActivityAnswer", \.policy.deadActivityNotice, .optional("never", or: .duration),
      flag: "dead-activity-answer", "From the end of an activity until its token answers 410; never: 200 for ever.",
      .disputed(
        "410 by an Apple engineer and many servers, 200 for ever by one project (docs/behavior/tokens.md#after-the-end)"
      )),
    Setting(
      "lives.deadActivityReason", \.policy.deadActivityReason, .word,
      "What that 410 says; the end of its eight hours always says ExpiredToken.",
      .assumed("only the reason at eight hours was measured")),
    Setting(
      "lives.uninstallNotice", \.policy.uninstallNotice, .durations, flag: "uninstall-notice",
      "From the first push after an uninstall until 410; drawn between the two.",
      .observed("hours to a day (apns2 issues 77 and 159)")),
    Setting(
      "lives.startTokenGrace", \.policy.startTokenGrace, .duration, flag: "start-token-grace",
      "How long a rotated push-to-start token is still answered 200.",
      .disputed(
        "200 for weeks by one project, a refusal by an article; a day is assumed"
          + " (docs/behavior/tokens.md#a-replaced-start-token)"
      )),
    Setting(
      "lives.updateTokenGrace", \.policy.updateTokenGrace, .duration, flag: "update-token-grace",
      "How long a rotated update token is still answered 200.",
      .assumed("Apple tells servers to forget the old token, not what it answers")),
    Setting(
      "lives.updateTokenRotation", \.policy.updateTokenRotation, .optional("never", or: .duration(from: .seconds(60))),
      "Mean time until an update token is replaced in mid-activity.",
      .documented(
        article + ": it may happen; not seen in production (docs/behavior/tokens.md#replaced-in-mid-activity)")),
  ]
}

extension Setting {
  static let prompt: [Setting] = [
    Setting(
      "prompt.policy", \.policy.prompt.policy, .word, flag: "prompt",
      "When a start by push asks whether the app may show Live Activities; until Allow there is no update token.",
      .disputed("that it asks is confirmed by Apple's support (mfaani.com); whether every start does is unknown")),
    Setting(
      "prompt.answer", \.policy.prompt.answer, .word, "What the person answers.",
      .assumed("allow; an ignored card was seen to stay whatever is pushed (forum thread 836077)")),
    Setting(
      "prompt.after", \.policy.prompt.after, .duration,
      "How long the person looks at the Lock Screen before answering.",
      .assumed("no figure was found")),
    Setting(
      "prompt.cleanUp", \.policy.prompt.cleanUp, .duration, "When an ignored card goes.",
      .assumed("after the longest life of a card")),
    Setting(
      "prompt.needsLockScreen", \.policy.prompt.needsLockScreen, .truth,
      "Whether it is answered on the Lock Screen only, and so not while the phone is in use.",
      .observed("the question is under the card on the Lock Screen (forum thread 836077)")),
    Setting(
      "prompt.asksAgainAfter", \.policy.prompt.asksAgainAfter, .optional("never", or: .count(1...1_000_000)),
      "Updates of priority 10 to an app after which the question comes back under a card that goes on running.",
      .observed("once, without a number; off unless set")),
  ]
}

extension Setting {
  static let startTokens: [Setting] = [
    Setting(
      "startTokens.on17", \.policy.startTokens.on17, .word,
      "How an app comes by a token on iOS 17.2 to 17.6; before 17.2 there is none.",
      .observed("deleted, rebooted and installed afresh, in that order (docs/behavior/tokens.md#on-ios-17)")),
    Setting(
      "startTokens.from18", \.policy.startTokens.from18, .word, "The same from iOS 18 on.",
      .observed("at every launch, for a few users on 26.5 never (docs/behavior/tokens.md#from-ios-18)")),
    Setting(
      "startTokens.firesTwice", \.policy.startTokens.firesTwice, .truth,
      "Whether the stream yields the same token again after a start by push.",
      .observed("by two developers (docs/behavior/tokens.md#yielded-twice)")),
    Setting(
      "startTokens.replays", \.policy.startTokens.replays, .truth,
      "Whether the stream yields the present token at every launch, on iOS 18 and later.",
      .disputed("mostly; not by two projects (Sitrep, luka-ios pull request 146)")),
    Setting(
      "startTokens.silence", \.policy.startTokens.silence, .share, "Launches at which the stream stays silent.",
      .observed("five launches on iOS 26.6 (luka-ios pull request 146); off unless set")),
    Setting(
      "startTokens.rotation", \.policy.startTokens.rotation, .optional("never", or: .duration(from: .seconds(60))),
      "Mean time until a token is replaced for no reason.",
      .observed("at seemingly random times (forum thread 825710); off unless set")),
    Setting(
      "startTokens.rotatesOnReboot", \.policy.startTokens.rotatesOnReboot, .truth,
      "Whether a reboot replaces the token.", .disputed("once, by Sitrep; thinly documented")),
    Setting(
      "startTokens.rotatesOnMajorUpdate", \.policy.startTokens.rotatesOnMajorUpdate, .truth,
      "Whether an update to another major version of iOS replaces it, and the device token.",
      .disputed("an article says so, Apple does not (docs/behavior/tokens.md#what-replaces-it)")),
    Setting(
      "startTokens.rotatesOnAppUpdate", \.policy.startTokens.rotatesOnAppUpdate, .truth,
      "Whether an update of the app replaces the token.", .assumed("it does not; thinly documented")),
    Setting(
      "startTokens.rotatesOnReinstall", \.policy.startTokens.rotatesOnReinstall, .truth,
      "Whether an app that was deleted and installed again has another token.",
      .observed("an article says so (docs/behavior/tokens.md#what-replaces-it)")),
    Setting(
      "startTokens.rotatesOnRestore", \.policy.startTokens.rotatesOnRestore, .truth,
      "Whether a restore replaces the token; one that is kept is good before the app was opened.",
      .documented("every token changes with a restore; thinly documented for this one")),
  ]
}
