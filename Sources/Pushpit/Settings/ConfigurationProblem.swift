/// What is wrong with a setting, and where: a sentence for the person who wrote it.
public struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file and line, the flag, or the environment variable.
  public let place: String
  public let sentence: String

  public init(_ place: String, _ sentence: String) {
    self.place = place
    self.sentence = sentence
  }

  public var description: String { "\(place): \(sentence)" }
}

/// What is wrong with a value; whoever knows where it was written makes a `ConfigurationProblem` of it.
struct ValueProblem: Error {
  /// Such as `a whole number from 1 to 10000000`.
  let wanted: String
}
