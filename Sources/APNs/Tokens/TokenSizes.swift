/// How long an app's tokens are, in bytes.
///
/// Documented: a size must never be assumed. Observed: 32 for apps; 80 beginning with 0x80 for activities.
package struct TokenSizes: Hashable, Sendable {
  package let app: Int
  package let liveActivity: Int

  /// Sizes that can carry an address: at least a sealed one (and one more byte for an activity), at most the longest
  /// token.
  package static let allowed = TokenSeal.sealed...DeviceToken.longest

  package init(app: Int = 32, liveActivity: Int = 80) {
    self.app = app
    self.liveActivity = liveActivity
  }
}
