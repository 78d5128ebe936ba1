/// How the body of an answer is sent if not in one DATA frame.
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

/// The unsent part of such an answer.
struct SplitBody {
  /// Bytes of the remaining pieces, the next one last.
  var sizes: [Int]
  let end: BodySplit.End
  /// Number of pieces that may be sent now; nil if there is no limit.
  private var allowed: Int?

  init(_ split: BodySplit) {
    sizes = split.sizes.filter { $0 > 0 }.reversed()
    end = split.end
    allowed = split.pause == nil ? nil : 1
  }

  var mayLeave: Bool { allowed.map { $0 > 0 } ?? true }

  /// Allows one more piece. The maximum is the number of sizes, plus the rest, plus the end of the stream.
  mutating func allowOne() { allowed = allowed.map { min($0, sizes.count + 1) + 1 } }

  /// Counts `count` bytes of the current piece as sent.
  mutating func take(_ count: Int, left: Int) {
    guard let size = sizes.popLast() else {
      if left == 0 { finishPiece() }
      return
    }
    if count < size, left > 0 { sizes.append(size - count) } else { finishPiece() }
  }

  private mutating func finishPiece() { allowed = allowed.map { $0 - 1 } }
}
