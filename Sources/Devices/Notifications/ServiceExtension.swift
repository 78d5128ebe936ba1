import APNs
import Timeline

/// The behavior of an app's notification service extension at a push that requests the extension.
///
/// Documented: its time is limited to about 30 s; then the original is shown. Observed: it runs even after the user has
/// force-quit the app, so nothing here depends on whether the app runs.
package enum ServiceExtension: Hashable, Sendable {
  case absent
  case succeeds(after: Duration)
  /// The extension never calls its completion handler.
  case runsOut

  /// Documented: about 30 s.
  package static let longest: Duration = .seconds(30)

  package enum Outcome: String, CaseIterable, Hashable, Sendable {
    case noExtension = "no-extension"
    case notMutable = "not-mutable"
    case noAlert = "no-alert"
    case alertsOff = "alerts-off"
    case changed = "changed-by-extension"
    case ranOut = "extension-ran-out"

    package var hasRun: Bool { self == .changed || self == .ranOut }
  }

  package struct Passage: Hashable, Sendable {
    package let outcome: Outcome
    /// The time at which the rules of notifications decide how the notification is presented, if at all.
    package let presentedAt: Instant

    package init(outcome: Outcome, presentedAt: Instant) {
      self.outcome = outcome
      self.presentedAt = presentedAt
    }
  }

  /// Returns the outcome of a push and the time of its presentation: one guard per condition for running the extension.
  package func passage(
    of payload: NotificationPayload, _ permission: NotificationPermission, at now: Instant
  ) -> Passage {
    guard self != .absent else { return Passage(outcome: .noExtension, presentedAt: now) }
    guard payload.isMutable else { return Passage(outcome: .notMutable, presentedAt: now) }
    guard payload.alert != nil else { return Passage(outcome: .noAlert, presentedAt: now) }
    guard permission.showsAlerts else { return Passage(outcome: .alertsOff, presentedAt: now) }
    guard case .succeeds(let duration) = self, duration < Self.longest else {
      return Passage(outcome: .ranOut, presentedAt: now.advanced(by: Self.longest))
    }
    return Passage(outcome: .changed, presentedAt: now.advanced(by: max(duration, .zero)))
  }

  /// The outcome once it has run.
  var outcomeOfRun: Outcome {
    if case .succeeds(let duration) = self, duration < Self.longest { .changed } else { .ranOut }
  }
}

extension ServiceExtension.Outcome {
  package var sentence: String {
    switch self {
    case .noExtension: "the app has no notification service extension"
    case .notMutable: "without aps.mutable-content 1 the notification service extension does not run"
    case .noAlert: "the notification service extension runs only for a push with an alert"
    case .alertsOff: "the notification service extension does not run while the app may not show alerts"
    case .changed: "the notification service extension has changed the notification before it was shown"
    case .ranOut: "the notification service extension ran out of time, so the original was shown"
    }
  }

  package var evidence: Evidence { source.told(in: "notifications.md#\(rawValue)") }

  private var source: Evidence {
    switch self {
    case .noExtension, .notMutable, .changed:
      .documented("Apple, Modifying content in newly delivered notifications")
    case .noAlert, .alertsOff, .ranOut: .documented("Apple, UNNotificationServiceExtension")
    }
  }
}
