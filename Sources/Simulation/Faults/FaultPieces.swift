/// How the body of a refusal leaves, when it does not leave in one DATA frame.
package struct FaultPieces: Hashable, Sendable {
  /// Where the stream ends.
  package enum End: String, CaseIterable, Hashable, Sendable {
    /// END_STREAM is on the last piece.
    case last
    /// END_STREAM is on an empty DATA frame of its own.
    case apart
    /// The stream is left open.
    case never
  }

  /// How many sizes are given, and what each may be.
  package static let counts = 1...100
  package static let lengths = 1...100_000

  /// Bytes of each piece; what they leave of the body is one more.
  package var sizes: [Int]
  package var end: End
  /// Time between two pieces; nil sends all at once.
  package var pause: Duration?

  package init(sizes: [Int], end: End = .last, pause: Duration? = nil) {
    self.sizes = sizes
    self.end = end
    self.pause = pause
  }

  /// What they make of an answer with that status; nil where it ends as any does.
  func sent(_ status: Int) -> SentAnswer? { end == .never ? .incomplete(status: status) : nil }
}
