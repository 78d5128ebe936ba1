/// `aps.interruption-level`: how much a notification may disturb.
///
/// Documented: `UNNotificationInterruptionLevel`; without the member it is active. Assumed: an unknown word is, too.
package enum InterruptionLevel: String, CaseIterable, Hashable, Sendable {
  /// Into the list, with neither light nor sound.
  case passive
  case active
  /// Breaks through a Focus that lets it.
  case timeSensitive = "time-sensitive"
  /// Breaks through a Focus and the mute switch, with an entitlement and the user's permission.
  case critical
}
