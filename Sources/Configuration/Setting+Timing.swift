import Devices

extension Setting {
  private static let logs =
    "inferred from what developers describe (docs/behavior/budgets.md#times-from-a-start-to-its-token)"

  static let timing: [Setting] = [
    Setting(
      "timing.immediate", \.isImmediate, .truth,
      "Sets appearance, localToken, wake and pushedToken to 0s, for tests in which these delays do not matter."
    ).ranked(.preset),
    Setting(
      "timing.appearance", \.policy.timing.appearance, .durations,
      "Time from a start by push until its card and its alert are visible; 0s with fleet.ideal.", .assumed(logs)),
    Setting(
      "timing.localToken", \.policy.timing.localToken, .durations, "Time from a local start to its update token.",
      .assumed(logs)),
    Setting(
      "timing.wake", \.policy.timing.wake, .durations, "Time from a start by push to the wake of the app.",
      .assumed(logs)),
    Setting(
      "timing.pushedToken", \.policy.timing.pushedToken, .durations,
      "Time from a start by push to its update token, if no permission is needed.",
      .assumed(logs + "; one backend saw minutes")),
    Setting(
      "timing.runtime", \.policy.timing.runtime, .duration, "Runtime of a woken app.",
      .assumed("30 s; a few seconds according to an Apple engineer in forum thread 834934")),
  ]
}
