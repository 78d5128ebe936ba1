import Devices

extension Setting {
  private static let article = "Apple, Pushing background updates to your App"

  static let wakes: [Setting] = [
    Setting(
      "wakes.whenRestricted", \.policy.wakes.whenRestricted, .word,
      "What becomes of a background push in Low Power Mode, or while Background App Refresh is off.",
      .disputed("widely assumed to be held; Apple says only that refresh is off")),
    Setting(
      "wakes.most", \.policy.wakes.wakes, .count(1...1_000_000), "Wakes of one app in the window.",
      .documented(article + ": two or three an hour")),
    Setting(
      "wakes.window", \.policy.wakes.window, .duration(from: .seconds(60)),
      "From the first wake until all is forgotten.",
      .documented(article + "; fixed rather than sliding is assumed")),
    Setting(
      "wakes.chance", \.policy.wakes.odds, .share, "That the system finds it worth waking the app.",
      .observed("60 to 70% of silent pushes succeed (docs/behavior/background-pushes.md#not-woken)")),
    Setting(
      "wakes.runtime", \.policy.wakes.runtime, .duration, "How long the app may then run.", .documented(article)),
    Setting(
      "calls.failures", \.policy.calls.failures, .count(1...1_000_000),
      "VoIP pushes without a call reported that stop further ones.",
      .observed("three in a day, by one project; Apple says repeated failures")),
    Setting(
      "calls.window", \.policy.calls.window, .duration, "From the first failure until all are forgotten.",
      .observed("a day, by one project; fixed rather than sliding is assumed")),
    Setting(
      "calls.stopsFor", \.policy.calls.stopsFor, .optional("reinstall", or: .duration),
      "How long VoIP pushes stay away; reinstall: until the app is installed anew.", .assumed("no figure was found")),
  ]
}
