import Timeline
import WireFormats

/// The alert of a Live Activity, as the phone presented it.
///
/// Documented: with a Dynamic Island the screen lights up and the expanded presentation appears; without one, the Lock
/// Screen view is shown as a banner where the phone is unlocked.
package struct ShownAlert: Hashable, Sendable {
  package enum Presentation: String, Hashable, Sendable {
    case expanded
    case banner
    /// The card itself, on a locked phone without an island.
    case lockScreen
    /// The person is in the app, or a Focus is on.
    case quiet
  }

  package let app: Int
  package let activity: UInt32
  package let presentation: Presentation
  package let sounds: Bool
  /// A paired Watch shows title and body.
  package let isOnWatch: Bool
  package let request: HTTPRequest
  package let at: Instant
}
