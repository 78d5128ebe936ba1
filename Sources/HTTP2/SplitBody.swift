/// The pieces in which the body of an answer is sent instead of one DATA frame.
package struct BodySplit: Hashable, Sendable {
  package enum End: Hashable, Sendable {
    /// END_STREAM is on the last piece; without a body, on an empty DATA frame.
    case withLastPiece
    /// END_STREAM is on a separate, empty DATA frame.
    case apart
    /// The stream is left open.
    case never
  }

  /// Bytes of each piece; the rest of the body is one more piece. Sizes below 1 are ignored.
  package var sizes: [Int]
  package var end: End
  /// Time between two pieces, the first of which is sent at once; nil sends all at once.
  package var pause: Duration?

  package init(sizes: [Int], end: End = .withLastPiece, pause: Duration? = nil) {
    self.sizes = sizes
    self.end = end
    self.pause = pause
  }
}

/// The order in which the body of one such answer is sent.
struct SplitBody {
  /// The next thing that nghttp2 gets.
  enum Piece {
    /// Nothing, until the next piece is allowed.
    case none
    case bytes(Int, endsStream: Bool)
    /// END_STREAM alone.
    case end
  }

  let end: BodySplit.End
  /// Bytes of the remaining pieces, the next one last.
  private var sizes: [Int]
  /// Number of pieces that may be sent now; nil if there is no limit.
  private var allowed: Int?

  init(_ split: BodySplit) {
    sizes = split.sizes.filter { $0 > 0 }.reversed()
    end = split.end
    allowed = split.pause == nil ? nil : 1
  }

  /// True if the next piece waits for its time, and not for the client.
  var isPausing: Bool { allowed == 0 }

  /// Allows one more piece. The maximum is the number of sizes, plus the rest, plus the end of the stream.
  mutating func allowOne() { allowed = allowed.map { min($0, sizes.count + 1) + 1 } }

  /// The client can be sent at most `room` of the `left` bytes of the body.
  mutating func next(left: Int, room: Int) -> Piece {
    guard !isPausing else { return .none }
    guard left > 0 else { return end == .never ? .none : .end }
    let taken = min(sizes.last ?? left, left, room)
    take(taken, left: left - taken)
    return .bytes(taken, endsStream: taken == left && end == .withLastPiece)
  }

  /// Counts `count` bytes of the current piece as sent.
  private mutating func take(_ count: Int, left: Int) {
    guard let size = sizes.popLast() else {
      if left == 0 { finishPiece() }
      return
    }
    if count < size, left > 0 { sizes.append(size - count) } else { finishPiece() }
  }

  private mutating func finishPiece() { allowed = allowed.map { $0 - 1 } }
}
