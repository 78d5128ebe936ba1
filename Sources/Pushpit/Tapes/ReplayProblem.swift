/// Why a tape cannot be played, in a sentence.
package struct ReplayProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  package init(_ sentence: String) { description = sentence }
}
