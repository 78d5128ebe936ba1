import Timeline

/// The phone's delays before a person or an app learns of an event. Assumed: every range, inferred from what developers
/// describe (docs/behavior/budgets.md#times-from-a-start-to-its-token).
package struct Timing: Hashable, Sendable {
  /// From a start by push until its card and its alert are visible.
  package var appearance = usualAppearance
  /// From a local start until its update token.
  package var localToken: ClosedRange<Duration> = .milliseconds(200)...(.seconds(2))
  /// From a start by push until the app is woken.
  package var wake: ClosedRange<Duration> = .milliseconds(500)...(.seconds(3))
  /// From a start by push until its update token. Observed: may take minutes.
  package var pushedToken: ClosedRange<Duration> = .seconds(1)...(.seconds(5))
  /// Runtime of an app that was woken. Observed: a few seconds, by an Apple engineer. Assumed: 30 s.
  package var runtime: Duration = .seconds(30)

  package static let usualAppearance: ClosedRange<Duration> = .milliseconds(100)...(.milliseconds(500))

  package init() {}

  /// No delays: for tests that do not need them.
  package static let none: Timing = {
    var timing = Timing()
    timing.appearance = .zero...(.zero)
    timing.localToken = .zero...(.zero)
    timing.wake = .zero...(.zero)
    timing.pushedToken = .zero...(.zero)
    return timing
  }()
}
