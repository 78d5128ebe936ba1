import Reporting
import Simulation

extension Setting {
  private static let trouble =
    "reports of apps are late, lost, doubled or out of order (docs/behavior/failure-modes.md#mode-24)"

  static let reports: [Setting] = [
    Setting(
      "reports.backend", \.backend, .backend, flag: "backend",
      "The backend under test, called by apps with profiles; `{{backend}}` in their templates."),
    Setting(
      "reports.opensWithin", \.reports.opensWithin, .durationOrNever,
      "Every app with reports is opened once within this time after the start, so that the backend knows it; or never.",
      .assumed("people have opened their apps before")),
    Setting(
      "reports.visit", \.reports.visit, .duration(from: .seconds(1)),
      "How long a person stays in an app that they open for an action.", .assumed("half a minute")),
    Setting(
      "reports.allowHosts", \.calls.allowedHosts, .names("host,…"),
      "Hosts other than this machine that apps may call; all others are blocked."),
    Setting(
      "reports.connections", \.calls.connections, .whole(1...10_000), "Maximum number of connections to backends."),
    Setting(
      "reports.queue", \.calls.queue, .whole(0...1_000_000),
      "Maximum number of calls waiting for a connection; further calls fail."),
    Setting(
      "reports.trouble.lose", \.reports.trouble.lost, .share, "Share of calls that do not reach the backend.",
      .observed(trouble)),
    Setting(
      "reports.trouble.loseAnswer", \.reports.trouble.answerLost, .share,
      "Share of calls that reach the backend but whose answer is lost.", .observed(trouble)),
    Setting(
      "reports.trouble.double", \.reports.trouble.doubled, .share, "Share of calls that arrive twice.",
      .observed(trouble)),
    Setting(
      "reports.trouble.reorder", \.reports.trouble.overtaken, .share,
      "Share of calls sent a second late; they are overtaken if a profile's calls are not in order.",
      .observed(trouble)),
    Setting(
      "reports.trouble.fail", \.reports.trouble.failed, .share, "Share of calls that fail at once on the phone.",
      .observed(trouble)),
    Setting(
      "reports.trouble.delay", \.reports.trouble.delay, .durations, "Delay of a call.",
      .observed(trouble)),
  ]
}
