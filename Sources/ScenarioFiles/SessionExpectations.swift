import Admin
import Configuration
import Grammar
import Simulation
import WireFormats

/// Reads what is expected of a session: the words of a scenario's `expect`, sent as JSON, which is YAML too.
package struct SessionExpectations: Sendable {
  private let scenarioNames: ScenarioNames

  package init(_ settings: Settings) { scenarioNames = ScenarioNames(settings, reports: settings.apps.map(\.reports)) }

  package func read(_ value: JSONValue, _ place: String) throws(InputProblem) -> Scenario.Expectation {
    if value["of"] != nil {
      throw problem(place, "of names a step of a scenario, and a session has none; leave it out.")
    }
    if value["connections"] != nil {
      throw problem(place, "connections are everybody's, so nothing is expected of them here.")
    }
    let expectation = try expectation(SourceNode(value, path: place))
    if expectation.at != nil, expectation.window == nil {
      throw problem(place, "a session is judged when it is closed; leave at out, or say within.")
    }
    if expectation.window != nil, case .screens = expectation.question {
      throw problem(place, "screens are judged as they are when the session is closed; leave within out.")
    }
    return Scenario.Expectation(
      name: expectation.name, place: place, window: expectation.window, question: expectation.question)
  }

  private func expectation(_ node: SourceNode) throws(InputProblem) -> Scenario.Expectation {
    do throws(InputProblem) {
      return try ExpectationReader(scenarioNames, [], isAlone: false).one(node)
    } catch {
      // A device that is not there makes the body invalid; what the request is for is there.
      let code = error.code == .notFound ? .invalidValue : error.code
      throw InputProblem("\(node.place): \(error.sentence)", field: "expect", at: error.place, code: code)
    }
  }

  private func problem(_ place: String, _ sentence: String) -> InputProblem {
    InputProblem("\(place): \(sentence)", field: "expect", at: place)
  }
}
