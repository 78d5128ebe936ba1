import Grammar
import Simulation
import WireFormats

/// Reads an expectation in the syntax of scenario files. Passed in, because this target does not depend on
/// scenario files.
///
/// The second value is its place, for messages.
package typealias ExpectationReading =
  @Sendable (_ value: JSONValue, _ place: String) throws(InputProblem) -> Expectation
