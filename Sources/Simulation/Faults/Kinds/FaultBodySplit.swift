import Grammar
import Timeline
import WireFormats

/// The pieces in which the body of a rejection is sent, if it is not one DATA frame.
package struct FaultBodySplit: Hashable, Sendable {
  /// The place of the end of the stream.
  package enum End: String, CaseIterable, Hashable, Sendable {
    /// END_STREAM is on the last piece.
    case last
    /// END_STREAM is on a separate, empty DATA frame.
    case apart
    /// The stream is left open.
    case never
  }

  /// Valid numbers of sizes, and valid sizes.
  package static let counts = 1...100
  package static let lengths = 1...100_000

  /// Bytes of each piece; the rest of the body is one more piece.
  package var sizes: [Int]
  package var end: End
  /// Time between two pieces; nil sends all of them at once.
  package var pause: Duration?

  package init(sizes: [Int], end: End = .last, pause: Duration? = nil) {
    self.sizes = sizes
    self.end = end
    self.pause = pause
  }

  /// The answer that counts as sent with that status; nil if the stream is ended normally.
  func sent(_ status: Int) -> SentAnswer? { end == .never ? .incomplete(status: status) : nil }
}

/// The members of a split in `then` of a fault.
extension Shape.Member {
  static func split(_ path: any WritableKeyPath<Row, FaultBodySplit?> & Sendable) -> Self {
    .key(
      "split", as: .list(of: .whole(FaultBodySplit.lengths)),
      "The sizes of the pieces in which the body is sent; the rest of it is one more piece."
    ) { (fields, row) throws(InputProblem) in
      row[keyPath: path] = try FaultBodySplit.read(fields)
    } write: { row in
      row[keyPath: path].map { .array($0.sizes.map { .integer(Int64($0)) }) }
    }
  }

  static func ends(_ path: any WritableKeyPath<Row, FaultBodySplit?> & Sendable) -> Self {
    let form = FieldForm<FaultBodySplit.End>.word()
    return .key("ends", as: form.type, "Where the stream ends: on the last piece (default), on an empty one, or never.")
    {
      guard let end = $0[keyPath: path]?.end, end != .last else { return Optional.none }
      return form.write(end)
    }
  }
}

extension FaultBodySplit {
  /// Nil if the body is not split.
  fileprivate static func read(_ fields: Fields) throws(InputProblem) -> FaultBodySplit? {
    guard let value = fields.json("split") else {
      for name in ["pause", "ends"] where fields.has(name) {
        throw fields.problem(name, "\(name) is about the pieces of a split body; it needs split, such as [5, 3].")
      }
      return nil
    }
    var sizes: [Int] = []
    for element in value.elements ?? [] {
      guard let size = element.integer.flatMap({ Int(exactly: $0) }), lengths.contains(size) else {
        throw noSizes(fields)
      }
      sizes.append(size)
    }
    guard counts.contains(sizes.count) else { throw noSizes(fields) }
    let ends = try fields.choice("ends", End.allCases.map { ($0.rawValue, $0) })
    return FaultBodySplit(sizes: sizes, end: ends ?? .last, pause: try fields.duration("pause"))
  }

  private static func noSizes(_ fields: Fields) -> InputProblem {
    fields.problem(
      "split",
      "split must be a list of 1 to 100 sizes in bytes, such as [5, 3]; the rest of the body is one more piece.")
  }
}
