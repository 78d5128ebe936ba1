import Devices
import Simulation

extension Setting {
  private static let article = "Apple, Starting and updating Live Activities with ActivityKit push notifications"

  static let lives: [Setting] = [
    Setting(
      "lives.activity", at: \.policy.activityLife, as: .duration,
      "Lifetime of a Live Activity and its update token.",
      grounds: .documented("Apple, Displaying live data with Live Activities; 410 at 8 h 00 was measured on iOS 26.5")),
    Setting(
      "lives.linger", at: \.policy.linger, as: .duration,
      "Maximum time that an ended Live Activity stays on the Lock Screen.",
      grounds: .documented("Apple, Displaying live data with Live Activities")),
    Setting(
      "lives.expiredLinger", at: \.policy.expiredLinger, as: .duration,
      "The same for an activity that ended at the end of its lifetime.",
      grounds: .disputed(
        "Apple says up to twelve hours in all; the end of the token was measured, that of the card was not")),
    Setting(
      "lives.activitiesPerApp", at: \.policy.activitiesPerApp, as: .whole(1...FleetPlan.mostActivities),
      "Live Activities that one app may run at once.",
      grounds: .observed(
        "five: PushWard and OneSignal documentation; four by another vendor; Apple publishes no number")),
    Setting(
      "lives.activitiesPerDevice", at: \.policy.activitiesPerDevice, as: .whole(1...FleetPlan.mostActivities),
      "Live Activities that one device may run at once.",
      grounds: .assumed("globalMaximumExceeded exists; no number was found")),
    Setting(
      "lives.endedCounts", at: \.policy.endedCounts, as: .truth,
      "Whether an ended card still counts towards these two limits.",
      grounds: .assumed("it does not")),
    Setting(
      "lives.overLimit", at: \.policy.overLimit, as: .word, "What happens to a start by push beyond these limits.",
      grounds: .disputed("Adobe's documentation says that the system may end older ones; assumed: the drop")),
    Setting(
      "lives.leaksOnForceQuit", at: \.policy.leaksOnForceQuit, as: .truth,
      "Whether activities of a force-quit app count towards the limits until the phone is rebooted.",
      grounds: .observed("once, by BikeControl; off unless set")),
    Setting(
      "lives.startNeedsAlert", at: \.policy.startNeedsAlert, as: .word,
      "Whether a start by push without an alert is dropped; from26: only on iOS 26 and later.",
      grounds: .disputed(
        "once recommended, required by Apple's article, enforced by iOS 26.4"
          + " (docs/behavior/live-activities.md#start-payload)"
      )),
    Setting(
      "lives.maxStartAge", at: \.policy.maxStartAge, as: .optional("never", or: .duration),
      "Maximum age of a start's timestamp; an older start is dropped.",
      grounds: .observed("mfaani.com: tens of seconds may be too old; off unless set")),
    Setting(
      "lives.requiresInputPushToken", at: \.policy.requiresInputPushToken, as: .truth,
      "Whether a start without input-push-token brings no update token on iOS 18 and later.",
      grounds: .disputed(
        "one developer received one without it, the log of another never shows one"
          + " (docs/behavior/live-activities.md#update-token-after-a-start)"
      )),
    Setting(
      "lives.newTokenWakesApp", at: \.policy.newTokenWakesApp, as: .truth,
      "Whether a new token wakes an app that is not running.",
      grounds: .disputed(
        "in the foreground according to WWDC23 session 10185, in the background according to Apple's article"
          + " (docs/behavior/tokens.md#runtime-for-a-new-token)"
      )),
    Setting(
      "lives.forceQuitCutoff", at: \.policy.forceQuitCutoff, as: .optional("never", or: .duration),
      "How long after a force-quit an app's activities still accept updates.",
      grounds: .disputed(
        "updates need no app; silence after 20 to 30 min was seen (voltra issue 119), perhaps a budget")),
    Setting(
      "lives.surviveReboot", at: \.policy.activitiesSurviveReboot, as: .truth, "Whether activities survive a reboot.",
      grounds: .assumed("thinly documented; weak sources say yes")),
    Setting(
      "lives.surviveAppUpdate", at: \.policy.activitiesSurviveAppUpdate, as: .truth,
      "Whether activities survive an update of their app.",
      grounds: .disputed("they are assumed to continue; builds installed by Xcode were seen to end them")),
    Setting(
      "lives.surviveRestore", at: \.policy.activitiesSurviveRestore, as: .truth,
      "Whether activities are restored from a backup; their update tokens are then replaced.",
      grounds: .assumed("they do not; nothing was found on it")),
    Setting(
      "lives.deadActivityAnswer", at: \.policy.deadActivityNotice, as: .optional("never", or: .duration),

      "Time from the end of an activity until its token is answered 410; never: 200 forever.",
      grounds: .disputed(
        "410 according to an Apple engineer and many servers, 200 forever according to one project"
          + " (docs/behavior/tokens.md#after-the-end)"
      )),
    Setting(
      "lives.deadActivityReason", at: \.policy.deadActivityReason, as: .word,
      "The reason of that 410. An activity that ran out its eight hours has ExpiredToken, whatever this says.",
      grounds: .assumed("only the reason at eight hours was measured")),
    Setting(
      "lives.uninstallNotice", at: \.policy.uninstallNotice, as: .durations,
      "Time from the first push after an uninstall until 410; drawn from this range.",
      grounds: .observed("hours to a day (apns2 issues 77 and 159)")),
    Setting(
      "lives.startTokenGrace", at: \.policy.startTokenGrace, as: .duration,
      "How long a rotated push-to-start token is still answered 200.",
      grounds: .disputed(
        "200 for weeks according to one project, rejected according to an article; assumed: a day"
          + " (docs/behavior/tokens.md#a-replaced-start-token)"
      )),
    Setting(
      "lives.updateTokenGrace", at: \.policy.updateTokenGrace, as: .duration,
      "How long a rotated update token is still answered 200.",
      grounds: .assumed("Apple tells servers to discard the old token, but not how it is answered")),
    Setting(
      "lives.updateTokenRotation", at: \.policy.updateTokenRotation,
      as: .optional("never", or: .duration(from: .seconds(60))),
      "Mean time until an update token is replaced while its activity runs.",
      grounds: .documented(
        article + ": it may happen; not seen in production (docs/behavior/tokens.md#replaced-in-mid-activity)")),
  ]
}

extension Setting {
  static let prompt: [Setting] = [
    Setting(
      "prompt.policy", at: \.policy.prompt.policy, as: .word, flag: "prompt",
      "When a start by push asks whether the app may show Live Activities; no update token is issued before Allow.",
      grounds: .observed("Apple's support confirms that it asks (mfaani.com); assumed: only the first start")),
    Setting(
      "prompt.answer", at: \.policy.prompt.answer, as: .word, "What the person answers.",
      grounds: .assumed("allow; an ignored card was seen to stay despite pushes (forum thread 836077)")),
    Setting(
      "prompt.after", at: \.policy.prompt.after, as: .duration,
      "How long the person takes to answer on the Lock Screen.",
      grounds: .assumed("no figure was found")),
    Setting(
      "prompt.cleanUp", at: \.policy.prompt.cleanUp, as: .duration, "When an ignored card is removed.",
      grounds: .assumed("after the maximum lifetime of a card")),
    Setting(
      "prompt.needsLockScreen", at: \.policy.prompt.needsLockScreen, as: .truth,
      "Whether the question is answered only on the Lock Screen, so not while the phone is in use.",
      grounds: .observed("the question is on the card on the Lock Screen (forum thread 836077)")),
    Setting(
      "prompt.asksAgainAfter", at: \.policy.prompt.asksAgainAfter, as: .optional("never", or: .count(1...1_000_000)),
      "Number of priority 10 updates to an app after which the question returns on a running card.",
      grounds: .observed("once, without a number; off unless set")),
    Setting(
      "prompt.holdsBroadcasts", at: \.policy.prompt.holdsBroadcasts, as: .truth,
      "Whether a card ignores the broadcasts of its channel until the question is answered.",
      grounds: .observed("no, according to one developer (docs/behavior/live-activities.md#question-under-the-card)")),
  ]
}

extension Setting {
  static let startTokens: [Setting] = [
    Setting(
      "startTokens.on17", at: \.policy.startTokens.on17, as: .word,
      "When an app gets a token on iOS 17.2 to 17.6; push-to-start needs iOS 17.2 or later.",
      grounds: .observed(
        "app deleted, phone rebooted and app reinstalled, in that order (docs/behavior/tokens.md#on-ios-17)")),
    Setting(
      "startTokens.from18", at: \.policy.startTokens.from18, as: .word, "When an app gets a token from iOS 18.",
      grounds: .observed("at every launch, but never for a few users on 26.5 (docs/behavior/tokens.md#from-ios-18)")),
    Setting(
      "startTokens.firesTwice", at: \.policy.startTokens.firesTwice, as: .truth,
      "Whether the stream yields the same token again after a start by push.",
      grounds: .observed("by two developers (docs/behavior/tokens.md#yielded-twice)")),
    Setting(
      "startTokens.replays", at: \.policy.startTokens.replays, as: .truth,
      "Whether the stream yields the current token at every launch, on iOS 18 and later.",
      grounds: .disputed("mostly; two projects did not see it (Sitrep, luka-ios pull request 146)")),
    Setting(
      "startTokens.silence", at: \.policy.startTokens.silence, as: .share,
      "Share of launches at which the stream yields nothing.",
      grounds: .observed("five launches on iOS 26.6 (luka-ios pull request 146); off unless set")),
    Setting(
      "startTokens.rotation", at: \.policy.startTokens.rotation,
      as: .optional("never", or: .duration(from: .seconds(60))),
      "Mean time until a token is replaced at random.",
      grounds: .observed("at seemingly random times (forum thread 825710); off unless set")),
    Setting(
      "startTokens.rotatesOnReboot", at: \.policy.startTokens.rotatesOnReboot, as: .truth,
      "Whether a reboot replaces the token.", grounds: .disputed("once, by Sitrep; thinly documented")),
    Setting(
      "startTokens.rotatesOnMajorUpdate", at: \.policy.startTokens.rotatesOnMajorUpdate, as: .truth,
      "Whether an update to another major version of iOS replaces it, and the device token.",
      grounds: .disputed("an article says so, Apple does not (docs/behavior/tokens.md#what-replaces-it)")),
    Setting(
      "startTokens.afterSystemUpdate", at: \.policy.startTokens.afterSystemUpdate, as: .word,
      "What an update to iOS 27.0 or later does to it; stale: it no longer works but is answered 200 until Live"
        + " Activities of the app are switched off and on.",
      grounds: .observed(
        "dead for some (home-assistant iOS issue 5812); keeps is assumed for the rest"
          + " (docs/behavior/tokens.md#after-the-update-to-ios-27)")),
    Setting(
      "startTokens.staleShare", at: \.policy.startTokens.staleShare, as: .share,
      "Share of the apps on phones with such an update whose token stops working.",
      grounds: .assumed("no share was published (docs/behavior/tokens.md#after-the-update-to-ios-27)")),
    Setting(
      "startTokens.rotatesOnAppUpdate", at: \.policy.startTokens.rotatesOnAppUpdate, as: .truth,
      "Whether an update of the app replaces the token.", grounds: .assumed("it does not; thinly documented")),
    Setting(
      "startTokens.rotatesOnReinstall", at: \.policy.startTokens.rotatesOnReinstall, as: .truth,
      "Whether an app that was deleted and reinstalled gets a new token.",
      grounds: .observed("an article says so (docs/behavior/tokens.md#what-replaces-it)")),
    Setting(
      "startTokens.rotatesOnRestore", at: \.policy.startTokens.rotatesOnRestore, as: .truth,
      "Whether a restore replaces the token; a kept token is valid even before the app is opened.",
      grounds: .documented("every token changes with a restore; thinly documented for this token")),
  ]
}
