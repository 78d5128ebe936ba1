import Grammar
import WireFormats

/// A value of a request as it is written on a command line.
enum GivenText {
  /// The value in the type of its key. A text that does not fit stays a text, and the server rejects it.
  ///
  /// - Returns: nil if an object or a list is wanted, and the text is not JSON.
  static func json(_ text: String, as type: ValueType?) -> JSONValue? {
    switch type?.unnamed {
    case .object, .members, .list: try? JSONValue.parse(Array(text.utf8))
    case let type: type.flatMap { fitting(text, $0) } ?? .string(text)
    }
  }

  private static func fitting(_ text: String, _ type: ValueType) -> JSONValue? {
    switch type.unnamed {
    case .truth, .isTrue: Bool(text).map { .bool($0) }
    case .whole, .numbers, .number, .duration, .offset, .share:
      Int64(text).map { .integer($0) } ?? Double(text).flatMap { $0.isFinite ? .double($0) : nil }
    case .either(let types): types.lazy.compactMap { fitting(text, $0) }.first
    default: nil
    }
  }
}
