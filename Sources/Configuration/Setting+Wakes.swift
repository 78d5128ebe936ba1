import Devices

extension Setting {
  private static let article = "Apple, Pushing background updates to your App"

  static let wakes: [Setting] = [
    Setting(
      "wakes.whenRestricted", \.policy.wakes.whenRestricted, .word,
      "What happens to a background push in Low Power Mode, or while Background App Refresh is off.",
      .disputed("widely assumed to be deferred; Apple says only that refresh is off")),
    Setting(
      "wakes.most", \.policy.wakes.wakes, .count(1...1_000_000), "Maximum number of wakes of one app in the window.",
      .documented(article + ": two or three an hour")),
    Setting(
      "wakes.window", \.policy.wakes.window, .duration(from: .seconds(60)),
      "Length of the window, from its first wake.",
      .documented(article + "; assumed: fixed rather than sliding")),
    Setting(
      "wakes.chance", \.policy.wakes.odds, .share, "Probability that the system decides to wake the app.",
      .observed("60 to 70% of silent pushes succeed (docs/behavior/background-pushes.md#not-woken)")),
    Setting(
      "wakes.runtime", \.policy.wakes.runtime, .duration, "Runtime of the app after a wake.", .documented(article)),
    Setting(
      "calls.failures", \.policy.calls.failures, .count(1...1_000_000),
      "Number of VoIP pushes without a reported call after which iOS stops delivering them.",
      .observed("three in a day, according to one project; Apple says only that failures are repeated")),
    Setting(
      "calls.window", \.policy.calls.window, .duration, "Length of the window, from its first failure.",
      .observed("a day, according to one project; assumed: fixed rather than sliding")),
    Setting(
      "calls.stopsFor", \.policy.calls.stopsFor, .optional("reinstall", or: .duration),
      "How long VoIP pushes are stopped; reinstall: until the app is reinstalled.", .assumed("no figure was found")),
  ]
}
