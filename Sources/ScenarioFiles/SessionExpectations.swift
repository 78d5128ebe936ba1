import Configuration
import Grammar
import Reporting
import Scenarios
import Simulation
import WireFormats

/// Reads the expectations of a session: the syntax of a scenario's `expect` as JSON, which is also YAML.
package struct SessionExpectations: Sendable {
  private let scenarioNames: ScenarioNames

  package init(_ settings: Settings) { scenarioNames = ScenarioNames(settings, reports: settings.apps.map(\.reports)) }

  package func read(_ value: JSONValue, _ place: String) throws(InputProblem) -> Expectation {
    if value["of"] != nil {
      throw problem(place, "of names a step of a scenario, but a session has no steps; leave it out.")
    }
    if value["connections"] != nil {
      throw problem(place, "connections are shared, so a session cannot have expectations about them.")
    }
    let expectation = try expectation(SourceNode(value, path: place))
    if expectation.at != nil, expectation.window == nil {
      throw problem(place, "a session is evaluated when it is closed; leave at out, or use within.")
    }
    if expectation.window != nil, case .screens = expectation.question {
      throw problem(place, "screens are evaluated when the session is closed; leave within out.")
    }
    return Expectation(
      name: expectation.name, place: place, window: expectation.window, question: expectation.question)
  }

  private func expectation(_ node: SourceNode) throws(InputProblem) -> Expectation {
    do throws(InputProblem) {
      return try ExpectationReader(scenarioNames, [], isAlone: false).one(node)
    } catch {
      // A device that does not exist makes the body invalid; the request's own path exists.
      let code = error.code == .notFound ? .invalidValue : error.code
      throw InputProblem("\(node.place): \(error.sentence)", field: "expect", at: error.place, code: code)
    }
  }

  private func problem(_ place: String, _ sentence: String) -> InputProblem {
    InputProblem("\(place): \(sentence)", field: "expect", at: place)
  }
}

extension ScenarioNames {
  /// - Parameter reports: the apps' reports, also if there is no backend.
  init(_ settings: Settings, reports: [ReportPlan?]) {
    self.init(
      settings.plan, settings.rulebook, reports: reports, hasBackend: settings.apps.contains { $0.reports != nil })
  }
}
