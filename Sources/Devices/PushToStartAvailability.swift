/// When `pushToStartTokenUpdates` yields.
///
/// Documented: from iOS 17.2. Observed: on 17.2 to 17.6 only after deleting the app, rebooting and installing it
/// fresh, in that order; reliable at every launch from iOS 18 (docs/behavior/tokens.md#on-ios-17).
package enum PushToStartAvailability: String, CaseIterable, Hashable, Sendable {
  case never
  case freshInstallAfterReboot
  case onLaunch

  /// Whether an app that is on a later token can have had the one of that generation; the first comes with the app.
  package func issued(startToken generation: UInt32) -> Bool {
    switch self {
    case .never: false
    case .freshInstallAfterReboot: generation > 0
    case .onLaunch: true
    }
  }
}
