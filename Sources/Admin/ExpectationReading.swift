import Grammar
import Simulation
import WireFormats

/// Reads an expectation in the words of scenario files. Who reads those files lends it, for here they are not known.
///
/// The second value is its place, for messages.
package typealias ExpectationReading =
  @Sendable (_ value: JSONValue, _ place: String) throws(InputProblem) -> Scenario.Expectation
