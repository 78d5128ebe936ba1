import Reporting
import Simulation
import Transport

extension Setting {
  private static let trouble =
    "reports of apps are late, lost, doubled or out of order (docs/behavior/failure-modes.md#mode-24)"

  static let reports: [Setting] = [
    Setting(
      "reports.backend", \.backend, .backend, flag: "backend",
      "The backend under test, which the apps of profiles call; `{{backend}}` in their templates."),
    Setting(
      "reports.opensWithin", \.reports.opensWithin, .durationOrNever,
      "Every app that reports is opened once within this time of the start, so that the backend knows it; or never.",
      .assumed("an app in the hands of people has been opened before")),
    Setting(
      "reports.visit", \.reports.visit, .duration(from: .seconds(1)),
      "How long a person who opens an app to do something in it stays.", .assumed("half a minute")),
    Setting(
      "reports.allowHosts", \.calls.allowedHosts, .names("host,…"),
      "Hosts beyond this machine that apps may call; no others are ever reached."),
    Setting(
      "reports.connections", \.calls.connections, .whole(1...10_000), "Connections to backends at once."),
    Setting(
      "reports.queue", \.calls.queue, .whole(0...1_000_000), "Calls that may wait for a connection; more fail."),
    Setting(
      "reports.trouble.lose", \.reports.trouble.lost, .share, "Calls that never reach the backend.",
      .observed(trouble)),
    Setting(
      "reports.trouble.loseAnswer", \.reports.trouble.answerLost, .share,
      "Calls that the backend gets, and whose answer the app does not.", .observed(trouble)),
    Setting(
      "reports.trouble.double", \.reports.trouble.doubled, .share, "Calls that arrive twice.", .observed(trouble)),
    Setting(
      "reports.trouble.reorder", \.reports.trouble.overtaken, .share,
      "Calls that leave a second late, and are overtaken where a profile's calls are not in order.",
      .observed(trouble)),
    Setting(
      "reports.trouble.fail", \.reports.trouble.failed, .share, "Calls that fail at once on the phone.",
      .observed(trouble)),
    Setting(
      "reports.trouble.delay", \.reports.trouble.delay, .durations, "How long a call is on its way.",
      .observed(trouble)),
  ]
}
