import Devices

extension Setting {
  static let startTokens: [Setting] = [
    Setting(
      "startTokens.on17", \.habits.startTokens.on17, .word,
      "How an app comes by a token on iOS 17.2 to 17.6; before 17.2 there is none.",
      .observed("deleted, rebooted and installed afresh, in that order (docs/behavior/tokens.md#on-ios-17)")),
    Setting(
      "startTokens.from18", \.habits.startTokens.from18, .word, "The same from iOS 18 on.",
      .observed("at every launch, for a few users on 26.5 never (docs/behavior/tokens.md#from-ios-18)")),
    Setting(
      "startTokens.firesTwice", \.habits.startTokens.firesTwice, .truth,
      "Whether the stream yields the same token again after a start by push.",
      .observed("by two developers (docs/behavior/tokens.md#yielded-twice)")),
    Setting(
      "startTokens.replays", \.habits.startTokens.replays, .truth,
      "Whether the stream yields the present token at every launch, on iOS 18 and later.",
      .disputed("mostly; not by two projects (Sitrep, luka-ios pull request 146)")),
    Setting(
      "startTokens.silence", \.habits.startTokens.silence, .share, "Launches at which the stream stays silent.",
      .observed("five launches on iOS 26.6 (luka-ios pull request 146); off unless set")),
    Setting(
      "startTokens.rotation", \.habits.startTokens.rotation, .optional("never", or: .duration(from: .seconds(60))),
      "Mean time until a token is replaced for no reason.",
      .observed("at seemingly random times (forum thread 825710); off unless set")),
    Setting(
      "startTokens.rotatesOnReboot", \.habits.startTokens.rotatesOnReboot, .truth,
      "Whether a reboot replaces the token.", .disputed("once, by Sitrep; thinly documented")),
    Setting(
      "startTokens.rotatesOnMajorUpdate", \.habits.startTokens.rotatesOnMajorUpdate, .truth,
      "Whether an update to another major version of iOS replaces it, and the device token.",
      .disputed("an article says so, Apple does not (docs/behavior/tokens.md#what-replaces-it)")),
    Setting(
      "startTokens.rotatesOnAppUpdate", \.habits.startTokens.rotatesOnAppUpdate, .truth,
      "Whether an update of the app replaces the token.", .assumed("it does not; thinly documented")),
    Setting(
      "startTokens.rotatesOnReinstall", \.habits.startTokens.rotatesOnReinstall, .truth,
      "Whether an app that was deleted and installed again has another token.",
      .observed("an article says so (docs/behavior/tokens.md#what-replaces-it)")),
    Setting(
      "startTokens.rotatesOnRestore", \.habits.startTokens.rotatesOnRestore, .truth,
      "Whether a restore replaces the token; one that is kept is good before the app was opened.",
      .documented("every token changes with a restore; thinly documented for this one")),
  ]
}
