import APNs

/// How many Live Activities an app may have started by push on one device.
///
/// Observed: a budget of its own, the same with and without frequent updates and in both environments (an Apple
/// engineer in forum thread 799505).
package struct StartBudgetPlan: Hashable, Sendable {
  package enum Preset: String, CaseIterable, Hashable, Sendable {
    case conservative
    case optimistic
  }

  /// Observed: about ten in a short time, then a log line names the refusal (forum thread 799505).
  package var capacity: UInt32 = 10
  /// From the first charge until all is forgotten. Disputed: up to 24 h by an engineer quoted second hand, about an
  /// hour by one project (Sitrep).
  package var window: Duration = .seconds(24 * 3600)
  /// Whether opening the app fills it. Disputed: yes by one project (Sitrep).
  package var refillOnForeground = false
  /// Whether refused starts run up a debt. Observed: a balance of -5 (hermes-studio pull request 3111).
  package var decrementWhenExhausted = true
  /// Whether nothing starts in Low Power Mode. Observed (Sitrep). Assumed: what is suppressed costs nothing.
  package var lowPowerSuppresses = true

  package init(_ preset: Preset = .conservative) {
    switch preset {
    case .conservative: break
    case .optimistic:
      window = .seconds(3600)
      refillOnForeground = true
    }
  }
}
