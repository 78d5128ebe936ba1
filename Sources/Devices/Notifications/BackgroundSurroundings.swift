/// What a phone knows beside the push when it may wake an app.
package struct BackgroundSurroundings: Hashable, Sendable {
  package var process = AppProcess.suspended
  package var isLowPower = false
  /// Background App Refresh, as the user has set it for this app.
  package var isRefreshOn = true
  /// The app declares the `remote-notification` background mode.
  package var hasBackgroundMode = true

  package init() {}

  /// Documented: Low Power Mode turns refresh off.
  package var restriction: WakeCause? {
    if isLowPower { return .lowPower }
    return isRefreshOn ? nil : .refreshOff
  }
}
