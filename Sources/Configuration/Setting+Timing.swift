import Devices

extension Setting {
  private static let logs =
    "inferred from what developers describe (docs/behavior/budgets.md#times-from-a-start-to-its-token)"

  static let timing: [Setting] = [
    Setting(
      "timing.immediate", at: \.isImmediate, as: .truth,
      "Sets appearance, localToken, wake and pushedToken to 0s, for tests in which these delays do not matter."
    ).ranked(.preset),
    Setting(
      "timing.appearance", at: \.policy.timing.appearance, as: .durations,
      "Time from a start by push until its card and its alert are visible; 0s with fleet.ideal.",
      grounds: .assumed(logs)),
    Setting(
      "timing.localToken", at: \.policy.timing.localToken, as: .durations,
      "Time from a local start to its update token.",
      grounds: .assumed(logs)),
    Setting(
      "timing.wake", at: \.policy.timing.wake, as: .durations, "Time from a start by push to the wake of the app.",
      grounds: .assumed(logs)),
    Setting(
      "timing.pushedToken", at: \.policy.timing.pushedToken, as: .durations,
      "Time from a start by push to its update token, if no permission is needed.",
      grounds: .assumed(logs + "; one backend saw minutes")),
    Setting(
      "timing.runtime", at: \.policy.timing.runtime, as: .duration, "Runtime of a woken app.",
      grounds: .assumed("30 s; a few seconds according to an Apple engineer in forum thread 834934")),
  ]
}
