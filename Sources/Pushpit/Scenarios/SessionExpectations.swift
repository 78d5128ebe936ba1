import Admin
import Simulation
import WireFormats

/// Reads what is expected of a session: the words of a scenario's `expect`, sent as JSON, which is YAML too.
struct SessionExpectations: Sendable {
  private let cast: Cast

  init(_ settings: Settings) { cast = Cast(settings) }

  func read(_ value: JSONValue, _ place: String) throws(AdminProblem) -> Scenario.Expectation {
    if value["of"] != nil {
      throw problem(place, "of names a step of a scenario, and a session has none; leave it out.")
    }
    if value["connections"] != nil {
      throw problem(place, "connections are everybody's, so nothing is expected of them here.")
    }
    do {
      let (file, root) = try SettingsFile.compose(value.text, named: place)
      guard let root else { throw problem(place, "an expectation is an object.") }
      let expectation = try ExpectationReader(cast, file, [], isAlone: false).one(root)
      if expectation.at != nil, expectation.window == nil {
        throw problem(place, "a session is judged when it is closed; leave at out, or say within.")
      }
      if expectation.window != nil, case .screens = expectation.question {
        throw problem(place, "screens are judged as they are when the session is closed; leave within out.")
      }
      return Scenario.Expectation(
        name: expectation.name, place: place, window: expectation.window, question: expectation.question)
    } catch let problem as ConfigurationProblem {
      throw self.problem(place, problem.sentence)
    } catch let problem as AdminProblem {
      throw problem
    } catch {
      throw problem(place, "\(error)")
    }
  }

  private func problem(_ place: String, _ sentence: String) -> AdminProblem {
    AdminProblem(422, "\(place): \(sentence)", field: "expect")
  }
}
