/// A problem of a user's input, with its place.
public struct InputProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// Stable names for kinds of problems, for programs.
  package enum Code: String, CaseIterable, Hashable, Sendable {
    /// The object does not have this key.
    case unknownKey = "unknown_key"
    /// A required key is missing.
    case missingKey = "missing_key"
    /// The value has another JSON type, such as a number in place of a string.
    case wrongType = "wrong_type"
    /// The type is right, but the value is not valid.
    case invalidValue = "invalid_value"
    /// Two parts cannot be combined, or one has no meaning without another.
    case contradiction
    /// The input names something that does not exist.
    case notFound = "not_found"
  }

  package let code: Code
  public let sentence: String
  /// The key of the invalid value, if there is one.
  package let field: String?
  /// A file with its line, a flag, an environment variable, or the path within a body. Empty if only the field is
  /// known.
  public let place: String

  package init(_ sentence: String, field: String? = nil, at place: String = "", code: Code = .invalidValue) {
    self.code = code
    self.sentence = sentence
    self.field = field
    self.place = place
  }

  public init(_ place: String, _ sentence: String) { self.init(sentence, at: place) }

  public var description: String { place.isEmpty ? sentence : "\(place): \(sentence)" }
}
