import Reporting
import Simulation

extension Setting {
  private static let trouble =
    "reports of apps are late, lost, doubled or out of order (docs/behavior/failure-modes.md#mode-24)"

  static let reports: [Setting] = [
    Setting(
      "reports.backend", at: \.backend, as: .backend, flag: "backend",
      "The backend under test, called by apps with profiles; `{{backend}}` in their templates."),
    Setting(
      "reports.opensWithin", at: \.reports.opensWithin, as: .durationOrNever,
      "Every app with reports is opened once within this time after the start, so that the backend knows it; or never.",
      grounds: .assumed("people have opened their apps before")),
    Setting(
      "reports.visit", at: \.reports.visit, as: .duration(from: .seconds(1)),
      "How long a person stays in an app that they open for an action.", grounds: .assumed("half a minute")),
    Setting(
      "reports.allowHosts", at: \.calls.allowedHosts, as: .names("host,…"),
      "Hosts other than this machine that apps may call; all others are blocked."),
    Setting(
      "reports.connections", at: \.calls.connections, as: .whole(1...10_000),
      "Maximum number of connections to backends."),
    Setting(
      "reports.queue", at: \.calls.queue, as: .whole(0...1_000_000),
      "Maximum number of calls waiting for a connection; further calls fail."),
    Setting(
      "reports.trouble.lose", at: \.reports.trouble.lost, as: .share, "Share of calls that do not reach the backend.",
      grounds: .observed(trouble)),
    Setting(
      "reports.trouble.loseAnswer", at: \.reports.trouble.answerLost, as: .share,
      "Share of calls that reach the backend but whose answer is lost.", grounds: .observed(trouble)),
    Setting(
      "reports.trouble.double", at: \.reports.trouble.doubled, as: .share, "Share of calls that arrive twice.",
      grounds: .observed(trouble)),
    Setting(
      "reports.trouble.reorder", at: \.reports.trouble.overtaken, as: .share,
      "Share of calls sent a second late; they are overtaken if a profile's calls are not in order.",
      grounds: .observed(trouble)),
    Setting(
      "reports.trouble.fail", at: \.reports.trouble.failed, as: .share,
      "Share of calls that fail at once on the phone.",
      grounds: .observed(trouble)),
    Setting(
      "reports.trouble.delay", at: \.reports.trouble.delay, as: .durations, "Delay of a call.",
      grounds: .observed(trouble)),
  ]
}
