import Devices

extension Setting {
  private static let logs =
    "inferred from what developers describe (docs/behavior/budgets.md#times-from-a-start-to-its-token)"

  static let timing: [Setting] = [
    Setting(
      "timing.immediate", \.isImmediate, .truth,
      "Sets localToken, wake and pushedToken to 0s, for tests that are about something else.", rank: .preset),
    Setting(
      "timing.localToken", \.policy.timing.localToken, .durations, "From a local start until its update token.",
      .assumed(logs)),
    Setting(
      "timing.wake", \.policy.timing.wake, .durations, "From a start by push until the app is woken.", .assumed(logs)),
    Setting(
      "timing.pushedToken", \.policy.timing.pushedToken, .durations,
      "From a start by push until its update token, where nothing has to be allowed.",
      .assumed(logs + "; one backend saw minutes")),
    Setting(
      "timing.runtime", \.policy.timing.runtime, .duration, "How long an app that was woken may run.",
      .assumed("30 s; a few seconds, an Apple engineer in forum thread 834934")),
  ]
}
