/// The numbers of MAX_CONCURRENT_STREAMS that a session announces: the regular one, or for a time another.
struct AnnouncedStreams {
  /// A limit that replaces the regular one until it is lifted.
  private struct Replacement {
    /// The reaction to the first stream beyond the limit, if it is not a refusal; nil also after it.
    var excess: ExcessStreams?
  }

  private var regular: Int
  /// The number that was announced last.
  private var last: Int
  private var replacement: Replacement?

  init(_ count: Int) { (regular, last) = (count, count) }

  /// - Returns: the number to announce now.
  mutating func setRegular(_ count: Int) -> Int? {
    regular = max(count, 0)
    return replacement == nil ? regular : nil
  }

  /// - Returns: the number to announce now.
  mutating func replace(by count: Int, _ excess: ExcessStreams?) -> Int {
    replacement = Replacement(excess: excess)
    return max(count, 0)
  }

  /// - Returns: the number to announce now.
  mutating func restore() -> Int? {
    replacement = nil
    return last == regular ? nil : regular
  }

  mutating func announced(_ count: Int) { last = count }

  /// The client has opened a stream beyond the limit.
  ///
  /// - Returns: the GOAWAY that ends the connection; nil to refuse the stream.
  mutating func exceeded() -> ExcessStreams? {
    guard let excess = replacement?.excess else { return nil }
    replacement?.excess = nil
    return excess
  }
}
