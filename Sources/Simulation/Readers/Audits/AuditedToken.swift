import APNs
import Timeline

/// The facts that an audit remembers about a token.
struct AuditedToken: Sendable {
  var deadSince: Instant?
  var endedAt: Instant?
  /// Pushes before this time are too early.
  var notBefore: Instant?
  /// The time at which the token was rejected as bad.
  var refusedSince: Instant?
  /// The last update without its timestamp, and how many times in a row it came.
  var content: (hash: UInt64, count: Int) = (0, 0)
  /// True if a finding has reported that the token's budget is spent.
  var isOverBudget = false
  /// The last deliveries: what was in them, and when.
  var delivered: [(payload: UInt64, id: NotificationID, at: Instant)] = []
}
