/// How an activity is updated from outside, as the app asked for at its start.
///
/// Documented: `PushType` of ActivityKit; channels from iOS 18.
package enum ActivityUpdates: Hashable, Sendable {
  /// An update token of its own.
  case token
  /// The broadcasts of a channel, and no token.
  case channel(String)
  /// By the app only.
  case none
}
