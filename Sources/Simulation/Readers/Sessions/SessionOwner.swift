/// The session that a push belongs to.
struct SessionOwner: Hashable, Sendable {
  /// Index of the session among the open ones; indices are reused.
  let place: Int
  /// Number of the session's opening, which no other session has.
  let opening: UInt64
}
