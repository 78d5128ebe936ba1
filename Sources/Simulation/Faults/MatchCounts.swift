/// How many pushes of each token a fault has looked at, for its draws.
///
/// It remembers two generations of tokens: once the newer is full, the older is forgotten. A token that has been
/// forgotten is counted from 1 again.
struct MatchCounts: Sendable {
  /// Tokens of one generation. More than a fleet of a hundred thousand phones has; a fault takes 40 MB at the most.
  static let most = 500_000

  private var newer: [UInt64: UInt64] = [:]
  private var older: [UInt64: UInt64] = [:]
  private let most: Int

  init(most: Int = Self.most) { self.most = most }

  /// Tokens that are remembered.
  var count: Int { newer.count + older.count }

  /// Counts a look.
  mutating func next(_ subject: UInt64) -> UInt64 {
    if let index = newer.index(forKey: subject) {
      newer.values[index] += 1
      return newer.values[index]
    }
    let look = (older.removeValue(forKey: subject) ?? 0) + 1
    if newer.count >= most {
      older = newer
      newer = [:]
    }
    newer[subject] = look
    return look
  }
}
