/// What kinds of value JSON has.
package enum JSONKind: Hashable, Sendable {
  case null
  case bool
  case number
  case string
  case array
  case object

  /// As people say it, with its article.
  package var words: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
