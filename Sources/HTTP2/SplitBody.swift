/// How the body of an answer leaves when it does not leave in one DATA frame.
package struct BodySplit: Hashable, Sendable {
  package enum End: Hashable, Sendable {
    /// END_STREAM is on the last piece; without a body, on an empty DATA frame.
    case withLastPiece
    /// END_STREAM is on an empty DATA frame of its own.
    case apart
    /// The stream is left open.
    case never
  }

  /// Bytes of each piece; what they leave of the body is one more. Sizes below 1 are passed over.
  package var sizes: [Int]
  package var end: End
  /// Time between two pieces, the first of which leaves at once; nil sends all at once.
  package var pause: Duration?

  package init(sizes: [Int], end: End = .withLastPiece, pause: Duration? = nil) {
    self.sizes = sizes
    self.end = end
    self.pause = pause
  }
}

/// What is left of such an answer.
struct SplitBody {
  /// Bytes of the pieces to come, the next one last.
  var sizes: [Int]
  let end: BodySplit.End
  /// Pieces that may leave now; nil where none waits for leave.
  private var allowed: Int?

  init(_ split: BodySplit) {
    sizes = split.sizes.filter { $0 > 0 }.reversed()
    end = split.end
    allowed = split.pause == nil ? nil : 1
  }

  var mayLeave: Bool { allowed.map { $0 > 0 } ?? true }

  /// One more piece may leave. There are no more of them than the sizes, the rest, and the end of the stream.
  mutating func allowOne() { allowed = allowed.map { min($0, sizes.count + 1) + 1 } }

  /// Takes `count` bytes off the piece that is leaving.
  mutating func take(_ count: Int, left: Int) {
    guard let size = sizes.popLast() else {
      if left == 0 { finishPiece() }
      return
    }
    if count < size, left > 0 { sizes.append(size - count) } else { finishPiece() }
  }

  private mutating func finishPiece() { allowed = allowed.map { $0 - 1 } }
}
