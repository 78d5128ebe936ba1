/// Counts how many pushes of each token a fault has checked, for its draws.
///
/// The counts remember two generations of tokens: when the newer is full, the older is dropped. A dropped token is
/// counted from 1 again.
struct MatchCounts: Sendable {
  /// Number of tokens per generation. More than a fleet of a hundred thousand phones has; a fault uses at most 40 MB.
  static let most = 500_000

  private var newer = NumberTable<UInt32>()
  private var older = NumberTable<UInt32>()
  private let most: Int

  init(most: Int = Self.most) { self.most = most }

  /// Number of tokens remembered.
  var count: Int { newer.count + older.count }

  mutating func forget(_ subject: UInt64) {
    _ = newer.removeValue(forKey: subject)
    _ = older.removeValue(forKey: subject)
  }

  /// Counts a check.
  mutating func next(_ subject: UInt64) -> UInt64 {
    if let known = newer.increment(subject) { return UInt64(known) }
    let look = (older.removeValue(forKey: subject) ?? 0) &+ 1
    if newer.count >= most {
      older = newer
      newer = NumberTable()
    }
    newer[subject] = look
    return UInt64(look)
  }
}
