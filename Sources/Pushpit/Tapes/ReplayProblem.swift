/// The reason why a tape cannot be played, as a sentence.
package struct ReplayProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  package init(_ sentence: String) { description = sentence }
}
