/// What the app shows beside a thing that can be followed. Observed: three states
/// (docs/behavior/apps.md#bell).
package enum Bell: String, Hashable, Sendable {
  case empty
  case filled
  /// Followed, but its Live Activity failed.
  case filledWarning
}
