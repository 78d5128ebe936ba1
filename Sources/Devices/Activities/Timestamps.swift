/// What can be said of an `aps.timestamp`, which counts seconds since 1970.
enum Timestamps {
  /// In seconds it would be the year 5138 and later; in milliseconds it is 1973 and later.
  static func looksLikeMilliseconds(_ timestamp: Double) -> Bool { timestamp > 1e11 }

  /// Why a timestamp is too old: both of them, and where the newer one came from.
  static func stale(_ timestamp: Double, after newest: Double, of push: UInt64?) -> String {
    let source = push.map { "of push \($0)" } ?? "of its start or its app"
    let kind = looksLikeMilliseconds(newest) && !looksLikeMilliseconds(timestamp)
    let words = "\(text(timestamp)) is not after \(text(newest)) \(source)"
    return kind ? words + ", which looks like milliseconds" : words
  }

  private static func text(_ timestamp: Double) -> String {
    Int64(exactly: timestamp).map { "\($0)" } ?? "\(timestamp)"
  }
}
