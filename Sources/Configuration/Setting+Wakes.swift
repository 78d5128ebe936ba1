import Devices

extension Setting {
  private static let article = "Apple, Pushing background updates to your App"

  static let wakes: [Setting] = [
    Setting(
      "wakes.whenRestricted", at: \.policy.wakes.whenRestricted, as: .word,
      "What happens to a background push in Low Power Mode, or while Background App Refresh is off.",
      grounds: .disputed("widely assumed to be deferred; Apple says only that refresh is off")),
    Setting(
      "wakes.most", at: \.policy.wakes.wakes, as: .count(1...1_000_000),
      "Maximum number of wakes of one app in the window.",
      grounds: .documented(article + ": two or three an hour")),
    Setting(
      "wakes.window", at: \.policy.wakes.window, as: .duration(from: .seconds(60)),
      "Length of the window, from its first wake.",
      grounds: .documented(article + "; assumed: fixed rather than sliding")),
    Setting(
      "wakes.chance", at: \.policy.wakes.odds, as: .share, "Probability that the system decides to wake the app.",
      grounds: .observed("60 to 70% of silent pushes succeed (docs/behavior/background-pushes.md#not-woken)")),
    Setting(
      "wakes.runtime", at: \.policy.wakes.runtime, as: .duration, "Runtime of the app after a wake.",
      grounds: .documented(article)),
    Setting(
      "calls.failures", at: \.policy.calls.failures, as: .count(1...1_000_000),
      "Number of VoIP pushes without a reported call after which iOS stops delivering them.",
      grounds: .observed("three in a day, according to one project; Apple says only that failures are repeated")),
    Setting(
      "calls.window", at: \.policy.calls.window, as: .duration, "Length of the window, from its first failure.",
      grounds: .observed("a day, according to one project; assumed: fixed rather than sliding")),
    Setting(
      "calls.stopsFor", at: \.policy.calls.stopsFor, as: .optional("reinstall", or: .duration),
      "How long VoIP pushes are stopped; reinstall: until the app is reinstalled.",
      grounds: .assumed("no figure was found")),
  ]
}
