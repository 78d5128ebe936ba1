/// What is wrong with something that a user wrote, and where.
public struct InputProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// Stable names of what can be wrong, for programs.
  package enum Code: String, CaseIterable, Hashable, Sendable {
    /// A key that this object does not have.
    case unknownKey = "unknown_key"
    /// A key that is needed is not there.
    case missingKey = "missing_key"
    /// A number in place of a text, and the like.
    case wrongType = "wrong_type"
    /// Of the right type, and not one of the values that are valid.
    case invalidValue = "invalid_value"
    /// Two parts that exclude each other, or one that has no meaning without another.
    case contradiction
    /// It names something that does not exist.
    case notFound = "not_found"
  }

  package let code: Code
  public let sentence: String
  /// The key whose value is wrong, where there is one.
  package let field: String?
  /// A file with its line, a flag, an environment variable, or the path within a body; empty where only the field is
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
