import Devices
import Simulation

extension Setting {
  private static let article = "Apple, Starting and updating Live Activities with ActivityKit push notifications"

  static let lives: [Setting] = [
    Setting(
      "lives.activity", \.policy.activityLife, .duration,
      "Lifetime of a Live Activity and its update token.",
      .documented("Apple, Displaying live data with Live Activities; 410 at 8 h 00 was measured on iOS 26.5")),
    Setting(
      "lives.linger", \.policy.linger, .duration,
      "Maximum time that an ended Live Activity stays on the Lock Screen.",
      .documented("Apple, Displaying live data with Live Activities")),
    Setting(
      "lives.expiredLinger", \.policy.expiredLinger, .duration,
      "The same for an activity that ended at the end of its lifetime.",
      .disputed("Apple says up to twelve hours in all; the end of the token was measured, that of the card was not")),
    Setting(
      "lives.activitiesPerApp", \.policy.activitiesPerApp, .whole(1...FleetPlan.mostActivities),
      "Live Activities that one app may run at once.",
      .observed("five: PushWard and OneSignal documentation; four by another vendor; Apple publishes no number")),
    Setting(
      "lives.activitiesPerDevice", \.policy.activitiesPerDevice, .whole(1...FleetPlan.mostActivities),
      "Live Activities that one device may run at once.",
      .assumed("globalMaximumExceeded exists; no number was found")),
    Setting(
      "lives.endedCounts", \.policy.endedCounts, .truth, "Whether an ended card still counts towards these two limits.",
      .assumed("it does not")),
    Setting(
      "lives.overLimit", \.policy.overLimit, .word, "What happens to a start by push beyond these limits.",
      .disputed("Adobe's documentation says that the system may end older ones; assumed: the drop")),
    Setting(
      "lives.leaksOnForceQuit", \.policy.leaksOnForceQuit, .truth,
      "Whether activities of a force-quit app count towards the limits until the phone is rebooted.",
      .observed("once, by BikeControl; off unless set")),
    Setting(
      "lives.startNeedsAlert", \.policy.startNeedsAlert, .word,
      "Whether a start by push without an alert is dropped; from26: only on iOS 26 and later.",
      .disputed(
        "once recommended, required by Apple's article, enforced by iOS 26.4"
          + " (docs/behavior/live-activities.md#start-payload)"
      )),
    Setting(
      "lives.maxStartAge", \.policy.maxStartAge, .optional("never", or: .duration),
      "Maximum age of a start's timestamp; an older start is dropped.",
      .observed("mfaani.com: tens of seconds may be too old; off unless set")),
    Setting(
      "lives.requiresInputPushToken", \.policy.requiresInputPushToken, .truth,
      "Whether a start without input-push-token brings no update token on iOS 18 and later.",
      .disputed(
        "one developer received one without it, the log of another never shows one"
          + " (docs/behavior/live-activities.md#update-token-after-a-start)"
      )),
    Setting(
      "lives.newTokenWakesApp", \.policy.newTokenWakesApp, .truth,
      "Whether a new token wakes an app that is not running.",
      .disputed(
        "in the foreground according to WWDC23 session 10185, in the background according to Apple's article"
          + " (docs/behavior/tokens.md#runtime-for-a-new-token)"
      )),
    Setting(
      "lives.forceQuitCutoff", \.policy.forceQuitCutoff, .optional("never", or: .duration),
      "How long after a force-quit an app's activities still accept updates.",
      .disputed("updates need no app; silence after 20 to 30 min was seen (voltra issue 119), perhaps a budget")),
    Setting(
      "lives.surviveReboot", \.policy.activitiesSurviveReboot, .truth, "Whether activities survive a reboot.",
      .assumed("thinly documented; weak sources say yes")),
    Setting(
      "lives.surviveAppUpdate", \.policy.activitiesSurviveAppUpdate, .truth,
      "Whether activities survive an update of their app.",
      .disputed("they are assumed to continue; builds installed by Xcode were seen to end them")),
    Setting(
      "lives.surviveRestore", \.policy.activitiesSurviveRestore, .truth,
      "Whether activities are restored from a backup; their update tokens are then replaced.",
      .assumed("they do not; nothing was found on it")),
    Setting(
      "lives.deadActivityAnswer", \.policy.deadActivityNotice, .optional("never", or: .duration),

      "Time from the end of an activity until its token is answered 410; never: 200 forever.",
      .disputed(
        "410 according to an Apple engineer and many servers, 200 forever according to one project"
          + " (docs/behavior/tokens.md#after-the-end)"
      )),
    Setting(
      "lives.deadActivityReason", \.policy.deadActivityReason, .word,
      "The reason of that 410. An activity that ran out its eight hours has ExpiredToken, whatever this says.",
      .assumed("only the reason at eight hours was measured")),
    Setting(
      "lives.uninstallNotice", \.policy.uninstallNotice, .durations,
      "Time from the first push after an uninstall until 410; drawn from this range.",
      .observed("hours to a day (apns2 issues 77 and 159)")),
    Setting(
      "lives.startTokenGrace", \.policy.startTokenGrace, .duration,
      "How long a rotated push-to-start token is still answered 200.",
      .disputed(
        "200 for weeks according to one project, rejected according to an article; assumed: a day"
          + " (docs/behavior/tokens.md#a-replaced-start-token)"
      )),
    Setting(
      "lives.updateTokenGrace", \.policy.updateTokenGrace, .duration,
      "How long a rotated update token is still answered 200.",
      .assumed("Apple tells servers to discard the old token, but not how it is answered")),
    Setting(
      "lives.updateTokenRotation", \.policy.updateTokenRotation, .optional("never", or: .duration(from: .seconds(60))),
      "Mean time until an update token is replaced while its activity runs.",
      .documented(
        article + ": it may happen; not seen in production (docs/behavior/tokens.md#replaced-in-mid-activity)")),
  ]
}

extension Setting {
  static let prompt: [Setting] = [
    Setting(
      "prompt.policy", \.policy.prompt.policy, .word, flag: "prompt",
      "When a start by push asks whether the app may show Live Activities; no update token is issued before Allow.",
      .observed("Apple's support confirms that it asks (mfaani.com); assumed: only the first start")),
    Setting(
      "prompt.answer", \.policy.prompt.answer, .word, "What the person answers.",
      .assumed("allow; an ignored card was seen to stay despite pushes (forum thread 836077)")),
    Setting(
      "prompt.after", \.policy.prompt.after, .duration,
      "How long the person takes to answer on the Lock Screen.",
      .assumed("no figure was found")),
    Setting(
      "prompt.cleanUp", \.policy.prompt.cleanUp, .duration, "When an ignored card is removed.",
      .assumed("after the maximum lifetime of a card")),
    Setting(
      "prompt.needsLockScreen", \.policy.prompt.needsLockScreen, .truth,
      "Whether the question is answered only on the Lock Screen, so not while the phone is in use.",
      .observed("the question is on the card on the Lock Screen (forum thread 836077)")),
    Setting(
      "prompt.asksAgainAfter", \.policy.prompt.asksAgainAfter, .optional("never", or: .count(1...1_000_000)),
      "Number of priority 10 updates to an app after which the question returns on a running card.",
      .observed("once, without a number; off unless set")),
    Setting(
      "prompt.holdsBroadcasts", \.policy.prompt.holdsBroadcasts, .truth,
      "Whether a card ignores the broadcasts of its channel until the question is answered.",
      .observed("no, according to one developer (docs/behavior/live-activities.md#question-under-the-card)")),
  ]
}

extension Setting {
  static let startTokens: [Setting] = [
    Setting(
      "startTokens.on17", \.policy.startTokens.on17, .word,
      "When an app gets a token on iOS 17.2 to 17.6; push-to-start needs iOS 17.2 or later.",
      .observed("app deleted, phone rebooted and app reinstalled, in that order (docs/behavior/tokens.md#on-ios-17)")),
    Setting(
      "startTokens.from18", \.policy.startTokens.from18, .word, "When an app gets a token from iOS 18.",
      .observed("at every launch, but never for a few users on 26.5 (docs/behavior/tokens.md#from-ios-18)")),
    Setting(
      "startTokens.firesTwice", \.policy.startTokens.firesTwice, .truth,
      "Whether the stream yields the same token again after a start by push.",
      .observed("by two developers (docs/behavior/tokens.md#yielded-twice)")),
    Setting(
      "startTokens.replays", \.policy.startTokens.replays, .truth,
      "Whether the stream yields the current token at every launch, on iOS 18 and later.",
      .disputed("mostly; two projects did not see it (Sitrep, luka-ios pull request 146)")),
    Setting(
      "startTokens.silence", \.policy.startTokens.silence, .share,
      "Share of launches at which the stream yields nothing.",
      .observed("five launches on iOS 26.6 (luka-ios pull request 146); off unless set")),
    Setting(
      "startTokens.rotation", \.policy.startTokens.rotation, .optional("never", or: .duration(from: .seconds(60))),
      "Mean time until a token is replaced at random.",
      .observed("at seemingly random times (forum thread 825710); off unless set")),
    Setting(
      "startTokens.rotatesOnReboot", \.policy.startTokens.rotatesOnReboot, .truth,
      "Whether a reboot replaces the token.", .disputed("once, by Sitrep; thinly documented")),
    Setting(
      "startTokens.rotatesOnMajorUpdate", \.policy.startTokens.rotatesOnMajorUpdate, .truth,
      "Whether an update to another major version of iOS replaces it, and the device token.",
      .disputed("an article says so, Apple does not (docs/behavior/tokens.md#what-replaces-it)")),
    Setting(
      "startTokens.afterSystemUpdate", \.policy.startTokens.afterSystemUpdate, .word,
      "What an update to iOS 27.0 or later does to it; stale: it no longer works but is answered 200 until Live"
        + " Activities of the app are switched off and on.",
      .observed(
        "dead for some (home-assistant iOS issue 5812); keeps is assumed for the rest"
          + " (docs/behavior/tokens.md#after-the-update-to-ios-27)")),
    Setting(
      "startTokens.staleShare", \.policy.startTokens.staleShare, .share,
      "Share of the apps on phones with such an update whose token stops working.",
      .assumed("no share was published (docs/behavior/tokens.md#after-the-update-to-ios-27)")),
    Setting(
      "startTokens.rotatesOnAppUpdate", \.policy.startTokens.rotatesOnAppUpdate, .truth,
      "Whether an update of the app replaces the token.", .assumed("it does not; thinly documented")),
    Setting(
      "startTokens.rotatesOnReinstall", \.policy.startTokens.rotatesOnReinstall, .truth,
      "Whether an app that was deleted and reinstalled gets a new token.",
      .observed("an article says so (docs/behavior/tokens.md#what-replaces-it)")),
    Setting(
      "startTokens.rotatesOnRestore", \.policy.startTokens.rotatesOnRestore, .truth,
      "Whether a restore replaces the token; a kept token is valid even before the app is opened.",
      .documented("every token changes with a restore; thinly documented for this token")),
  ]
}
